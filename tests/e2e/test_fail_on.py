"""`--fail-on`: what of a measurement's results is an exit code, for CI. A code of its own: 2 and above are errors."""

import json

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
    """From a file too. Of two configurations one is cut off: without the option that is no failure of the command."""
    (neph.folder / "load.toml").write_text(
        f'repeat = 1\ntimeout_s = 2\n[load]\nurl = "{server.http}"\nmodel = "known"\nduration = "100ms"\nwarmup = ["0s", "20s"]\n'
    )
    done = neph("run", "load.toml", "--fail-on", level, code=0 if level == "nothing" else FAILED)
    assert "1 of 2 runs failed" in done.stderr
    assert ("1 with failed runs" in done.stderr) == (level != "nothing")


@pytest.mark.smoke
def test_without_the_option_the_codes_are_as_before(neph, server):
    arguments = ("load", server.http, "--model", "known", "--duration", "20s", "--timeout-s", 0.5)
    assert "the run failed; the reason: neph show 1" in neph(*arguments, code=4).stderr
    elsewhere = neph(*arguments, "--store", "cmd.db", code=4).stderr
    assert "the reason: neph show 1 --store cmd.db" in elsewhere, "another store than the usual is named"
    assert "the run failed" not in neph(*arguments, "--fail-on", "failed", code=FAILED).stderr
    wrong = neph(*arguments, "--fail-on", "doubtful", code=2).stderr
    assert "--fail-on" in wrong and "warning" in wrong
