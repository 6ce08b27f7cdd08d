"""`neph infer` in-process, behind a server that it starts, and against a server that is there: the same answers, and
where the time of a request went."""

import json
import signal
import time

import pytest
from conftest import BUILD, Neph, Opened

QUICK = ("--warmup", 1, "--warmup-max-s", 0.3)
PARTS = [
    "send", "network", "server_decode", "server_queue", "server_batch", "server_infer", "server_encode", "unexplained",
    "receive",
]

BYTES_OF_PICTURE = 3 * 64 * 64 * 4


class Server:
    """`neph serve` until the end of the test; `ports` of it are any free ones."""

    def __init__(self, neph, model, *options):
        self.process = neph.start(
            "serve", model, "--json", "--http-port", 0, "--grpc-port", 0, "--metrics-port", 0, *options
        )
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.said = json.loads(line)
        self.http, self.grpc = self.said["http"], self.said["grpc"]
        self.metrics = self.said["metrics"].removesuffix("/metrics")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@pytest.fixture(scope="module")
def comparison(tmp_path_factory, small_model, pictures):
    """In-process and local, both protocols, both modes, two batch sizes: the program in the store's folder, the results."""
    neph = Neph(tmp_path_factory.mktemp("architectures"))
    return neph, neph.json(
        "infer", small_model, "--images", pictures, "--count", 48, "--architecture", "in-process,local",
        "--protocol", "http,grpc", "--mode", "sync,async", "--batch", "1,8", "--repeat", 2, "--seed", 5, *QUICK,
    )


@pytest.fixture
def compared(comparison):
    return comparison[1]


def local_cells(document):
    return [cell for cell in document["cells"] if cell["factors"]["architecture"] == "local"]


def test_every_valid_combination_is_one_cell(compared):
    expected = [{"architecture": "in-process", "batch": b, "mode": m} for b in (1, 8) for m in ("sync", "async")]
    expected += [
        {"architecture": "local", "protocol": p, "batch": b, "mode": m}
        for p in ("http", "grpc") for b in (1, 8) for m in ("sync", "async")
    ]
    assert [cell["factors"] for cell in compared["cells"]] == expected
    assert all(cell["runs_ok"] == 2 for cell in compared["cells"])


@pytest.mark.smoke
def test_all_architectures_give_the_same_answers(compared):
    assert len({cell["answers_checksum"] for cell in compared["cells"]}) == 1


@pytest.mark.browser
def test_its_report_shows_every_setting(comparison, chromium):
    neph, document = comparison
    with Opened(chromium, neph.folder / neph("report").stdout.strip()) as opened:
        drawn = opened.page.evaluate("[...document.querySelectorAll('main > section:has(figure)')].map(s => s.id)")
        assert {"throughput", "settings", "requests", "processor", "memory", "standard_error"} <= set(drawn)
        assert opened.page.locator("#settings .mark-rect path").count() >= len(document["cells"])
        assert opened.complaints == []


def test_every_party_is_watched_apart(compared):
    for cell in local_cells(compared):
        for quantity in ("cpu", "memory_resident", "memory_peak"):
            for party in ("process", "client", "server"):
                summary = cell["telemetry"][f"{party}.{quantity}"]
                assert summary["maximum"] >= summary["mean"] >= summary["minimum"] >= 0, (party, quantity)
        memory = {party: cell["telemetry"][f"{party}.memory_resident"]["mean"] for party in ("process", "client", "server")}
        assert memory["process"] == pytest.approx(memory["client"] + memory["server"], rel=0.1)
        assert "server_engine.cpu" in cell["telemetry"]


def test_a_requests_time_is_accounted_for(compared):
    """Client, server and what lies between make up the response time; nothing is counted twice."""
    for cell in local_cells(compared):
        assert {"server_start", "connect", "first_inference", "measure"} <= set(cell["phases"])
        assert set(PARTS) <= set(cell["stages_ms"])
        assert ("server_socket" in cell["stages_ms"]) == (cell["factors"]["protocol"] == "http"), "gRPC does not tell"
        assert all(cell["stages_ms"][part]["value"] >= 0 for part in PARTS), cell["stages_ms"]
        assert cell["stages_ms"]["server_infer"]["value"] > cell["stages_ms"]["send"]["value"]


