"""`neph compare`, `ab` and `history`: verdicts and exit codes of real measurements, and of files of others."""

import json
import math
import shutil
import time
import xml.etree.ElementTree

import pytest
from conftest import Neph
from paths import BUILD, REPOSITORY

WORSE, UNDECIDED, NOT_COMPARABLE = 1, 10, 11
NEPH = BUILD / "bin/neph"
INPUT = '[[inputs]]\nname = "x"\nelement = "f32"\nshape = [-1, 16]\n[[outputs]]\nname = "y"\n'


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """Noise that one test keeps is not heeded by another, nor by whoever runs them."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def known(neph, name, service_ms):
    """A model of which an inference takes that long."""
    (neph.folder / f"{name}.identity").write_text(f"service_ms = {service_ms}\n{INPUT}")
    return f"{name}.identity"


def measured(neph, model, *options, file, repeats=4):
    quick = ("--count", 20, "--warmup", 1, "--warmup-max-s", 0.1, "--repeat", repeats, "--telemetry-hz", 10)
    (neph.folder / file).write_text(neph("infer", model, "--engine", "identity", *quick, *options, "--json").stdout)
    return file


@pytest.fixture(scope="module")
def measured_days(tmp_path_factory):
    """A folder with results of a model that took 10 ms yesterday, and takes 40 ms today: no busy machine hides that."""
    neph = Neph(tmp_path_factory.mktemp("days"))
    model = known(neph, "m", 10)
    measured(neph, model, file="yesterday.json")
    known(neph, "m", 40)
    measured(neph, model, file="today.json")
    return neph.folder


@pytest.fixture
def days(neph, measured_days):
    """A copy of them in the test's folder."""
    shutil.copytree(measured_days, neph.folder, dirs_exist_ok=True)
    return "yesterday.json", "today.json"


@pytest.mark.smoke
def test_a_slowdown_is_worse(neph, days):
    said = neph("compare", *days, "--accept", "model", code=WORSE).stdout
    assert said.startswith("worse"), said
    assert "model" in said, "another model is told, also where it is meant"
    back = neph("compare", *reversed(days), "--accept", "model")
    assert back.stdout.startswith("better") or "better" in back.stdout.splitlines()[0], back.stdout


def test_another_model_is_not_compared_unless_that_is_meant(neph, days):
    refused = neph("compare", *days, code=NOT_COMPARABLE).stdout
    assert "model" in refused and "--accept model" in refused


def test_a_thing_is_equivalent_to_itself(neph, days):
    yesterday, _ = days
    neph("compare", yesterday, yesterday, "--threshold", "5%")


def test_every_format_says_the_same(neph, days):
    given = ("compare", *days, "--accept", "model", "--html", "page.html")
    comparison = json.loads(neph(*given, "--format", "json", code=WORSE).stdout)
    (row,) = comparison["rows"]
    assert row["outcome"] == "worse" and row["metric"] == "samples_per_s"
    assert row["ratio"]["low"] < 10 / 40 * 1.3 and row["ratio"]["high"] > 10 / 40 * 0.7
    assert "| " in neph(*given, "--format", "markdown", code=WORSE).stdout
    suite = xml.etree.ElementTree.fromstring(neph(*given, "--format", "junit", code=WORSE).stdout)
    assert suite.find(".//failure") is not None
    assert "worse" in (neph.folder / "page.html").read_text()
    neph(*given, "--format", "markdown", "--out", "comment.md", code=WORSE)
    assert "worse" in (neph.folder / "comment.md").read_text().lower()


@pytest.mark.parametrize("file", sorted(REPOSITORY.glob("tests/golden/report/comparison*.xml")), ids=lambda file: file.stem)
def test_reports_of_any_names_are_xml_that_counts_itself(file):
    """What report_test holds the program to, read by another's parser."""
    suite = xml.etree.ElementTree.parse(file).getroot().find("testsuite")
    assert int(suite.get("tests")) == len(suite.findall("testcase")) > 0
    for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        found = suite.findall(f"testcase/{element}")
        assert int(suite.get(attribute)) == len(found)
        assert all(each.get("message") == each.text for each in found)
    cases = [(case.get("classname"), case.get("name")) for case in suite.findall("testcase")]
    assert len(set(cases)) == len(cases), "forges tell tests apart by these"


def test_experiments_of_a_store_and_their_csv(neph, days):
    """The first two of the folder's store; a table of one has its means only."""
    by_number = neph("compare", 1, 2, "--accept", "model", code=WORSE)
    assert "experiment 1 of neph.db" in neph("compare", 1, 2, "--format", "json", code=NOT_COMPARABLE).stdout
    assert by_number.stdout.splitlines()[0].startswith("worse")
    neph("compare", "neph.db:1", "neph.db:2", "--accept", "model", code=WORSE)
    neph("compare", "neph.db:1", "neph.db", "--accept", "model", code=WORSE)
    neph("export", 1, "--out", "one.csv")
    neph("export", 2, "--out", "two.csv")
    neph("compare", "one.csv", "two.csv", code=WORSE)


