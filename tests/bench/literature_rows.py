"""How quickly the literature's way to predict times is learned: here, and with the libraries that it was published with."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from frame import Goal, Row, Unavailable
from programs import REPOSITORY, json_of, program, python

TABLE = REPOSITORY.parent / "shared/data/prediction/profet-aws-training.csv"
MOST, PENALTY = 6, 1  # features that may be chosen, and the ridge's penalty: the same work for both sides


def learned():
    if not TABLE.is_file():
        raise Unavailable(f"no table {TABLE}")
    return json_of(program("lattuada_rate_bench"), TABLE, "batch_latency", MOST, PENALTY, "epoch_latency")


def learned_by_mlxtend():
    """With the same folds; each selects the same features and predicts the same times, or there is no figure."""
    ours = learned()
    with tempfile.TemporaryDirectory() as folder:
        folds = Path(folder) / "folds.json"
        folds.write_text(json.dumps(ours["folds"]))
        one_thread = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # its many tiny fits are faster so
        command = [*map(str, python("lattuada_reference.py", TABLE, MOST, PENALTY, folds))]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=one_thread)
    if done.returncode != 0:
        raise Unavailable(f"lattuada_reference.py ended with exit code {done.returncode}: {done.stderr.strip()[-200:]}")
    theirs = json.loads(done.stdout)
    if sorted(ours["features"]) != sorted(theirs["features"]):
        raise Unavailable("the two selected different features")
    if abs(ours["percent_error"] - theirs["percent_error"]) > 1e-6 * theirs["percent_error"]:
        raise Unavailable("the two predict different times")
    return theirs


def rows():
    return [Row("fit-lattuada", f"forward selection of {MOST} features, AWS table to predictions", "scikit-learn + mlxtend",
                Goal(50), lambda: 1 / learned()["seconds"], lambda: 1 / learned_by_mlxtend()["seconds"], rounds=7)]