def test_picture_files_are_decoded_by_the_server(neph, small_model, pictures, compared):
    document = neph.json(
        "infer", small_model, "--images", pictures, "--count", 48, "--architecture", "local", "--protocol", "http",
        "--payload", "tensor,jpeg", "--batch", 5, "--repeat", 1, *QUICK,  # 48 pictures: the last batch is short
    )
    assert {cell["answers_checksum"] for cell in document["cells"]} == {compared["cells"][0]["answers_checksum"]}
    files, tensors = (document["cells"][i]["stages_ms"] for i in (1, 0))
    assert files["server_decode"]["value"] > tensors["server_decode"]["value"]
    assert files["decode"]["value"] == 0 < tensors["decode"]["value"]


def test_an_independent_client_asks_and_does_nothing_else(neph, chromium, small_model, pictures):
    document = neph.json(
        "infer", small_model, "--images", pictures, "--count", 48, "--architecture", "in-process,local",
        "--client", "application,independent", "--files", "on,off", "--batch", 5, "--mode", "sync,async",
        "--protocol", "http,grpc", "--repeat", 1, *QUICK,
    )  # fmt: skip
    alone = [cell for cell in document["cells"] if cell["factors"].get("client") == "independent"]
    assert [cell["factors"] for cell in alone] == [
        {"architecture": "local", "protocol": p, "client": "independent", "mode": m}
        for p in ("http", "grpc") for m in ("sync", "async")
    ]
    assert len(document["cells"]) == 2 * 2 + 2 * 2 * 2 + 4, "in-process, and files on and off, are the application's"
    for cell in alone:
        assert cell["runs_ok"] == 1 and cell["answers_checksum"] == ""
        assert cell["figures"]["images_per_s"]["value"] > 0 == cell["figures"]["pictures_failed"]["value"]
        assert set(PARTS) - {"send", "receive"} <= set(cell["stages_ms"])
        assert not {"send", "receive", "read"} & set(cell["stages_ms"])
        assert cell["telemetry"]["client.memory_peak"]["mean"] > 0 < cell["telemetry"]["server.memory_peak"]["mean"]
        assert {"server_start", "connect", "first_inference", "warmup", "measure"} <= set(cell["phases"])
    with Opened(chromium, neph.folder / neph("report").stdout.strip()) as opened:
        labels = opened.page.locator("#settings").inner_text()
        assert "independent client" in labels and "without files" in labels
        assert opened.complaints == []


def test_a_server_that_is_there(neph, small_model, pictures, compared):
    server = Server(neph, small_model, "--max-batch", 8)
    document = neph.json(
        "infer", small_model, "--images", pictures, "--count", 48, "--server", f"{server.grpc},{server.http}",
        "--metrics", server.metrics, "--mode", "sync,async", "--batch", "1,8", "--repeat", 1, *QUICK,
    )
    assert server.stop() == 0
    assert [cell["factors"]["server"] for cell in document["cells"]][::4] == [server.grpc, server.http]
    assert {cell["answers_checksum"] for cell in document["cells"]} == {compared["cells"][0]["answers_checksum"]}
    for cell in document["cells"]:
        assert cell["telemetry"]["server.memory_resident"]["mean"] > 20e6
        assert cell["telemetry"]["server_machine.cpu_idle"]["mean"] is not None


def test_a_server_without_figures_is_unavailable_and_not_zero(neph, small_model, pictures):
    server = Server(neph, small_model)
    document = neph.json(
        "infer", small_model, "--images", pictures, "--server", server.http, "--metrics", "http://127.0.0.1:9",
        "--repeat", 1, *QUICK,
    )
    summary = document["cells"][0]["telemetry"]["server.cpu"]
    assert summary["mean"] is None and "127.0.0.1:9" in summary["unavailable"]


def test_a_name_may_have_a_dot(neph, small_model, pictures):
    server = Server(neph, small_model, "--name", "resnet-v1.5")
    document = neph.json(
        "infer", "resnet-v1.5", "--images", pictures, "--count", 4, "--server", server.grpc, "--repeat", 1, *QUICK
    )
    assert document["cells"][0]["runs_ok"] == 1
    server.stop()


def test_a_server_killed_under_a_run_is_failed_requests_and_a_verdict(neph, small_model, pictures):
    server = Server(neph, small_model)
    running = neph.start(
        "infer", small_model, "--images", pictures, "--count", 4000, "--server", server.grpc, "--mode", "async",
        "--repeat", 1, "--json", *QUICK,
    )
    time.sleep(4)
    server.process.kill()
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, err
    (cell,) = json.loads(out)["cells"]
    assert cell["verdict"] == "invalid"
    assert cell["figures"]["pictures_failed"]["value"] > 100


