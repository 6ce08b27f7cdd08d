"""`neph infer`: real pictures through a real engine, and everything the results promise."""

import contextlib
import json
import math
import resource
import shutil
from pathlib import Path

import numpy
import onnx.reference
import pytest
from conftest import Neph, Opened
from imagenet import imagenet_tensor
from waiting import wait_for

QUICK = ("--warmup", 1, "--warmup-max-s", 0.3)


def is_estimate(value):
    return set(value) == {"value", "low", "high", "n"} and math.isfinite(value["value"])


@pytest.fixture(scope="module")
def results(tmp_path_factory, small_model, pictures):
    """Four cells, two repeats each: batch x files."""
    neph = Neph(tmp_path_factory.mktemp("infer"))
    document = neph.json(
        "infer", small_model, "--images", pictures, "--count", 64, "--batch", "1,8", "--files", "on,off",
        "--repeat", 2, "--seed", 5, *QUICK,
    )
    return neph, document


def test_every_cell_has_all_that_is_promised(results):
    _, document = results
    assert [cell["factors"] for cell in document["cells"]] == [
        {"batch": 1, "files": "on"}, {"batch": 1, "files": "off"},
        {"batch": 8, "files": "on"}, {"batch": 8, "files": "off"},
    ]
    for cell in document["cells"]:
        assert is_estimate(cell["images_per_s"]) and cell["images_per_s"]["value"] > 0
        assert cell["images_per_s"]["low"] < cell["images_per_s"]["value"] < cell["images_per_s"]["high"]
        assert is_estimate(cell["latency_ms"]["p50"])
        assert cell["latency_ms"]["p999"]["low"] is None, "128 samples cannot carry an interval of p99.9"
        assert {"process_start", "model_load", "model_compile", "first_inference", "warmup", "measure"} <= set(cell["phases"])
        memory = cell["telemetry"]["process.memory_resident"]
        assert memory["minimum"] <= memory["mean"] <= memory["maximum"] and memory["maximum"] > 50e6
        assert cell["verdict"] in ("valid", "doubtful")
        assert isinstance(cell["warnings"], list)
        assert cell["repro"].startswith("neph infer ")


def test_what_cannot_be_read_is_unavailable_and_never_zero(results):
    _, document = results
    for cell in document["cells"]:
        for name, summary in cell["telemetry"].items():
            if summary.get("unavailable"):
                assert summary["mean"] is None, name


def test_answers_agree_across_batches_and_files(results):
    _, document = results
    assert len({cell["answers_checksum"] for cell in document["cells"]}) == 1
    assert all(w["code"] != "answers_differ" for cell in document["cells"] for w in cell["warnings"])


def test_the_repro_line_repeats_a_cell(results):
    import shlex

    neph, document = results
    cell = document["cells"][2]
    again = neph.json(*shlex.split(cell["repro"])[1:], "--repeat", 1)
    assert again["cells"][0]["answers_checksum"] == cell["answers_checksum"]


def test_answers_are_those_of_the_onnx_reference(neph, tmp_path, small_model, pictures):
    """The whole path, picture to class, against Pillow and the ONNX reference evaluator."""
    neph("infer", small_model, "--images", pictures, "--repeat", 1, "--answers", tmp_path / "answers.csv", *QUICK)
    rows = [line.split(",") for line in (tmp_path / "answers.csv").read_text().splitlines()[1:]]
    assert [row[0] for row in rows] == [str(path) for path in sorted(pictures.iterdir())]
    evaluator = onnx.reference.ReferenceEvaluator(str(small_model))
    agreeing = 0
    for row in rows[:8]:
        scores = evaluator.run(None, {"input": imagenet_tensor(row[0], 64)})[0][0]
        order = numpy.argsort(-scores)
        assert scores[int(row[1])] >= scores[order[0]] - 0.05 * numpy.ptp(scores)
        agreeing += int(row[1]) == order[0]
    assert agreeing >= 6


