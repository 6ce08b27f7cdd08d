"""`neph train --framework`: scripts for PyTorch and Keras, and what their runs measure. PyTorch is .venv-train's (./dev
setup); Keras is .venv-frameworks', or another environment's in $NEPH_FRAMEWORKS (./dev setup frameworks)."""

import json
import os
import re
import sqlite3
import struct
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from paths import REPOSITORY

PYTORCH = REPOSITORY / ".venv-train"
FRAMEWORKS = Path(os.environ.get("NEPH_FRAMEWORKS", REPOSITORY / ".venv-frameworks"))
ALL = ["pytorch", "keras-tensorflow", "keras-jax", "keras-torch"]

needs_frameworks = pytest.mark.skipif(
    not (FRAMEWORKS / "bin/python").exists(), reason="no frameworks in .venv-frameworks; ./dev setup frameworks"
)
every_framework = pytest.mark.parametrize(
    "framework", [ALL[0], *(pytest.param(name, marks=[pytest.mark.slow, needs_frameworks]) for name in ALL[1:])]
)


def environment_of(framework):
    return PYTORCH if framework == "pytorch" else FRAMEWORKS


@pytest.fixture
def printed(neph, tmp_path):
    """The script of a training, as a file."""

    def write(network, framework, *options, change=lambda text: text):
        path = tmp_path / f"{network}-{framework}.py"
        script = neph("train", network, "--framework", framework, "--print-script", *options).stdout
        path.write_text(change(script))
        return path

    return write


def run_script(script, framework, **options):
    python = environment_of(framework) / "bin/python"
    outcome = subprocess.run([python, script], capture_output=True, text=True, cwd=script.parent, **options)
    assert outcome.returncode == 0, outcome.stderr[-3000:]
    return outcome.stdout


@every_framework
def test_a_printed_script_runs_without_neph(printed, framework):
    def shortened(text):
        return text.replace("STEPS = 0", "STEPS = 4").replace("TEST_BATCHES = 0", "TEST_BATCHES = 1")

    script = printed("mnist-cnn", framework, "--data", "fashion-mnist", "--batch", "32", change=shortened)
    assert sum(1 for line in script.read_text().splitlines() if line.strip()) <= 250
    run_script(script, framework)
    assert (script.parent / f"mnist-cnn{'.pt' if framework == 'pytorch' else '.keras'}").stat().st_size > 4_000_000


@every_framework
def test_some_steps_tell_of_the_whole_training(neph, tmp_path, framework):
    arguments = ["mnist-cnn", "--data", "synth", "--synth-samples", "2000", "--batch", "32", "--epochs", "20", "--steps", "8"]
    arguments += ["--framework", framework, "--threads", "1", "--repeat", "1", "--engine-path", environment_of(framework)]
    (cell,) = json.loads(neph("train", "--json", *arguments).stdout)["cells"]
    figures = {name: figure["value"] for name, figure in cell["figures"].items()}
    facts = cell["facts"]
    assert facts["engine"].startswith(framework + " ")
    assert (facts["train_samples"], facts["test_samples"], facts["steps_per_epoch"]) == ("2000", "500", "63")
    assert facts["parameters"] == "1199882"
    assert facts["training_time"].startswith("extrapolated from 8 steps")
    assert figures["samples_per_s"] == pytest.approx(32 / figures["step_s"])
    assert figures["training_s"] > 20 * 2000 / 32 * figures["step_s"] * 0.95 + 19 * figures["verify_s"]
    assert figures["checkpoint_bytes"] > 4_000_000
    with sqlite3.connect(tmp_path / "neph.db") as store:
        phases = Counter(name for (name,) in store.execute("select name from phase"))
    assert phases.keys() == {"process_start", "prepare", "data_load", "first_step", "learn", "verify", "save"}


@every_framework
def test_a_whole_training_has_losses_and_accuracy(neph, framework):
    arguments = ["mnist", "--data", "synth", "--synth-samples", "640", "--batch", "64", "--epochs", "2", "--repeat", "1"]
    (cell,) = json.loads(
        neph("train", "--json", *arguments, "--framework", framework, "--engine-path", environment_of(framework)).stdout
    )["cells"]
    figures = {name: figure["value"] for name, figure in cell["figures"].items()}
    assert cell["facts"]["epochs_learnt"] == "2"
    assert cell["facts"]["training_time"] == "measured"
    assert 0 < figures["train_loss"] < 2.3
    assert 0.3 < figures["test_accuracy"] <= 1
    assert figures["epoch_s"] > 0
    assert figures["training_s"] >= 2 * figures["verify_s"]


def write_images(folder, channels, names):
    for name in names:
        for i in range(10):
            (folder / name).mkdir(parents=True, exist_ok=True)
            shade = 40 if name.endswith("dark") else 200
            Image.new("L" if channels == 1 else "RGB", (40, 30), shade if channels == 1 else (shade, i, 0)).save(folder / name / f"{i}.png")