def test_a_stopping_server_answers_what_it_accepted(neph, small_model, pictures):
    server = Server(neph, small_model)
    running = neph.start(
        "infer", small_model, "--images", pictures, "--count", 4000, "--server", server.http, "--mode", "async",
        "--depth", 8, "--repeat", 1, "--json", *QUICK,
    )
    time.sleep(4)
    assert server.stop() == 0
    assert running.communicate(timeout=120)[0]


@pytest.mark.parametrize("options, words", [
    (("--protocol", "http"), "--protocol means nothing with --architecture in-process"),
    (("--architecture", "remote"), "--server grpc://node2:8001"),
    (("--architecture", "local", "--server", "http://127.0.0.1:1"), "--server means nothing with --architecture local"),
    (("--architecture", "local", "--payload", "jpeg", "--files", "off"), "--files means nothing with --payload jpeg"),
    (("--server", "ftp://x"), "ftp"),
    (("--server", "http://x", "--metrics", "http://x:8002/figures"), "no path is wanted"),
    (("--server", "http://x", "--metrics", "grpc://x:8002/metrics"), "a metrics endpoint speaks HTTP"),
    (("--architecture", "locl"), "did you mean 'local'?"),
], ids=lambda value: value[0] if isinstance(value, tuple) else "")
def test_contradictions_are_said(neph, small_model, pictures, options, words):
    done = neph("infer", small_model, "--images", pictures, *options, code=2)
    assert words in done.stderr


def test_nobody_there_is_said(neph, small_model, pictures):
    done = neph("infer", small_model, "--images", pictures, "--server", "grpc://127.0.0.1:9", "--repeat", 1, code=None)
    assert done.returncode != 0 and "127.0.0.1:9" in done.stderr


def test_what_no_run_could_do_is_said_before_any(neph, small_model, pictures):
    server = Server(neph, small_model, "--max-batch", 4)
    ask = ("infer", small_model, "--images", pictures, "--repeat", 2, *QUICK)
    wrong_port = server.grpc.replace("grpc:", "http:")
    for words, reason in [
        ((*ask, "--server", wrong_port), server.grpc),
        (("infer", "resnet51", *ask[2:], "--server", server.http), "resnet51"),
        ((*ask, "--server", server.http, "--batch", "8"), "--batch 8: model"),
    ]:
        done = neph(*words, code=None)
        assert done.returncode != 0 and reason in done.stderr and "stored" not in done.stderr, done.stderr
    assert not (neph.folder / "neph.db").exists()
    some = neph(*ask, "--server", server.http, "--batch", "1,8", code=1)
    assert "batch 8: left out: --batch 8: model" in some.stderr and "1 configuration left out" in some.stderr
    server.stop()


@pytest.mark.parametrize("gbit", [0.1, 5])
def test_a_server_on_another_machine(tmp_path, two_machines, small_model, pictures, gbit, compared):
    machines = two_machines(gbit)
    neph = BUILD / "bin/neph"
    server = machines.start_in_server(neph, "serve", small_model, "--json", "--max-batch", "8", "--listen", machines.server_address)
    assert json.loads(server.stdout.readline())["grpc"] == f"grpc://{machines.server_address}:8001"
    client = machines.start_in_client(
        neph, "infer", small_model, "--images", pictures, "--count", "48", "--architecture", "in-process,remote",
        "--server", f"grpc://{machines.server_address}:8001,http://{machines.server_address}:8000", "--mode", "sync,async",
        "--batch", "1,8", "--repeat", "1", "--json", *QUICK, cwd=tmp_path,
    )
    out, err = client.communicate(timeout=400)  # twelve configurations; two slow, busy cores took over 120 s
    assert client.returncode == 0, err
    cells = json.loads(out)["cells"]
    assert len(cells) == 12
    assert {cell["answers_checksum"] for cell in cells} == {compared["cells"][0]["answers_checksum"]}
    for cell in cells[4:]:
        assert cell["telemetry"]["server.memory_resident"]["mean"] > 20e6
        assert cell["images_per_s"]["value"] < 1.1 * gbit * 1e9 / 8 / BYTES_OF_PICTURE, "what the cable carries"
