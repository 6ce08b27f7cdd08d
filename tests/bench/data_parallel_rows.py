"""Training by two processes on two cores, against PyTorch's DistributedDataParallel over gloo."""

import os
import tempfile
from pathlib import Path

from frame import Goal, Row, Unavailable
from programs import HERE, REPOSITORY, json_of, output_of, program

ENVIRONMENT = Path(os.environ.get("NEPH_FRAMEWORKS", REPOSITORY / ".venv-frameworks"))
PROCESSES, BATCH, STEPS = 2, 128, 60


def ours():
    with tempfile.TemporaryDirectory() as folder:
        said = json_of(program("neph"), "train", "mnist-cnn", "--data", "synth", "--epochs", 20, "--steps", STEPS, "--batch", BATCH,
                       "--threads", PROCESSES, "--processes", PROCESSES, "--repeat", 1, "--store", f"{folder}/bench.db", "--json")
    (cell,) = said["cells"]
    if "samples_per_s" not in cell["figures"]:
        raise Unavailable((cell["failures"] or ["nothing was measured"])[0])
    return cell["figures"]["samples_per_s"]["value"]


def theirs():
    python = ENVIRONMENT / "bin/python"
    if not python.exists():
        raise Unavailable(f"no PyTorch in {ENVIRONMENT}; ./dev setup frameworks")
    return float(output_of(python, HERE / "ddp_reference.py", PROCESSES, BATCH, STEPS))


def rows():
    if len(os.sched_getaffinity(0)) < PROCESSES:
        return []
    return [Row("train-2-processes", "training, MNIST network, 2 processes x 64 on a core each", "torch DDP over gloo",
                Goal(1.5), ours, theirs, rounds=7)]