def write_idx(folder):
    for half, count in (("train", 40), ("t10k", 8)):
        labels = np.arange(count, dtype=np.uint8) % 2
        pictures = np.repeat(labels * 200, 32 * 32).astype(np.uint8)
        (folder / f"{half}-images.idx3-ubyte").write_bytes(struct.pack(">4i", 0x803, count, 32, 32) + pictures.tobytes())
        (folder / f"{half}-labels.idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, count) + labels.tobytes())


HALVES = ["train/dark", "train/light", "val/dark", "val/light"]


@pytest.mark.parametrize(
    ("channels", "names", "samples"),
    [(3, ["dark", "light"], (18, 2)), (1, ["train/dark", "train/light"], (18, 2)), (3, HALVES, (20, 20)), (3, [*HALVES, "test/dark"], (20, 10))],
)
@pytest.mark.parametrize("packed", [False, True])
def test_images_of_folders_and_archives_are_read(neph, tmp_path, channels, names, samples, packed):
    network = "lenet5" if channels == 1 else "cifar10"
    folder = tmp_path / "data"
    write_images(folder, channels, names)
    if packed:
        with tarfile.open(tmp_path / "data.tar.gz", "w:gz") as archive:
            archive.add(folder, "around")
        folder = tmp_path / "data.tar.gz"
    (cell,) = neph.json("train", network, "--data", folder, "--framework", "pytorch", "--batch", 8, "--repeat", 1, "--engine-path", PYTORCH)["cells"]
    assert cell["failures"] == []
    assert (int(cell["facts"]["train_samples"]), int(cell["facts"]["test_samples"])) == samples


def test_idx_files_with_a_dot_in_their_names_are_read(neph, tmp_path):
    write_idx(tmp_path)
    (cell,) = neph.json("train", "lenet5", "--data", tmp_path, "--framework", "pytorch", "--batch", 8, "--repeat", 1, "--engine-path", PYTORCH)["cells"]
    assert cell["failures"] == [] and cell["facts"]["train_samples"] == "40"


def losses(output):
    """Of each step: PyTorch's script prints a step's loss, Keras' the mean since the epoch began."""
    all_of_them, before = [], 0.0
    for step, mean, value in re.findall(r"step (\d+): (mean )?loss (\S+)", output):
        if not mean:
            all_of_them.append(float(value))
            continue
        before = 0.0 if step == "1" else before
        all_of_them.append(int(step) * float(value) - before)
        before = int(step) * float(value)
    return all_of_them


@pytest.mark.slow
@needs_frameworks
@pytest.mark.parametrize(
    ("network", "options"),
    [
        ("mnist", ["--data", "fashion-mnist", "--learning-rate", "1e-4"]),
        ("mnist", ["--data", "fashion-mnist", "--optimizer", "sgd", "--learning-rate", "0.01"]),
        ("mnist", ["--data", "fashion-mnist", "--learning-rate", "1e-4", "--weight-decay", "0.1"]),
        ("cifar10", ["--data", "synth", "--learning-rate", "1e-4"]),
        ("resnet18", ["--side", "64", "--classes", "10", "--data", "synth", "--batch", "16", "--learning-rate", "1e-5"]),
        ("mobilenetv2", ["--side", "64", "--classes", "10", "--data", "synth", "--batch", "16", "--learning-rate", "1e-5"]),
        ("inceptionv3", ["--side", "139", "--classes", "10", "--data", "synth", "--batch", "8", "--learning-rate", "1e-5"]),
        ("deepspeech2", ["--layers", "1", "--seq", "100", "--width", "64", "--data", "synth", "--batch", "8"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value[-1:]),
)
def test_all_frameworks_learn_the_same(printed, network, options):
    def logging(text):
        return text.replace("LOG_EVERY = 0", "LOG_EVERY = 1").replace("STEPS = 0", "STEPS = 20").replace("TEST_BATCHES = 0", "TEST_BATCHES = 1")

    seen = {}
    for framework in ALL:
        script = printed(network, framework, "--synth-samples", "512", "--epochs", "9", *options, change=logging)
        seen[framework] = losses(run_script(script, framework))[:20]
        assert len(seen[framework]) == 20
    for framework in ALL[1:]:
        assert seen[framework] == pytest.approx(seen["pytorch"], abs=1e-3), framework


def test_a_framework_that_is_not_there_is_refused_with_the_line_that_installs_it(neph, tmp_path):
    moved = neph.moved_to(tmp_path)
    outcome = moved("train", "mnist", "--data", "synth", "--framework", "keras-jax", code=None, env={"PATH": "/usr/bin:/bin", "HOME": tmp_path})
    assert outcome.returncode == 8
    assert "keras-jax is not installed" in outcome.stderr
    assert "pip install keras jax" in outcome.stderr


def test_a_loss_that_is_no_number_is_a_warning(neph):
    arguments = ["mnist", "--data", "synth", "--synth-samples", "256", "--batch", "16", "--epochs", "3", "--repeat", "1"]
    arguments += ["--optimizer", "sgd", "--learning-rate", "1000", "--momentum", "1", "--weight-decay", "1000"]
    (cell,) = json.loads(neph("train", "--json", *arguments, "--framework", "pytorch", "--engine-path", PYTORCH).stdout)["cells"]
    codes = [warning["code"] for warning in cell["warnings"]]
    assert "nan_loss" in codes and "events_refused" not in codes


def test_the_processes_of_a_training_learn_together(neph):
    arguments = ["mnist", "--data", "synth", "--synth-samples", "256", "--batch", "32", "--epochs", "2", "--repeat", "1"]
    cells = json.loads(
        neph("train", "--json", *arguments, "--framework", "pytorch", "--processes", "1,2", "--threads", "2", "--engine-path", PYTORCH).stdout
    )["cells"]
    assert [cell["facts"].get("processes") for cell in cells] == [None, "2"]
    alone, together = ({name: figure["value"] for name, figure in cell["figures"].items()} for cell in cells)
    assert together["test_loss"] == pytest.approx(alone["test_loss"], abs=0.02)


def test_devices_and_precisions_have_their_usual_names(neph):
    arguments = ["mnist", "--data", "synth", "--synth-samples", "128", "--batch", "64", "--repeat", "1", "--engine-path", PYTORCH]
    (cell,) = json.loads(
        neph("train", "--json", *arguments, "--framework", "pytorch", "--device", "CPU", "--precision", "auto").stdout
    )["cells"]
    assert (cell["facts"]["device"], cell["facts"]["precision"]) == ("cpu", "f32")
