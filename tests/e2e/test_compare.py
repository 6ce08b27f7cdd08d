"""`neph compare`, `ab` and `history`: verdicts and exit codes of real measurements, and of files of others."""

import contextlib
import json
import math
import shutil
import time
import xml.etree.ElementTree
from pathlib import Path

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


def hyperfine(neph, name, times, exit_codes):
    result = {"command": "./app", "mean": sum(times) / len(times), "times": times, "exit_codes": exit_codes}
    (neph.folder / name).write_text(json.dumps({"results": [result]}))
    return name


def in_one_line(text):
    return " ".join(text.split())


def test_a_program_that_fails_is_not_comparable_in_any_format(neph):
    """It ends at once, which is not "99 % shorter"."""
    good = hyperfine(neph, "good.json", [1.0, 1.01, 0.99, 1.0, 1.02], [0] * 5)
    bad = hyperfine(neph, "bad.json", [0.01, 0.011, 0.01, 0.012, 0.01], [0, 1, None, 1, 1])
    said = in_one_line(neph("compare", good, bad, "--html", "page.html", code=NOT_COMPARABLE).stdout)
    assert said.startswith("not comparable: failures: candidate: ./app: 4 of 5 runs failed (a signal, exit code 1)"), said
    assert "--accept failures" in said and "idle" not in said and "baseline" not in said
    assert "4 of 5 runs failed" in (neph.folder / "page.html").read_text()
    assert "4 of 5 runs failed" in neph("compare", good, bad, "--format", "markdown", code=NOT_COMPARABLE).stdout
    comparison = json.loads(neph("compare", good, bad, "--format", "json", code=NOT_COMPARABLE).stdout)
    assert comparison["rows"] == [] and [each["what"] for each in comparison["confounds"] if each["refuses"]] == ["failures"]
    suite = xml.etree.ElementTree.fromstring(neph("compare", good, bad, "--format", "junit", code=NOT_COMPARABLE).stdout)
    assert suite.find(".//error").get("type") == "failures" and suite.find(".//failure") is None
    neph("compare", bad, bad, code=NOT_COMPARABLE)
    assert neph("compare", good, bad, "--accept", "failures").stdout.startswith("better")
    assert "not worse" in neph("compare", good, good).stdout


def test_a_benchmark_with_an_error_is_not_comparable(neph):
    def benchmarks(name, **second):
        time = {"real_time": 5, "cpu_time": 5, "time_unit": "ms"}
        rows = [{"run_name": "a", "run_type": "iteration", "repetition_index": i, **time} for i in range(3)]
        (neph.folder / name).write_text(json.dumps({"benchmarks": [*rows, {"run_name": "b", "run_type": "iteration", **time, **second}]}))
        return name

    good, bad = benchmarks("good.json"), benchmarks("bad.json", error_occurred=True, error_message="no such file")
    said = in_one_line(neph("compare", good, bad, code=NOT_COMPARABLE).stdout)
    assert "candidate: b: failed: no such file" in said and " a:" not in said
    assert "--accept failures" in in_one_line(neph("compare", bad, bad, code=NOT_COMPARABLE).stdout)
    skipped = benchmarks("skipped.json", skipped=True, skip_message="no GPU")
    assert "skipped: no GPU" in in_one_line(neph("compare", skipped, skipped, code=None).stdout)


def test_a_time_of_zero_has_no_ratio(neph):
    short = hyperfine(neph, "short.json", [0.0, 0.0004, 0.0], [0] * 3)
    none = hyperfine(neph, "none.json", [0.0, 0.0, 0.0], [0] * 3)
    for one, other in ((short, none), (none, none), (none, short)):
        said = in_one_line(neph("compare", one, other, code=UNDECIDED).stdout)
        assert "values of time_s of the candidate are 0" in said and "hyperfine -N" in said, said


def test_equivalent_is_shown_with_the_interval_that_decides(neph):
    """Of a 95 % interval that reaches beyond the threshold the 90 % one lies within."""
    one = hyperfine(neph, "one.json", [1.0, 1.03, 0.97, 1.01, 0.99], [0] * 5)
    other = hyperfine(neph, "other.json", [1.005, 1.032, 0.976, 1.012, 0.995], [0] * 5)
    (row,) = json.loads(neph("compare", one, other, "--format", "json", "--threshold", "3.4%").stdout)["rows"]
    assert row["outcome"] == "equivalent"
    assert row["ratio_90"]["high"] < 1.034 < row["ratio"]["high"]
    assert "(90 % CI" in in_one_line(neph("compare", one, other, "--threshold", "3.4%").stdout)


def test_a_metric_that_is_none_is_refused_before_anything_runs(neph):
    said = ab(neph, "touch ran", "touch ran", "--metric", "nope", code=2).stderr
    assert "nope" in said and "speed" in said and not (neph.folder / "ran").exists()
    said = ab(neph, "echo x >> ran", "echo x >> ran", "--metric", "p99", code=2).stderr
    assert "no metric 'p99'" in said and "time_s" in said
    assert len((neph.folder / "ran").read_text().split()) == 2, "the warm-up has shown what there is"


def commands_with(text):
    """The command lines of processes whose environment has the text in it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if text.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


def wait_for(condition, limit_s):
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def test_a_measurement_ends_with_an_ab_that_is_killed(neph, state):
    side = f"{NEPH} infer {known(neph, 'slow', 50)} --engine identity --count 100000"
    ab = neph.start("ab", "--base", side, "--new", side)
    assert wait_for(lambda: any(" worker" in line for line in commands_with(str(state))), 30), (
        ab.poll(), commands_with(str(state)), ab.poll() is not None and ab.communicate())
    ab.kill()
    ab.wait()
    assert wait_for(lambda: not commands_with(str(state)), 10), commands_with(str(state))


def test_a_large_effect_is_found_in_about_five_pairs(neph):
    done = ab(neph, "sleep 0.2", "sleep 1", "--format", "json", code=WORSE)  # beside which starting a process is short
    comparison = json.loads(done.stdout)
    ratio = comparison["rows"][0]["ratio"]
    assert comparison["pairs"] <= 12 and ratio["high"] / ratio["low"] < 4, comparison


def test_history_gives_the_values_that_infer_gave(neph):
    cell = json.loads((neph.folder / measured(neph, known(neph, "m", 5), file="m.json", repeats=3)).read_text())["cells"][0]
    shown = {"speed": cell["figures"]["samples_per_s"], "p50": cell["latency_ms"]["p50"]}
    for metric, estimate in shown.items():
        ((point,),) = (line["points"] for line in neph.json("history", metric)["lines"])
        assert point["value"] == estimate, metric
    refused = neph("history", "nope", code=2).stderr
    assert "no metric 'nope'" in refused and "samples_per_s" in refused and "side" not in refused


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
