"""The inference loop without files, against the runtime's own benchmark_app on the same model, shape and hint."""

import re
import sys
from functools import partial
from pathlib import Path

from frame import Goal, Row, Unavailable
from programs import json_of, output_of, program, resnet50

SECONDS = 4  # of measurement a side
PRECISION = "f32"  # by itself benchmark_app takes bf16 where it can, and our engine f32
HINT = {"sync": "latency", "async": "throughput"}  # the hint that each mode is for, on both sides


def ours(mode, batch):
    said = json_of(program("infer_rate_bench"), resnet50(), "--batch", batch, "--mode", mode, "--hint", HINT[mode],
                   "--precision", PRECISION, "--seconds", SECONDS)
    return said["images_per_s"]


def theirs(mode, batch):
    """Images per second over the whole duration. `-ip f32`: its default is u8 pictures, which adds a conversion."""
    said = output_of(Path(sys.executable).with_name("benchmark_app"), "-m", resnet50(), "-shape", f"[{batch},3,224,224]",
                     "-api", mode, "-hint", HINT[mode], "-infer_precision", PRECISION, "-ip", "f32", "-t", SECONDS)
    count = re.search(r"Count:\s+([\d.]+) iterations", said)
    duration_ms = re.search(r"Duration:\s+([\d.]+) ms", said)
    if not count or not duration_ms:
        raise Unavailable("benchmark_app printed no count and duration")
    return batch * float(count[1]) / float(duration_ms[1]) * 1e3


def rows():
    return [
        Row(f"infer-{mode}-{batch}", f"inference loop, ResNet-50, batch {batch}, {mode}", "benchmark_app", Goal(0.98),
            partial(ours, mode, batch), partial(theirs, mode, batch))
        for mode in HINT for batch in (1, 8)
    ]