def test_two_configurations_of_one_experiment_are_pairs(neph):
    model = known(neph, "m", 5)
    measured(neph, model, "--batch", "1,8", file="both.json")
    sides = ("--baseline-where", "batch=1", "--candidate-where", "batch=8")
    (row,) = json.loads(neph("compare", 1, 1, *sides, "--format", "json").stdout)["rows"]
    assert row["is_paired"] and row["outcome"] == "better" and row["ratio"]["n"] == 4
    assert "batch" in neph("compare", 1, 1, "--baseline-where", "batch=3", code=2).stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("gone.json", "yesterday.json"), "gone.json"),
        (("yesterday.json", "yesterday.json", "--metric", "p98"), "samples_per_s"),
        (("yesterday.json", "yesterday.json", "--threshold", "0"), "--threshold"),
        (("yesterday.json", "yesterday.json", "--accept", "machin"), "machine"),
        (("yesterday.json", "m.identity"), "m.identity"),
        (("yesterday.json", "99"), "99"),
        (("yesterday.json,yesterday.json", "today.json"), "named twice"),
        (("yesterday.json", "yesterday.json", "--out", "nowhere/x.md"), "nowhere"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_line(neph, days, arguments, message):
    said = neph("compare", *arguments, code=None)
    assert said.returncode in (2, 3, 7, 8), said
    assert message in said.stderr and len(said.stderr.strip().splitlines()) == 1, said.stderr


def ab(neph, one, other, *options, **how):
    return neph("ab", "--base", one, "--new", other, *options, **how)


def infer(model):
    return f"{NEPH} infer {model} --engine identity --count 10 --warmup 1 --warmup-max-s 0.05 --telemetry-hz 5"


def test_pairs_find_a_slowdown_and_end(neph):
    """A sleeping engine: what others do to this machine moves both sides of a pair."""
    slow, slower = known(neph, "slow", 10), known(neph, "slower", 40)
    done = ab(neph, infer(slow), infer(slower), "--accept", "model", "--format", "json", code=WORSE)
    comparison = json.loads(done.stdout)
    (row,) = comparison["rows"]
    assert row["outcome"] == "worse" and row["is_paired"] and comparison["pairs"] < 40
    assert len(row["baseline_runs"]) == comparison["pairs"]
    assert not (neph.folder / "neph.db").exists(), "the runs of pairs are kept apart"


def test_pairs_of_any_command(neph):
    """Measured by their time; what fails is said with its last words."""
    done = ab(neph, "sleep 0.02", "sleep 0.2", "--metric", "speed", "--format", "json", code=WORSE)
    (row,) = json.loads(done.stdout)["rows"]
    assert row["metric"] == "time_s" and 1.5 < row["ratio"]["value"] < 12
    failed = ab(neph, "true", "echo 'no such model' >&2; exit 3", code=4)
    assert "no such model" in failed.stderr and "exit code 3" in failed.stderr


def test_pairs_keep_to_their_budget(neph):
    begin = time.monotonic()
    done = ab(neph, "sleep 0.1", "sleep 0.1", "--threshold", "0.01%", "--budget", "2s", "--format", "json", code=UNDECIDED)
    assert time.monotonic() - begin < 6
    assert json.loads(done.stdout)["pairs"] >= 2


def test_a_thing_and_itself_are_the_machines_noise(neph, state):
    for _ in range(2):
        ab(neph, "sleep 0.01", "sleep 0.01", "--pairs", 5, "--warmup", 0, code=None)
    lines = (state / "neph/noise.jsonl").read_text().splitlines()
    assert len(lines) == 2 and json.loads(lines[0])["metric"] == "time_s"


@pytest.mark.skipif(not shutil.which("hyperfine"), reason="hyperfine is not installed")
def test_results_of_hyperfine(neph):
    import subprocess

    for name, length in (("one", 0.02), ("two", 0.2)):
        subprocess.run(["hyperfine", "-N", f"sleep {length}", "--runs", "8", "--export-json", f"{name}.json"],
                       cwd=neph.folder, check=True, capture_output=True)
    assert "worse" in neph("compare", "one.json", "two.json", code=WORSE).stdout


def test_history_finds_when_it_changed(neph):
    """Twelve experiments, the last five of a slower model of the same name."""
    for i in range(12):
        measured(neph, known(neph, "m", 5 if i < 7 else 25), file="last.json", repeats=2)
    history = neph.json("history", "speed")
    (line,) = history["lines"]
    assert len(line["points"]) == 12
    *small, change = sorted(line["changes"], key=lambda each: abs(math.log(each["ratio"])))
    assert change["point"] == 7 and change["ratio"] == pytest.approx(5 / 25, rel=0.4)
    assert all(abs(math.log(each["ratio"])) < 0.3 for each in small), "a busy machine changes its speed by little"
    neph("history", "--html", "history.html")
    assert "samples" in (neph.folder / "history.html").read_text()