@pytest.mark.parametrize("options", [
    ("--mode", "async"), ("--mode", "async", "--depth", 3), ("--loaders", 0), ("--loaders", 5), ("--prepared", "on"),
    ("--cache", "cold"), ("--threads", 1, "--streams", 1), ("--precision", "auto"), ("--batch", 7), ("--count", 50),
], ids=lambda options: "".join(map(str, options)).replace("--", " ").strip())
def test_every_factor_does_its_work(neph, monkeypatch, tmp_path, small_model, pictures, options):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    document = neph.json("infer", small_model, "--images", pictures, "--repeat", 1, *QUICK, *options)
    (cell,) = document["cells"]
    assert cell["images_per_s"]["value"] > 0
    assert cell["figures"]["pictures_failed"]["value"] == 0


def test_without_a_home_folder_the_way_out_is_said(neph, monkeypatch, pictures):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/proc/nobody")  # where root can make no folder either
    said = neph("infer", "mnist", "--images", pictures, *QUICK, code=None)
    assert said.returncode != 0 and "set XDG_CACHE_HOME to a folder that can be written" in said.stderr
    assert not (neph.folder / "neph.db").exists()
    monkeypatch.setenv("XDG_CACHE_HOME", str(neph.folder / "cache"))
    neph("infer", "mnist", "--images", pictures, "--repeat", 1, *QUICK)


def test_a_full_disk_leaves_no_store_without_anything_in_it(neph, small_model, pictures):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))  # noqa: E731
    said = neph("infer", small_model, "--images", pictures, "--repeat", 1, *QUICK, code=6, preexec_fn=limit)
    assert "neph.db" in said.stderr and list(neph.folder.iterdir()) == []


def test_a_network_needs_no_file(neph, pictures):
    document = neph.json("infer", "mnist", "--images", pictures, "--repeat", 1, *QUICK)
    assert document["cells"][0]["images_per_s"]["value"] > 0


