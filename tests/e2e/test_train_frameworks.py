"""`neph train -- python SCRIPT` on other people's frameworks, used as their documentation does: steps, epochs, phases, with
the hooks and, where they print something, without them. Needs ./dev setup frameworks, or another environment in
$NEPH_FRAMEWORKS."""

import json
import os
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from paths import REPOSITORY

ENVIRONMENT = Path(os.environ.get("NEPH_FRAMEWORKS", REPOSITORY / ".venv-frameworks"))
SCRIPTS = Path(__file__).parent / "frameworks"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (ENVIRONMENT / "bin/python").exists(), reason="no frameworks in .venv-frameworks; ./dev setup frameworks"
    ),
]


@pytest.fixture
def measured(neph, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")

    def measure(script, *options):
        command = (ENVIRONMENT / "bin/python", SCRIPTS / script)
        (cell,) = json.loads(neph("train", "--json", *options, "--", *command).stdout)["cells"]
        return cell["facts"], {name: figure["value"] for name, figure in cell["figures"].items()}

    return measure


@pytest.mark.parametrize(
    ("script", "teller", "steps", "samples", "saves"),
    [
        ("pytorch_loop.py", "hooks in PyTorch", 100, True, True),
        ("keras_fit.py", "hooks in Keras", 90, False, True),
        ("lightning_trainer.py", "hooks in PyTorch", 100, True, True),
        ("transformers_trainer.py", "hooks in PyTorch", 100, True, True),
    ],
)
def test_hooks_know_every_step_and_phase(measured, tmp_path, script, teller, steps, samples, saves):
    facts, figures = measured(script)
    assert facts["steps_told_by"] == teller
    assert facts["steps_measured"] == str(steps)
    assert facts["epochs_learnt"] == "2"
    with sqlite3.connect(tmp_path / "neph.db") as store:
        phases = store.execute("select begin_s, end_s, name from phase order by begin_s").fetchall()
    counts = Counter(name for *_, name in phases)
    assert counts["prepare"] == counts["first_step"] == 1
    assert counts["learn"] >= 2
    assert counts["verify"] >= 2
    assert ("samples_per_s" in figures) == samples
    assert ("save" in counts) == saves
    assert all(before[1] <= after[0] + 1e-6 for before, after in zip(phases, phases[1:])), phases
    assert 0 < figures["step_s"] * (steps - 2) <= figures["training_s"] <= figures["command_s"]


@pytest.mark.timing
@pytest.mark.parametrize("script", ["keras_fit.py", "transformers_trainer.py", "lightning_trainer.py"])
def test_without_hooks_the_output_tells_of_steps(measured, script):
    with_hooks = measured(script)[1]
    facts, figures = measured(script, "--hooks", "off")
    assert "steps_told_by" not in facts
    assert with_hooks["step_s"] / 3 < figures["step_s"] < with_hooks["step_s"] * 3
    assert "train_loss" in figures or script == "lightning_trainer.py"
