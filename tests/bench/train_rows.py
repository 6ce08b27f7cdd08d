"""What `neph train` adds to the script that it runs, and how well some steps predict a whole training."""

import os
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

from frame import Goal, Row, Unavailable
from programs import REPOSITORY, json_of, program

PYTORCH = REPOSITORY / ".venv-train"
FRAMEWORKS = Path(os.environ.get("NEPH_FRAMEWORKS", REPOSITORY / ".venv-frameworks"))
DATA = ("--data", "synth", "--threads", 1)
SHORT, LONG = ("mnist-cnn", "--batch", 1), ("mnist-cnn", "--batch", 128)  # about 1 and 80 ms a step


def environment(framework):
    path = PYTORCH if framework == "pytorch" else FRAMEWORKS
    if not (path / "bin/python").exists():
        raise Unavailable(f"no {framework} in {path}; ./dev setup or ./dev setup frameworks")
    return path


def options(framework):
    return "--framework", framework, "--engine-path", environment(framework)


def figure(name, framework, *words):
    """Of one run of `neph train`."""
    with tempfile.TemporaryDirectory() as folder:
        said = json_of(program("neph"), "train", *words, *options(framework), "--repeat", 1, "--store", f"{folder}/neph.db", "--json")
    (cell,) = said["cells"]
    if name not in cell["figures"]:
        raise Unavailable((cell["failures"] or ["nothing was measured"])[0])
    return cell["figures"][name]["value"]


def alone_s(framework, *words, launcher=()):
    """Seconds of the printed script by itself, on the cores that the run has."""
    with tempfile.TemporaryDirectory() as folder:
        text = subprocess.run([program("neph"), "train", *map(str, words), *map(str, options(framework)), "--print-script"],
                              check=True, capture_output=True, text=True).stdout
        Path(folder, "train.py").write_text(text)
        threads = int(words[words.index("--threads") + 1])
        processes = int(words[words.index("--processes") + 1]) if "--processes" in words else 1
        variables = {name: str(threads // processes) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")}
        cores = sorted(os.sched_getaffinity(0))[:threads]
        begin = time.monotonic()
        subprocess.run([environment(framework) / "bin/python", *launcher, "train.py"], cwd=folder, check=True, capture_output=True,
                       env=os.environ | variables | {"TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""},
                       preexec_fn=lambda: os.sched_setaffinity(0, cores))
        return time.monotonic() - begin


def percent_off(framework):
    words = ("mnist-cnn", *DATA, "--synth-samples", 6400, "--epochs", 3)
    return 100 * abs(figure("training_s", framework, *words, "--steps", 50) / figure("training_s", framework, *words) - 1)


def rows():
    for name, words, samples in (("short", SHORT, 8192), ("long", LONG, 25600)):
        training = (*words, *DATA, "--synth-samples", samples)
        yield Row(f"train-script-{name}", f"{name} steps of PyTorch: seconds of a script under neph train", "the script alone",
                  Goal(1.01, at_least=False), partial(figure, "command_s", "pytorch", *training), partial(alone_s, "pytorch", *training))
    together = ("mnist-cnn", "--data", "synth", "--threads", 2, "--synth-samples", 12800, "--processes", 2)
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2)
    if len(os.sched_getaffinity(0)) >= 2:
        yield Row("train-2-processes", "seconds of 2 processes under neph train", "torchrun by hand", Goal(1.03, at_least=False),
                  partial(figure, "command_s", "pytorch", *together), partial(alone_s, "pytorch", *together, launcher=tuple(map(str, torchrun))), rounds=7)
    for framework in ("pytorch", "keras-tensorflow"):
        yield Row(f"train-steps50-{framework}", "a training's time from 50 steps, against the whole training: |error|", "",
                  Goal(5, at_least=False), partial(percent_off, framework), unit="%", rounds=10)
