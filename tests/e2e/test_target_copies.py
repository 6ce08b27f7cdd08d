"""`neph fit` and `neph validate`: what was measured with the target is no feature, what it is proportional to is one."""

import random
import re

import pytest
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