def loads_pictures(pid):
    """Whether a worker of this process has begun to read: its loader's threads are there."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    with contextlib.suppress(OSError):  # that which prepares the runs ends meanwhile
        names = [name for child in children for name in Path(f"/proc/{child}/task").glob("*/comm")]
        return any(name.read_text().startswith("loader") for name in names)
    return False


def test_a_picture_that_vanishes_is_a_failed_picture_and_no_failed_run(neph, tmp_path, small_model, pictures):
    """The set is scanned when the run begins; a file is taken away once it is read."""
    folder = tmp_path / "photos"
    shutil.copytree(pictures, folder)
    running = neph.start("infer", small_model, "--images", folder, "--count", 2000, "--repeat", 1, "--json", *QUICK)
    wait_for(lambda: loads_pictures(running.pid), limit_s=300)
    (folder / "05.jpg").unlink()
    out, err = running.communicate(timeout=600)  # a sanitizer takes ten times as long
    assert running.returncode == 0, err
    (cell,) = json.loads(out)["cells"]
    assert cell["figures"]["pictures_failed"]["value"] > 0
    assert any(w["code"] == "pictures_failed" and "05.jpg" in w["message"] for w in cell["warnings"])


def test_the_terminal_says_it_in_words_and_each_cause_once(neph, small_model, pictures):
    shown = neph("infer", small_model, "--images", pictures, "--batch", "1,2,4", "--repeat", 1)
    said = json.loads(neph("export", "--format", "json").stdout)["findings"][0]
    assert said[:60] in shown.stdout and said[:60] not in shown.stderr
    causes = [line for line in shown.stdout.splitlines() if line.startswith("! few repeats")]
    assert causes == ["! few repeats: images/s rests on 1 run: no interval, all 3 configurations; --repeat 5 or more"]
    assert neph("show", "1").stdout == shown.stdout + "\ncell  configuration\n   0  batch 1\n   1  batch 2\n   2  batch 4\n"
    repeated = neph("infer", small_model, "--images", pictures, "--batch", "1,2,4", "--repeat", 3)
    assert neph("show", "2").stdout.startswith(repeated.stdout)


@pytest.mark.smoke
def test_the_same_from_a_file(neph, tmp_path, small_model, pictures):
    (tmp_path / "experiment.toml").write_text(
        f'repeat = 1\nseed = 3\n[infer]\nmodel = "{small_model}"\nimages = "{pictures}"\nbatch = [1, 4]\n'
        "warmup = 1\nwarmup_max_s = 0.3\n"
    )
    document = neph.json("run", "experiment.toml")
    assert [cell["factors"] for cell in document["cells"]] == [{"batch": 1}, {"batch": 4}]


def test_dry_run_tries_a_client_that_only_asks(neph, small_model, pictures):
    done = neph("infer", small_model, "--images", pictures, "--architecture", "local", "--client", "application,independent",
                "--protocol", "http", "--dry-run")  # fmt: skip
    assert "2 configurations" in done.stdout + done.stderr


@pytest.mark.smoke
def test_dry_run_estimates_and_stores_nothing(neph, tmp_path, small_model, pictures):
    done = neph("infer", small_model, "--images", pictures, "--batch", "1,4", "--dry-run")
    assert "10 runs, about" in done.stdout
    assert not (tmp_path / "neph.db").exists()


@pytest.mark.smoke
def test_the_store_gives_back_what_was_measured(results):
    neph, document = results
    exported = json.loads(neph("export", "1", "--format", "json").stdout)
    assert exported["cells"] == document["cells"]
    csv = neph("export", "1", "--format", "csv").stdout.splitlines()
    assert len(csv) == 5 and "images_per_s" in csv[0]
    assert "| " in neph("export", "--format", "markdown").stdout
    assert "8 of 8" in neph("runs").stdout
    assert neph("runs", "1").stdout.count("images/s") == 8
    assert "model_compile" in neph("show", "1", "--run", "1").stdout
    page = neph("report", "1").stdout.strip()
    assert "</html>" in (neph.folder / page).read_text()


@pytest.mark.browser
def test_the_report_of_real_runs_in_a_real_browser(results, chromium):
    neph, _ = results
    with Opened(chromium, neph.folder / neph("report", "1", "--out", "page.html").stdout.strip()) as opened:
        assert opened.page.evaluate("document.documentElement.dataset.charts") == "drawn"
        assert opened.page.evaluate("document.querySelectorAll('figure svg .role-mark').length") > 10
        assert opened.complaints == [] and opened.requests == [opened.page.url]
        text = opened.page.inner_text("body")
        for words in ["batch 8, files on", "images per second", "neph infer", "engine", "loaders"]:
            assert words in text, words


def test_a_latency_limit_is_a_condition_of_the_answer_and_of_no_run(neph, small_model, pictures):
    asked = ("infer", small_model, "--images", pictures, "--count", 64, "--batch", "1,8", "--repeat", 2, "--seed", 5, *QUICK)
    document = neph.json(*asked, "--latency-limit", "1us")
    assert document["findings"][0].startswith("None of 2 configurations is shown to keep its p95 latency within 1.00 µs; the nearest is batch ")
    assert document["experiment"]["latency_limit_s"] == 1e-6
    assert document["experiment"]["command"].endswith("--repeat 2 --seed 5 --latency-limit 1us")
    assert not any("latency_limit" in cell["spec"] or "latency-limit" in cell["repro"] for cell in document["cells"])

    asked_again = json.loads(neph("export", "--format", "json", "--latency-limit", "1h").stdout)
    assert any("keeps its p95 latency within 1 h 0 min" in said for said in asked_again["findings"])
    resumed = neph.json(*asked, "--resume")
    assert resumed["experiment"]["id"] == document["experiment"]["id"], "the limit makes no other experiment"
    assert resumed["experiment"]["latency_limit_s"] == 0 and not resumed["findings"][0].startswith("None of")


def test_a_percentile_of_too_few_batches_is_not_shown_as_a_number(neph, small_model, pictures):
    table = neph("infer", small_model, "--images", pictures, "--count", 8, "--batch", 2, "--repeat", 1, *QUICK).stdout
    assert "too few (needs 6)" in table and "too few (needs 299)" in table
    value = json.loads(neph("export", "--format", "json").stdout)["cells"][0]["latency_ms"]["p99"]
    assert value["value"] > 0 and value["low"] is None and value["high"] is None and value["n"] == 4
    page = neph.folder / "neph-report.html"
    neph("report", "--out", page)
    assert "too few (needs 2,995)" in page.read_text()
