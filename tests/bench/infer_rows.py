"""The inference loop without files, against the runtime's own benchmark_app on the same model, shape and hint: of fixed shape,
and compiled as open as the file leaves it."""

import re
import sys
from functools import partial
from pathlib import Path

from frame import Goal, Row, Unavailable
from programs import json_of, output_of, program, resnet50

SECONDS = 4  # of measurement a side
PRECISION = "f32"  # by itself benchmark_app takes bf16 where it can, and our engine f32
HINT = {"sync": "latency", "async": "throughput"}  # the hint that each mode is for, on both sides


def ours(mode, batch, is_open=False):
    shape = ["--shape", f"{batch}x3x224x224"] if is_open else ["--batch", batch]
    said = json_of(program("infer_rate_bench"), resnet50(), *shape, "--mode", mode, "--hint", HINT[mode],
                   "--precision", PRECISION, "--seconds", SECONDS)
    return said["images_per_s"]


def theirs(mode, batch, is_open=False):
    """Images per second over the whole duration. `-ip f32`: its default is u8 pictures, which adds a conversion.
    `-inference_only`: of open shapes its default is to fill the inputs anew each time."""
    shape = ["-data_shape", f"[{batch},3,224,224]", "-inference_only", "true"] if is_open else ["-shape", f"[{batch},3,224,224]"]
    said = output_of(Path(sys.executable).with_name("benchmark_app"), "-m", resnet50(), *shape,
                     "-api", mode, "-hint", HINT[mode], "-infer_precision", PRECISION, "-ip", "f32", "-t", SECONDS)
    count = re.search(r"Count:\s+([\d.]+) iterations", said)
    duration_ms = re.search(r"Duration:\s+([\d.]+) ms", said)
    if not count or not duration_ms:
        raise Unavailable("benchmark_app printed no count and duration")
    return batch * float(count[1]) / float(duration_ms[1]) * 1e3


def rows():
    fixed = [
        Row(f"infer-{mode}-{batch}", f"inference loop, ResNet-50, batch {batch}, {mode}", "benchmark_app", Goal(0.98),
            partial(ours, mode, batch), partial(theirs, mode, batch))
        for mode in HINT for batch in (1, 8)
    ]  # fmt: skip
    return fixed + [
        Row(f"infer-open-{mode}", f"inference loop, ResNet-50 of open batch, given 1, {mode}", "benchmark_app", Goal(0.98),
            partial(ours, mode, 1, is_open=True), partial(theirs, mode, 1, is_open=True))
        for mode in HINT
    ]  # fmt: skip
