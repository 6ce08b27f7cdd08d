"""Dimensions that a model leaves open are each request's own, in every engine: answers as ONNX Runtime alone gives them."""

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy
import onnx
import onnxruntime
import openvino
import pytest
from onnx import TensorProto, helper
from paths import BUILD
from server_process import serving_neph
from tritonclient import grpc as triton

SHAPES = [(1, 3, 4), (2, 5, 4), (7, 1, 4), (2, 5, 4), (1, 30, 4)]


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs, [output], **attributes)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(path, nodes, inputs, outputs, constants=()):
    tensors = [onnx.numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    path.parent.mkdir(parents=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def write_models(folder):
    weights = numpy.random.default_rng(2).normal(size=(4, 6)).astype("float32")
    masked = [node("MatMul", ["x", "w"], "h"), node("Cast", ["mask"], "m", to=TensorProto.FLOAT),
              node("Unsqueeze", ["m", "last"], "u"), node("Mul", ["h", "u"], "y"), node("NonZero", ["y"], "places")]
    save(folder / "tokens/1/model.onnx", masked, [value("x", ["N", "S", 4]), value("mask", ["N", "S"], TensorProto.INT64)],
         [value("y", ["N", "S", 6]), value("places", [3, "K"], TensorProto.INT64)], [("w", weights), ("last", [2])])
    save(folder / "rows/1/model.onnx", [node("MatMul", ["x", "w"], "y")], [value("x", ["N", 4])], [value("y", ["N", 6])], [("w", weights)])


@pytest.fixture(scope="module", params=["openvino", "onnxruntime"])
def served(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("open")
    write_models(folder / "models")
    with serving_neph(BUILD / "bin/neph", folder, "models", "--engine", request.param, "--max-batch", 8) as running:
        running.process.models = folder / "models"
        yield running


def ask(served, model, tensors):
    client = triton.InferenceServerClient(served.grpc)
    inputs = []
    for name, array in tensors.items():
        inputs.append(triton.InferInput(name, list(array.shape), "INT64" if array.dtype == numpy.int64 else "FP32"))
        inputs[-1].set_data_from_numpy(array)
    return client.infer(model, inputs)


def test_every_request_has_its_own_sizes(served):
    assert json.load(urllib.request.urlopen(f"{served.url}/v2/models/tokens"))["inputs"][0]["shape"] == [-1, -1, 4]
    reference = onnxruntime.InferenceSession(str(served.process.models / "tokens/1/model.onnx"), providers=["CPUExecutionProvider"])
    numbers = numpy.random.default_rng(3)

    def is_right(shape):
        tensors = {"x": numbers.normal(size=shape).astype("float32"), "mask": numbers.integers(0, 2, shape[:2])}
        answer, wanted = ask(served, "tokens", tensors), reference.run(None, tensors)
        numpy.testing.assert_allclose(answer.as_numpy("y"), wanted[0], rtol=1e-3, atol=1e-5)
        numpy.testing.assert_array_equal(answer.as_numpy("places"), wanted[1])
        return True

    assert all(is_right(shape) for shape in SHAPES)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(is_right, SHAPES * 8))
    config = json.load(urllib.request.urlopen(f"{served.url}/v2/models/tokens/config"))
    assert config["max_batch_size"] == 0, "ragged requests share no execution"


def test_sizes_that_contradict_one_another_harm_no_other(served):
    x, mask = numpy.ones((2, 5, 4), "float32"), numpy.ones((3, 4), numpy.int64)
    right = ask(served, "tokens", {"x": x, "mask": numpy.ones((2, 5), numpy.int64)}).as_numpy("y")
    for _ in range(3):
        with pytest.raises(Exception):
            ask(served, "tokens", {"x": x, "mask": mask})
        again = ask(served, "tokens", {"x": x, "mask": numpy.ones((2, 5), numpy.int64)}).as_numpy("y")
        numpy.testing.assert_array_equal(again, right)
    with pytest.raises(Exception, match=r"\[-1, -1, 4\]"):
        ask(served, "tokens", {"x": numpy.ones((2, 5, 3), "float32"), "mask": mask})


def test_where_only_the_first_is_open_requests_are_joined(served):
    config = json.load(urllib.request.urlopen(f"{served.url}/v2/models/rows/config"))
    assert config["max_batch_size"] == 8 and config["input"][0]["dims"] == [4]


def test_state_begins_anew_and_keeps_requests_apart(tmp_path):
    """A model of OpenVINO that adds up what it saw: every request is as the first, and none shares an execution."""
    ops = openvino.opset13
    x = ops.parameter([-1, 4], numpy.float32, name="x")
    zeros = ops.broadcast(ops.constant(numpy.float32(0)), ops.shape_of(x))
    read = ops.read_value(zeros, "sum", numpy.float32, [-1, 4])
    total = ops.add(x, read)
    kept = ops.assign(total, "sum")
    model = openvino.Model([ops.result(total, name="y")], [kept], [x], "adds")
    (tmp_path / "models/adds/1").mkdir(parents=True)
    openvino.save_model(model, tmp_path / "models/adds/1/model.xml", compress_to_fp16=False)
    with serving_neph(BUILD / "bin/neph", tmp_path, "models", "--max-batch", 4, "--batching", "on") as served:
        config = json.load(urllib.request.urlopen(f"{served.url}/v2/models/adds/config"))
        assert config["max_batch_size"] == 0
        one = numpy.ones((2, 4), "float32")
        name = config["output"][0]["name"]
        for _ in range(3):
            numpy.testing.assert_array_equal(ask(served, "adds", {"x": one}).as_numpy(name), one)
