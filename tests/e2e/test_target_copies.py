"""`neph fit` and `neph validate`: what was measured with the target is no feature, what it is proportional to is one."""

import random
import re

import pytest
from paths import REPOSITORY
from tables import known_runs, write_csv


@pytest.fixture(scope="module")
def known_rows():
    return known_runs()


def copies_of(rows):
    """What a program writes beside a time."""
    draw = random.Random(2)
    for row in rows:
        step = row["step (ms)"]
        yield row | {"s": f"{step / 1000:.6f}", "steps_per_s": f"{1000 / step:.2f}", "best": f"{step * draw.uniform(0.96, 0.98):.3f}"}


def test_what_was_measured_with_the_target_is_no_feature(neph, known_rows):
    write_csv(neph.folder / "runs.csv", list(copies_of([row for row in known_rows if row["run"] == "a"])))
    said = neph("fit", "runs.csv", "--target", "step", "--ignore", "run", "--explain").stdout
    for name in ("s", "steps_per_s", "best"):
        assert re.search(rf"^{name} +excluded \(known only after the run\) ", said, re.M) and f"'{name}' is " in said
    assert said.count("it was measured with it and is no feature; --use makes it one") == 3
    notes = neph.json("validate", "runs.csv", "--target", "step", "--ignore", "run")["notes"]
    assert [note.split()[0] for note in notes] == ["'s'", "'steps_per_s'", "'best'"]
    assert "'best' is within" in neph("validate", "runs.csv", "--target", "step", "--ignore", "run").stdout
    used = neph("fit", "runs.csv", "--target", "step", "--ignore", "run", "--use", "best", "--force", "--explain").stdout
    assert re.search(r"^best +feature, number ", used, re.M)


def test_a_count_that_a_time_is_proportional_to_is_a_feature(neph):
    draw = random.Random(3)
    counts = [draw.randint(100, 10_000) for _ in range(50)]
    write_csv(neph.folder / "runs.csv", [{"count": count, "t": 0.02 * count * draw.lognormvariate(0, 0.005)} for count in counts])
    said = neph("fit", "runs.csv", "--target", "t", "--explain").stdout
    assert re.search(r"^count +feature, number ", said, re.M) and "no feature" not in said


CASES = REPOSITORY.parent / "shared/cases"


def test_a_row_number_is_no_feature_and_errors_are_as_without_it(neph):
    told = "'Unnamed: 0' counts the rows and is no feature; --use makes it one"
    said = neph("fit", CASES / "run_number_fit.csv", "--target", "time_ms", "--explain").stdout
    assert told in said and re.search(r"^Unnamed: 0 +excluded \(tells runs apart\) ", said, re.M)
    (neph.folder / "ask.csv").write_text("model,batch,gpu\nresnet50,12,V100\n")
    (row,) = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert row["low"] < row["value"] < row["high"]
    assert told in neph.json("validate", CASES / "run_number_fit.csv", "--target", "time_ms")["notes"]
    rows = [line.split(",", 1)[1] for line in (CASES / "run_number_fit.csv").read_text().splitlines()]
    (neph.folder / "without.csv").write_text("\n".join(rows) + "\n")
    without = neph("fit", "without.csv", "--target", "time_ms", "--out", "without.json").stdout
    assert without.split(" points\n")[1].split("without.json")[0] in said.replace("\nParts", ""), "the same errors are expected"
    used = neph("fit", CASES / "run_number_fit.csv", "--target", "time_ms", "--use", "Unnamed: 0", "--force", "--explain").stdout
    assert re.search(r"^Unnamed: 0 +feature, number ", used, re.M)


def test_a_trial_of_noisy_runs_is_no_feature(neph):
    draw = random.Random(4)
    rows = [{"attempt": attempt, "batch": batch, "host": f"n{draw.getrandbits(24):06x}", "t": batch * draw.lognormvariate(0, 0.15)}
            for batch in (1, 2, 4, 8, 16) for attempt in (1, 2, 3)]  # fmt: skip
    write_csv(neph.folder / "runs.csv", rows)
    said = neph("fit", "runs.csv", "--target", "t").stdout
    assert "15 rows, 5 different points" in said and "'attempt' counts the repeats of each configuration" in said
    assert "'host' is another text in nearly every row and is no feature" in said


@pytest.mark.parametrize("table", ["vtrain-single.csv", "vtrain-multi.csv"])
def test_public_tables_have_no_run_numbers(neph, table):
    said = neph("fit", REPOSITORY.parent / "shared/data/prediction" / table, "--target", "iteration time", "--method", "log-linear").stdout
    assert "is no feature" not in said
