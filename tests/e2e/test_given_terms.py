"""`neph fit --term`: what is given as a formula gets its true coefficients, is believed as far as it deserves, or is refused
where it fails."""

import itertools
import random

import pytest
from tables import write_csv


@pytest.fixture
def training_runs(neph):
    """Steps of a made-up pipeline: of two kinds of work the larger rules, some waiting is added, both as often as it is
    filled; 0.5 % of noise."""
    draw = random.Random(3)
    rows = []
    for width, layers, batch, stages in itertools.product((256, 512, 1024), (8, 16, 24), (1, 2, 4, 8, 16, 32, 64), (1, 2, 4)):
        work = ((2e-8 * batch * layers * width**2 / stages) ** 4 + (4e-4 * layers * width / stages) ** 4) ** 0.25
        rows.append({"hidden size": width, "layers": layers, "batch": batch, "stages": stages, "card": "A",
                     "t (ms)": (8 + stages - 1) * (work + 0.05 * layers / stages) * draw.lognormvariate(0, 0.005)})  # fmt: skip
    rows[0]["card"] = "B"
    write_csv(neph.folder / "runs.csv", rows)
    return rows


GIVEN = ("--term", "batch*layers*[hidden size]^2/stages, layers*[hidden size]/stages", "--latency-term", "layers/stages",
         "--latency-term", "1", "--scale", "8+stages-1")  # fmt: skip


def test_terms_that_are_given_get_their_true_coefficients(neph, training_runs):
    shown = neph("fit", "runs.csv", "--target", "t", "--ignore", "card", *GIVEN, "--method", "terms", "--explain").stdout
    lines = {line.split(" x ")[1].split("  ")[0].strip(): line.split() for line in shown.splitlines() if " x " in line}
    assert float(lines['batch*layers*"hidden size"^2/stages'][0]) == pytest.approx(2e-8, rel=0.02)
    assert float(lines['layers*"hidden size"/stages'][0]) == pytest.approx(4e-4, rel=0.02)
    assert float(lines["layers/stages"][0]) == pytest.approx(0.05, rel=0.02)
    assert float(lines["1"][0]) == pytest.approx(0, abs=0.01)
    assert "all times 8+stages-1" in shown and "smooth maximum 4" in shown
    (neph.folder / "ask.csv").write_text("hidden size,layers,batch,stages\n4096,48,64,8\n")
    (row,) = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert row["value"] == pytest.approx(15 * (2e-8 * 64 * 48 * 4096**2 / 8 + 0.05 * 48 / 8), rel=0.03)


def test_terms_are_believed_beside_what_is_found_without_them(neph, training_runs):
    write_csv(neph.folder / "few.csv", [row for row in training_runs if row["hidden size"] < 1024])
    write_csv(neph.folder / "ask.csv", [row for row in training_runs if row["hidden size"] == 1024])
    shown = neph("fit", "few.csv", "--target", "t", "--ignore", "card", *GIVEN, "--explain").stdout
    assert "user terms" in shown
    rows = neph.json("predict", "model.json", "ask.csv")["rows"]
    true = [row["t (ms)"] for row in training_runs if row["hidden size"] == 1024]
    errors = [abs(row["value"] / truth - 1) for row, truth in zip(rows, true)]
    assert sum(errors) / len(errors) < 0.05


BAD_TERMS = {
    ("--term", "batch*layer*2"): "--term: there is no column 'layer' (columns: hidden size, layers, batch, stages, card, t; "
                                 "did you mean 'layers'?)\n  batch*layer*2\n        ^\n",
    ("--latency-term", "2*(batch"): "--latency-term: this bracket is not closed\n  2*(batch\n    ^\n",
    ("--term", "batch*card"): "--term: the column 'card' has text, as 'B': a term is made of numbers\n  batch*card\n        ^\n",
    ("--term", "batch/(stages-1)"): "--term: runs.csv: 'batch/(stages-1)' divides by zero or is no finite number in row 1, where "
                                    "batch = 1, stages = 1",
    ("--term", "batch", "--scale", "stages-2"): "--scale: runs.csv: 'stages-2' is -1, below 0, in row 1, where stages = 1",
    ("--term", "batch", "--scale", "stages-1"): "--scale: runs.csv: 'stages-1' is 0 in row 1",
    ("--scale", "batch"): "--scale: there is no --term",
    ("--term", "t*batch"): "'t (ms)' is the target",
    ("--term", "layers", "--ignore", "layers"): "--ignore: a term is made of 'layers'",
    ("--term", ""): "--term: a number, a column or '(' is missing at the end",
}  # fmt: skip


@pytest.mark.parametrize("options, complaint", BAD_TERMS.items(), ids=range(len(BAD_TERMS)))
def test_a_term_that_is_none_is_refused_where_it_fails(neph, training_runs, options, complaint):
    done = neph("fit", "runs.csv", "--target", "t", *options, code=None)
    assert done.returncode in (2, 3) and complaint in done.stderr
    assert not (neph.folder / "model.json").exists()
