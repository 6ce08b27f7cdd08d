"""`neph infer` against the servers of others: the same pictures have the same answers, whoever gives them, and however
they are asked."""

import itertools
from dataclasses import dataclass

import numpy
import pytest
from conftest import Neph
from imagenet import imagenet_tensor

SERVERS = ("triton", "mlserver")
QUICK = ("--warmup", 1, "--warmup-max-s", 0.1)
COUNT = 16


@dataclass(frozen=True)
class Asked:
    """What a server was asked, and what came of it."""

    urls: list
    cells: list
    rows: list  # of the file of answers, by picture: picture, class, score, next class, its score, ...


def ask(served, folder, pictures):
    urls = [f"http://{served.http}", f"grpc://{served.grpc}"]
    document = Neph(folder).json(
        "infer", "--server", ",".join(urls), "--metrics", f"http://{served.metrics}", "--model", "stripes", "--images",
        pictures, "--mode", "sync,async", "--batch", "1,4", "--count", COUNT, "--repeat", 1, "--answers", "answers.csv",
        *QUICK,
    )
    rows = sorted(line.split(",") for line in (folder / "answers.csv").read_text().splitlines()[1:])
    return Asked(urls, document["cells"], rows)


@pytest.fixture(scope="module")
def asked(request, tmp_path_factory, pictures):
    """`asked("triton")`: that server has been asked, in eight cells."""
    known = {}

    def of(server):
        if server not in known:
            served = request.getfixturevalue(server)
            known[server] = ask(served, tmp_path_factory.mktemp("infer"), pictures)
        return known[server]

    return of


@pytest.mark.parametrize("server", SERVERS)
def test_every_cell_ends_well(asked, server):
    expected = itertools.product(asked(server).urls, (1, 4), ("sync", "async"))
    cells = asked(server).cells
    assert [cell["factors"] for cell in cells] == [{"server": url, "batch": b, "mode": m} for url, b, m in expected]
    for cell in cells:
        assert (cell["runs_ok"], cell["runs_failed"], cell["failures"]) == (1, 0, [])
        assert cell["verdict"] in ("valid", "doubtful")
        assert cell["figures"]["pictures_failed"]["value"] == 0
        assert cell["images_per_s"]["value"] > 0


def test_all_cells_of_both_servers_give_the_same_answers(asked):
    cells = [cell for server in SERVERS for cell in asked(server).cells]
    assert len(cells) == 16
    assert len({cell["answers_checksum"] for cell in cells}) == 1


@pytest.mark.parametrize("server", SERVERS)
def test_answers_are_those_of_numpy(asked, pictures, server):
    """The whole path, picture to scores, against Pillow and numpy."""
    rows = asked(server).rows
    assert [row[0] for row in rows] == [str(path) for path in sorted(pictures.iterdir())[:COUNT]]
    assert len({row[1] for row in rows}) >= 5, "the same answer for all would show nothing"
    for row in rows:
        brightness = imagenet_tensor(row[0], 64)[..., :60].reshape(3 * 64, 10, 6).mean(axis=(0, 2))
        classes, scores = numpy.int64(row[1::2]), numpy.float64(row[2::2])
        assert classes[0] == brightness.argmax()
        numpy.testing.assert_allclose(scores, brightness[classes], atol=0.005)
        numpy.testing.assert_allclose(scores, numpy.sort(brightness)[:-6:-1], atol=0.005)


def test_a_server_that_does_not_tell_what_it_uses_is_unavailable_and_not_zero(asked):
    """Triton's page of figures has none of a process."""
    for cell in asked("triton").cells:
        for quantity in ("server.cpu", "server.memory_resident", "server_machine.cpu_idle"):
            summary = cell["telemetry"][quantity]
            assert summary["mean"] is None and "does not tell" in summary["unavailable"], quantity


def test_what_a_server_tells_of_itself_is_measured(asked):
    """MLServer's page has its process, and nothing of the machine; its port of figures has no other page."""
    for cell in asked("mlserver").cells:
        assert (cell["telemetry"]["server.memory_resident"]["mean"] or 0) > 20e6
        summary = cell["telemetry"]["server_machine.cpu_idle"]
        assert summary["mean"] is None and "does not tell" in summary["unavailable"]


@pytest.mark.parametrize("protocol", ["http", "grpc"])
@pytest.mark.parametrize("options, code, words", [
    (("--model", "nobody"), 3, ["'nobody' is not found"]),
    (("--model", "identity"), 8, ["input 'x' is f32 [1, 16]; images need", "leave --images out"]),
    (("--model", "stripes", "--payload", "jpeg"), 8, ["input 'picture' is FP32", "send tensors"]),
], ids=["no model", "no pictures", "no files"])
def test_what_cannot_be_is_said_before_anything_runs(neph, triton, pictures, protocol, options, code, words):
    url = f"{protocol}://{getattr(triton, protocol)}"
    done = neph("infer", "--server", url, *options, "--images", pictures, "--repeat", 1, *QUICK, code=code)
    for word in words:
        assert word in done.stderr
    assert not (neph.folder / "neph.db").exists()


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_batch_that_is_too_large_is_said(neph, triton, pictures, protocol):
    """Before anything runs."""
    asked = ("--model", "stripes", "--batch", 16, "--images", pictures, "--repeat", 1, *QUICK)
    done = neph("infer", "--server", f"{protocol}://{getattr(triton, protocol)}", *asked, code=2)
    assert "takes up to 8 a request (its max_batch_size)" in done.stderr and not (neph.folder / "neph.db").exists()
