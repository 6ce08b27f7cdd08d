"""Shapes that come often get a session of their own where that is faster: answers stay right, and /metrics tells."""

import re
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from paths import BUILD
from server_process import serving_neph
from tritonclient import grpc as triton

LAYERS = 120
OFTEN, SELDOM = (1, 64), (2, 9)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Computes shapes all the time: for one shape all of that is done when it is compiled. Five times as fast with OpenVINO."""
    nodes, last = [], "x"
    for i in range(LAYERS):
        nodes += [
            helper.make_node("Shape", [last], [f"s{i}"]), helper.make_node("ReduceProd", [f"s{i}"], [f"p{i}"], keepdims=1),
            helper.make_node("Reshape", [last, f"p{i}"], [f"f{i}"]), helper.make_node("Add", [f"f{i}", "w"], [f"a{i}"]),
            helper.make_node("Reshape", [f"a{i}", f"s{i}"], [f"r{i}"]), helper.make_node("Softmax", [f"r{i}"], [f"m{i}"], axis=1),
        ]
        last = f"m{i}"
    nodes.append(helper.make_node("NonZero", [last], ["places"]))
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "g", [value("x", TensorProto.FLOAT, ["N", "S"])],
        [value(last, TensorProto.FLOAT, ["N", "S"]), value("places", TensorProto.INT64, [2, "K"])],
        [onnx.numpy_helper.from_array(numpy.ones(1, "float32"), "w")],
    )
    path = tmp_path_factory.mktemp("often") / "often.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def asker(served, model):
    reference = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    client = triton.InferenceServerClient(served.grpc)
    numbers = numpy.random.default_rng(1)

    def ask(shape):
        x = numbers.normal(size=shape).astype("float32")
        tensor = triton.InferInput("x", list(shape), "FP32")
        tensor.set_data_from_numpy(x)
        answer = client.infer("often", [tensor])
        wanted = reference.run(None, {"x": x})
        numpy.testing.assert_allclose(answer.as_numpy(f"m{LAYERS - 1}"), wanted[0], rtol=1e-3, atol=1e-6)
        numpy.testing.assert_array_equal(answer.as_numpy("places"), wanted[1])

    return ask


def told(served, name):
    """By shape."""
    page = urllib.request.urlopen(served.metrics_url).read().decode()
    return {shape: float(value) for shape, value in re.findall(rf'{name}{{model="often",version="1",shape="(.*?)"}} (\S+)', page)}


def ask_until(ask, done, limit_s=120):
    end = time.monotonic() + limit_s
    with ThreadPoolExecutor(3) as pool:
        while not done() and time.monotonic() < end:
            list(pool.map(ask, [OFTEN] * 60 + [SELDOM]))
    return done()


@pytest.mark.parametrize("instances", [1, 2])
def test_a_shape_that_comes_often_gets_its_own(model, tmp_path, instances):
    with serving_neph(BUILD / "bin/neph", tmp_path, model, "--engine", "openvino", "--instances", instances) as served:
        ask = asker(served, model)
        ask(OFTEN)
        assert not told(served, "neph_shape_session_gain")
        assert ask_until(ask, lambda: told(served, "neph_shape_session_gain"))
        gain = told(served, "neph_shape_session_gain")
        assert gain.keys() == {"1x64"} and gain["1x64"] > 1.05
        before = told(served, "neph_shape_session_executions")["1x64"]
        for shape in (OFTEN, SELDOM, OFTEN, (3, 2), OFTEN):
            ask(shape)
        assert told(served, "neph_shape_session_executions")["1x64"] == before + 3


def test_none_has_where_none_may(model, tmp_path):
    with serving_neph(BUILD / "bin/neph", tmp_path, model, "--engine", "openvino", "--shape-sessions", 0) as served:
        ask = asker(served, model)
        assert not ask_until(ask, lambda: told(served, "neph_shape_session_gain"), limit_s=6)


def test_a_server_ends_while_one_is_compiled(model, tmp_path):
    with serving_neph(BUILD / "bin/neph", tmp_path, model, "--engine", "openvino") as served:
        ask = asker(served, model)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            ask(OFTEN)
