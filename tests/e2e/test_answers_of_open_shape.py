"""Answers whose shape ONNX Runtime tells only with them: a scalar beside open inputs, and what zeros do not show."""

import json
import urllib.request

import numpy
import onnx
import pytest
from onnx import TensorProto, helper


def save(path, nodes, inputs, constants=()):
    """A model with one output, `y`, of which the file says nothing but its type."""
    tensors = [onnx.numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants]
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "g", given, outputs, tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def ask(served, model, x):
    tensor = {"name": "x", "shape": list(x.shape), "datatype": "FP32", "data": x.ravel().tolist()}
    body = json.dumps({"inputs": [tensor]}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{served.url}/v2/models/{model}/infer", body)) as reply:
        return json.load(reply)["outputs"][0]


def test_a_scalar_has_its_value(serve, tmp_path):
    mean = helper.make_node("ReduceMean", ["x"], ["y"], keepdims=0)
    model = save(tmp_path / "mean.onnx", [mean], [("x", ["n", "m"])])
    x = numpy.arange(12, dtype="float32").reshape(3, 4)
    with serve(model, "--engine", "onnxruntime") as served:
        answer = ask(served, "mean", x)
    assert answer["shape"] == [] and answer["data"] == pytest.approx([x.mean()])


def test_a_model_that_takes_neither_zeros_nor_ones_is_served(serve, tmp_path):
    """Twenty values in 4x + 3 columns: with zeros and ones, by which the engine looks for shapes, there is no such table."""
    nodes = [
        helper.make_node("Mul", ["x", "four"], ["more"]),
        helper.make_node("Add", ["more", "three"], ["wide"]),
        helper.make_node("Cast", ["wide"], ["columns"], to=TensorProto.INT64),
        helper.make_node("Div", ["twenty", "columns"], ["rows"]),
        helper.make_node("Concat", ["rows", "columns"], ["shape"], axis=0),
        helper.make_node("Reshape", ["values", "shape"], ["y"]),
    ]
    numbers = [("four", [4.0], "float32"), ("three", [3.0], "float32"), ("twenty", [20], "int64"), ("values", range(20), "float32")]
    constants = [(name, numpy.array(values, kind)) for name, values, kind in numbers]
    model = save(tmp_path / "table.onnx", nodes, [("x", [1])], constants)
    with serve(model, "--engine", "onnxruntime") as served:
        for columns, x in ((4, 0.25), (5, 0.5)):
            answer = ask(served, "table", numpy.array([x], "float32"))
            assert answer["shape"] == [20 // columns, columns] and answer["data"] == list(range(20))
