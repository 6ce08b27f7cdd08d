"""The inference loop of the engine tensorflow, against a bare loop on TensorFlow's C interface: the same library, threads, model
and shape."""

import os
import subprocess
from functools import cache

from frame import Goal, Row
from programs import REPOSITORY, json_of, program
from train_rows import environment

SECONDS = 6  # of measurement a side
THREADS = len(os.sched_getaffinity(0))
MAKE = "import sys, keras; keras.utils.set_random_seed(1); keras.applications.ResNet50(weights=None).export(sys.argv[1])"


@cache
def resnet50():
    """keras.applications' ResNet-50 with random weights, as a SavedModel; written once."""
    folder = REPOSITORY / "build/bench/resnet50-saved"
    if not folder.is_dir():
        subprocess.run([environment("tensorflow") / "bin/python", "-c", MAKE, folder], check=True, capture_output=True,
                       env=os.environ | {"KERAS_BACKEND": "tensorflow"})
    return folder


def ours():
    os.environ["NEPH_ENGINE_PATH"] = str(environment("tensorflow"))
    return json_of(program("infer_rate_bench"), resnet50(), "--engine", "tensorflow", "--threads", THREADS, "--seconds", SECONDS)[
        "images_per_s"
    ]


def theirs():
    (library,) = environment("tensorflow").glob("lib/python3*/site-packages/tensorflow/libtensorflow_cc.so.2")
    return json_of(program("bare_tensorflow"), library, resnet50(), "1x224x224x3", SECONDS, THREADS)["images_per_s"]


def rows():
    return [Row("tensorflow-resnet50", "inference loop, tensorflow, ResNet-50, batch 1, sync", "a bare loop on its C interface",
                Goal(0.98), ours, theirs)]  # fmt: skip
