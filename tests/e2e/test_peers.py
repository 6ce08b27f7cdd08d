"""`neph validate --against`: predictors of others, from real packages, beside ours."""

import math
import os
import sys

import pytest
from tables import write_csv

WITH_PACKAGES = os.environ | {"VIRTUAL_ENV": sys.prefix}


@pytest.fixture
def runs(neph):
    write_csv(neph.folder / "runs.csv", [{"batch": batch, "layers": layers, "kind": kind, "t": batch * layers**2 * factor}
                                         for batch in (1, 2, 4, 8, 16) for layers in (4, 8, 12, 16) for kind, factor in (("a", 1), ("b", 3))])  # fmt: skip
    return neph


def test_others_predict_the_same_rows(runs):
    found = runs.json("validate", "runs.csv", "--target", "t", "--folds", "4", "--against", "ridge,gp,forest", env=WITH_PACKAGES)["methods"]
    assert [method["method"] for method in found] == ["auto", "ridge", "gp", "forest"]
    rows = [[(row["split"], row["point"], row["measured"]) for row in method["rows"]] for method in found]
    assert len(rows[0]) == 40 and all(other == rows[0] for other in rows)
    ridge = found[1]["score"]
    assert ridge["mean"] < 0.05 and ridge["coverage"] is None  # a product of powers, which a ridge on logarithms finds
    assert found[3]["score"]["mean"] > ridge["mean"]
    assert "In 90 % interval" in runs("validate", "runs.csv", "--target", "t", "--against", "ridge", env=WITH_PACKAGES).stdout


def test_a_ridge_is_what_scikit_learn_says_by_itself(runs):
    """The same ridge, written here."""
    numpy = pytest.importorskip("numpy")
    from sklearn.linear_model import RidgeCV

    rows = [(batch, layers, kind == "a", t) for batch in (1, 2, 4, 8, 16) for layers in (4, 8, 12, 16)
            for kind, t in (("a", batch * layers**2), ("b", 3 * batch * layers**2))]  # fmt: skip
    columns = numpy.array([[math.log(batch), math.log(layers), is_a, not is_a] for batch, layers, is_a, _ in rows], float)
    train = columns[:, 0] < math.log(16)
    columns[:, :2] = (columns[:, :2] - columns[train, :2].mean(0)) / columns[train, :2].std(0)
    target = numpy.log([t for *_, t in rows])
    expected = numpy.exp(RidgeCV([10.0**k for k in range(-4, 4)]).fit(columns[train], target[train]).predict(columns[~train]))
    found = runs.json("validate", "runs.csv", "--target", "t", "--split", "batch<16 -> batch=16", "--against", "ridge", env=WITH_PACKAGES)
    assert [row["value"] for row in found["methods"][1]["rows"]] == pytest.approx(list(expected), rel=1e-6)


def test_what_is_missing_is_named_with_what_installs_it(runs):
    bare = runs.folder / "bare" / "bin"
    bare.mkdir(parents=True)
    (bare / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    (bare / "python3").chmod(0o755)
    ask = ("validate", "runs.csv", "--target", "t", "--against")
    refused = runs(*ask, "gp", env=os.environ | {"VIRTUAL_ENV": str(bare.parent)}, code=None)
    assert refused.returncode != 0 and f"scikit-learn is not installed (No module named 'sklearn'): {bare}/python3 -m pip install scikit-learn" in refused.stderr
    assert "needs python3" in runs(*ask, "gp", env=os.environ | {"VIRTUAL_ENV": "/nonexistent"}, code=None).stderr
    assert "'lasso' is none of ridge, gp, forest, xgboost, autogluon" in runs(*ask, "ridge,lasso", code=None).stderr
