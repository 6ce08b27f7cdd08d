"""Decode, resize, crop and normalise on one core, and the whole way from files to answers on all of them."""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from frame import Goal, Row
from programs import json_of, photographs, program, python, resnet50


def decoded_per_cpu_s():
    return json_of(program("picture_rate_bench"), photographs())["images_per_cpu_s"]


def decoded_per_cpu_s_by(library):
    return json_of(*python("pictures_reference.py", photographs(), library))["images_per_cpu_s"]


def answered_per_s(files):
    """Images per second of one run of ResNet-50 at batch 8: from files, or from tensors that lie ready in memory."""
    with tempfile.TemporaryDirectory() as folder:
        said = json_of(program("neph"), "infer", resnet50(), "--images", photographs(), "--count", 504, "--batch", 8,
                       "--files", files, "--repeat", 1, "--store", f"{folder}/neph.db", "--json")
    return said["cells"][0]["images_per_s"]["value"]


def limit_per_s():
    """What the same cores could reach if nothing were lost between decoding and inference, each measured alone.

    Decoding alone is one process per core at the same time, so that cores which share units slow each other as they
    do in the run.
    """
    cores = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(cores) as pool:
        decoded = sum(each.result() for each in [pool.submit(decoded_per_cpu_s) for _ in range(cores)])
    return 1 / (1 / answered_per_s("off") + 1 / decoded)


def rows():
    what = "decode + resize + crop + normalise, per CPU-second"
    return [
        Row("decode-pillow", what, "Pillow", Goal(2.5), decoded_per_cpu_s, partial(decoded_per_cpu_s_by, "pillow")),
        Row("decode-opencv", what, "OpenCV, not antialiased", Goal(1.5), decoded_per_cpu_s,
            partial(decoded_per_cpu_s_by, "opencv")),
        Row("files", "files to answers, ResNet-50, batch 8", "1/(1/infer + 1/decode)", Goal(0.95),
            partial(answered_per_s, "on"), limit_per_s, rounds=7),
    ]
