"""`--fail-on`: what of a measurement's results is an exit code, for CI. A code of its own: 2 and above are errors."""

import json
import os

import pytest
from known import KnownServer

FAILED = 1
LEVELS = ("warning", "invalid", "failed", "nothing")


@pytest.fixture
def server(tmp_path):
    with KnownServer(tmp_path, service=0.01) as known:
        yield known


@pytest.mark.parametrize("level", LEVELS)
def test_a_warning_fails_what_asks_for_warnings(neph, small_model, pictures, level):
    """One run has no interval over repeats: few_repeats."""
    arguments = ("infer", small_model, "--images", pictures, "--repeat", 1, "--fail-on", level, "--json")
    done = neph(*arguments, code=FAILED if level == "warning" else 0)
    (cell,) = json.loads(done.stdout)["cells"]
    assert cell["verdict"] == "doubtful" and cell["runs_failed"] == 0
    assert ("neph: --fail-on warning: of 1 configuration: 1 with warnings" in done.stderr) == (level == "warning")


@pytest.mark.parametrize("level", LEVELS)
def test_an_invalid_verdict_fails_warning_and_invalid(neph, tmp_path, level):
    """None of the requests is answered in time, on however busy a machine: there are no percentiles that could be used."""
    arguments = ("--model", "known", "--clients", 1, "--duration", "300ms", "--warmup", "0s", "--request-timeout", "2ms")
    with KnownServer(tmp_path, service=2) as server:
        done = neph("load", server.http, *arguments, "--fail-on", level, code=FAILED if level in ("warning", "invalid") else 0)
    assert "invalid" in done.stdout
    assert ("of 1 configuration: 1 invalid" in done.stderr) == (level in ("warning", "invalid"))


@pytest.mark.parametrize("level", LEVELS)
def test_a_failed_run_fails_every_level(neph, server, level):
    """From a file too. Of two configurations one is cut off."""
    (neph.folder / "load.toml").write_text(
        f'repeat = 1\ntimeout_s = 2\n[load]\nurl = "{server.http}"\nmodel = "known"\nduration = "100ms"\nwarmup = ["0s", "20s"]\n'
    )
    done = neph("run", "load.toml", "--fail-on", level, code=0 if level == "nothing" else FAILED)
    assert "1 of 2 runs failed" in done.stderr
    assert ("1 with failed runs" in done.stderr) == (level != "nothing")


@pytest.mark.smoke
def test_without_the_option_a_failed_run_is_1_and_all_are_4(neph, server):
    (neph.folder / "load.toml").write_text(
        f'repeat = 1\ntimeout_s = 2\n[load]\nurl = "{server.http}"\nmodel = "known"\nduration = "100ms"\nwarmup = ["0s", "20s"]\n'
    )
    assert "1 with failed runs" in neph("run", "load.toml", "--store", "some.db", code=FAILED).stderr
    arguments = ("load", server.http, "--model", "known", "--duration", "20s", "--timeout-s", 0.5)
    assert "the run failed; the reason: neph show 1" in neph(*arguments, code=4).stderr
    elsewhere = neph(*arguments, "--store", "cmd.db", code=4).stderr
    assert "the reason: neph show 1 --store cmd.db" in elsewhere, "another store than the usual is named"
    assert "the run failed" not in neph(*arguments, "--fail-on", "failed", code=FAILED).stderr
    wrong = neph(*arguments, "--fail-on", "doubtful", code=2).stderr
    assert "--fail-on" in wrong and "warning" in wrong


def on_one_core(neph, *arguments, code):
    core = min(os.sched_getaffinity(0))
    return neph(*arguments, code=code, preexec_fn=lambda: os.sched_setaffinity(0, {core}))


def test_what_cannot_run_is_listed_first_and_left_out(neph):
    """Again with --resume, which makes what is left: a configuration that is left out has no run that failed."""
    words = ("train", "--threads", "1,2", "--repeat", 1, "--json", "--", "true")
    first = on_one_core(neph, *words, code=FAILED)
    line = "threads 2: left out: --threads 2: a run here may use 1 core\n"
    assert first.stderr.startswith(line + "1 configuration x 1 repeat = 1 run\n[1/1] threads 1: "), first.stderr
    one, two = json.loads(first.stdout)["cells"]
    assert (one["runs_ok"], two["runs_ok"], two["runs_failed"]) == (1, 0, 0) and two["failures"][0] in line
    again = on_one_core(neph, *words[:-2], "--resume", *words[-2:], code=FAILED)
    assert again.stderr.startswith(line) and "none is left to run" in again.stderr and "1 configuration left out" in again.stderr
    assert line in on_one_core(neph, *words[:-2], "--dry-run", *words[-2:], code=0).stdout
    on_one_core(neph, *words[:-2], "--fail-on", "nothing", *words[-2:], code=0)


def test_where_none_is_left_nothing_runs(neph):
    said = on_one_core(neph, "train", "--threads", "2,3", "--", "true", code=4).stderr
    assert said.count("left out: --threads") == 2 and said.endswith("neph: none of the 2 configurations can run here\n")
    assert on_one_core(neph, "train", "--threads", 2, "--", "true", code=4).stderr == "neph: --threads 2: a run here may use 1 core\n"
    assert not (neph.folder / "neph.db").exists()


def test_servers_models_and_files_that_are_not_there_are_left_out(neph, server, tmp_path, small_model):
    load = ("--duration", "100ms", "--warmup", "0s", "--repeat", 1, "--json")
    for url, model in ((f"{server.http},http://127.0.0.1:9", "known"), (server.http, "known,other")):
        done = neph("load", url, "--model", model, *load, code=FAILED)
        assert [cell["runs_ok"] for cell in json.loads(done.stdout)["cells"]] == [1, 0] and ": left out: " in done.stderr
    done = neph("infer", f"{small_model},absent.onnx", "--count", 2, "--repeat", 1, "--json", code=FAILED)
    assert [cell["runs_ok"] for cell in json.loads(done.stdout)["cells"]] == [1, 0] and "absent.onnx" in done.stderr
