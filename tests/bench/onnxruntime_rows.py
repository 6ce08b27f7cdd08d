"""The inference loop of the engine onnxruntime, against a bare loop on ONNX Runtime's C interface: the same library, threads,
model and shape. ResNet-50, and a model so small that what is between two inferences is all that counts."""

import os
import tempfile
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

import onnx
from frame import Goal, Row
from onnx import TensorProto, helper
from programs import json_of, program, resnet50

SECONDS = 4  # of measurement a side
LIBRARY = next((Path(find_spec("onnxruntime").origin).parent / "capi").glob("libonnxruntime.so*"))
THREADS = len(os.sched_getaffinity(0))


@cache
def tiny():
    """One Relu of 16 numbers."""
    folder = tempfile.TemporaryDirectory()
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 16]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "tiny", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, Path(folder.name) / "tiny.onnx")
    return folder


def tiny_model():
    return Path(tiny().name) / "tiny.onnx"


MODELS = {"resnet50": (resnet50, "1x3x224x224", "ResNet-50"), "tiny": (tiny_model, "1x16", "one Relu of 16 numbers")}


def ours(model):
    path = MODELS[model][0]()
    said = json_of(program("infer_rate_bench"), path, "--engine", "onnxruntime", "--threads", THREADS, "--seconds", SECONDS)
    return said["images_per_s"]


def theirs(model):
    path, shape, _ = MODELS[model]
    return json_of(program("bare_onnxruntime"), LIBRARY, path(), shape, SECONDS, THREADS)["images_per_s"]


def rows():
    return [
        Row(f"onnxruntime-{model}", f"inference loop, onnxruntime, {words}, batch 1, sync", "a bare loop on its C interface",
            Goal(0.98), partial(ours, model), partial(theirs, model))
        for model, (_, _, words) in MODELS.items()
    ]  # fmt: skip
