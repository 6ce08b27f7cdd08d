"""ONNX's own tests of its operators: small models with inputs and the outputs that they must give.

They lie in a wheel of ONNX that still ships them; tools/counterparts unpacks it.
"""

from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy
import onnx
from paths import COUNTERPARTS

FOLDER = COUNTERPARTS / "onnx_nodes/onnx/backend/test/data/node"
bfloat16 = numpy.dtype(ml_dtypes.bfloat16)


@dataclass(frozen=True)
class NodeTest:
    name: str
    model: Path
    inputs: list  # (name, array)
    outputs: list


def tensor_of(path):
    """None: a sequence, a map or an optional value, which no inference protocol carries."""
    try:
        proto = onnx.TensorProto.FromString(path.read_bytes())
        return onnx.numpy_helper.to_array(proto)
    except Exception:  # what is no tensor fails in many ways
        return None


def tensors(folder, kind, names):
    arrays = [tensor_of(folder / f"test_data_set_0/{kind}_{i}.pb") for i in range(len(names))]
    return None if any(array is None for array in arrays) else list(zip(names, arrays))


def read(folder):
    """The test, or nothing where it passes something other than tensors."""
    graph = onnx.load(folder / "model.onnx").graph
    constants = {each.name for each in graph.initializer}
    inputs = tensors(folder, "input", [each.name for each in graph.input if each.name not in constants])
    outputs = tensors(folder, "output", [each.name for each in graph.output])
    if inputs is None or outputs is None:
        return None
    return NodeTest(folder.name, folder / "model.onnx", inputs, outputs)


def all_tests():
    return [test for folder in sorted(FOLDER.iterdir()) if (test := read(folder))]


def agree(expected, answer):
    """As ONNX's own runner compares: relative 1e-3, absolute 1e-7."""
    if expected.shape != answer.shape or expected.dtype != answer.dtype:
        return False
    if expected.dtype == object:
        return bool(numpy.all(expected == answer))
    wide = numpy.float64 if expected.dtype.kind in "fV" else expected.dtype
    return numpy.allclose(answer.astype(wide), expected.astype(wide), rtol=1e-3, atol=1e-7, equal_nan=True)
