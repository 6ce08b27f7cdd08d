"""Training steps against PyTorch, torch.compile, and Keras on TensorFlow: the same network, Adam, float32, taking turns.

On one thread images per second of CPU time, on two of wall time. Fashion-MNIST where Debian's package is installed, noise of
the pictures' shape else: what is learnt has no part in the speed.
"""

import subprocess
import tempfile
from functools import partial

from frame import Goal, Row, Unavailable
from programs import json_of, program
from turns import Trainer, images_per_s, ours

NETWORKS = {"mnist": "mnist-cnn", "cifar": "cifar10-cnn"}
NAMES = {"eager": "PyTorch eager", "compile": "torch.compile", "keras": "Keras on TensorFlow",
         "channels_last": "PyTorch channels_last, fused Adam", "ddp": "torch DDP, gloo"}
BATCH = 128
STEPS = 25  # a turn, of about 3 s; 9 turns are more than 200 steps

ONE_THREAD = {  # the factor that is asked for, by network
    "eager": {"mnist": 1.7, "cifar": 1.5},
    "channels_last": {"mnist": 1.4, "cifar": 1.2},
    "compile": {"mnist": 1.5, "cifar": 1.4},
    "keras": {"mnist": 1.15, "cifar": 1.08},
}
TWO_THREADS = {"channels_last": 1.4, "keras": 1.1}
OWN_THREADS = 0


def of_ours(network, threads, clock, batch=BATCH, steps=STEPS):
    return images_per_s(ours(network, batch, threads), steps, clock)


def of_theirs(kind, network, threads, clock, batch=BATCH, steps=STEPS):
    return images_per_s(Trainer(kind, network, batch, threads), steps, clock)


def figure(name, network, *options):
    """What `neph train` says of one run on noise."""
    with tempfile.TemporaryDirectory() as folder:
        said = json_of(program("neph"), "train", network, "--data", "synth", "--repeat", 1, "--store", f"{folder}/neph.db",
                       "--json", *options)
    return said["cells"][0]["figures"][name]["value"]


def estimate(*options):
    return figure("training_s", "mnist-cnn", "--synth-samples", 6400, "--epochs", 3, "--threads", 1, *options)


def percent_off():
    measured = estimate()
    return 100 * abs(estimate("--steps", 50) / measured - 1)


def of_two_processes(network):
    told = subprocess.run([program("neph"), "train", "--help"], capture_output=True, text=True).stdout
    if "--processes" not in told:
        raise Unavailable("neph train has no --processes")
    return figure("samples_per_s", network, "--batch", BATCH, "--processes", 2, "--threads", 2, "--epochs", 40, "--steps", 50)


def rows():
    for short, network in NETWORKS.items():
        for kind, goals in ONE_THREAD.items():
            yield Row(f"train-{short}-{kind.replace('_', '-')}", f"{network}, batch {BATCH}, 1 thread: images per CPU-second",
                      NAMES[kind], Goal(goals[short]), partial(of_ours, network, 1, "cpu_s"),
                      partial(of_theirs, kind, network, 1, "cpu_s"))
        for kind, goal in TWO_THREADS.items():
            yield Row(f"train2-{short}-{kind.replace('_', '-')}", f"{network}, batch {BATCH}, 2 threads: images/s", NAMES[kind],
                      Goal(goal), partial(of_ours, network, 2, "wall_s"),
                      partial(of_theirs, kind, network, OWN_THREADS, "wall_s"))
        yield Row(f"train-processes-{short}", f"{network}, batch {BATCH}, 2 processes: images/s", NAMES["ddp"], Goal(1.5),
                  partial(of_two_processes, network), partial(of_theirs, "ddp", network, 2, "wall_s"))
    yield Row("train-resnet50", "ResNet-50, batch 8, 1 thread: images per CPU-second", NAMES["channels_last"], Goal(1.05),
              partial(of_ours, "resnet50", 1, "cpu_s", 8, 3),
              partial(of_theirs, "channels_last", "resnet50", 1, "cpu_s", 8, 3), rounds=7)
    yield Row("train-steps50", "a training's time told by 50 steps, against the whole training: |error|", "",
              Goal(5, at_least=False), percent_off, unit="%", rounds=10)
