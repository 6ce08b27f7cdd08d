"""However many rows a request has: `neph serve model.onnx`, with no other option, answers as ONNX Runtime alone does."""

import json
import urllib.error
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
from tritonclient import http as triton_http

ROWS = [1, 2, 7, 64, 1000]
LIMIT = """
platform: "onnxruntime_onnx"
max_batch_size: 4
input { name: "x" data_type: TYPE_FP32 dims: [ 16 ] }
"""


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs, [output], **attributes)


def save(path, nodes, outputs, constants):
    """A model of the inputs x [N, 16] and ids [N, 3]."""
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 16]), helper.make_tensor_value_info("ids", TensorProto.INT64, ["N", 3])]
    used = {name for each in nodes for name in each.input}
    tensors = [onnx.numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants.items()]
    values = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in outputs]
    graph = helper.make_graph(nodes, "g", [each for each in inputs if each.name in used], values, tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def write_models(folder):
    numbers = numpy.random.default_rng(5)
    weights, table = numbers.normal(size=(16, 8)).astype("float32"), numbers.normal(size=(50, 16)).astype("float32")
    dense = [node("MatMul", ["x", "w"], "y")]
    looked_up = [node("Gather", ["table", "ids"], "rows"), node("ReduceMean", ["rows"], "mean", axes=[1], keepdims=0),
                 node("Add", ["mean", "x"], "y"), node("ArgMax", ["y"], "best", axis=1, keepdims=0)]
    over_rows = [node("MatMul", ["x", "w"], "h"), node("Softmax", ["h"], "y", axis=0)]
    y = ("y", TensorProto.FLOAT, ["N", 8])
    save(folder / "rows/1/model.onnx", dense, [y], {"w": weights})
    save(folder / "two/1/model.onnx", looked_up, [("y", TensorProto.FLOAT, ["N", 16]), ("best", TensorProto.INT64, ["N"])], {"table": table})
    save(folder / "coupled/1/model.onnx", over_rows, [y], {"w": weights})
    save(folder / "limited/1/model.onnx", dense, [y], {"w": weights})
    save(folder / "coupled_limited/1/model.onnx", over_rows, [y], {"w": weights})
    for name in ("limited", "coupled_limited"):
        (folder / name / "config.pbtxt").write_text(LIMIT)


@pytest.fixture(scope="module", params=["openvino", "onnxruntime"])
def served(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    write_models(folder / "models")
    with serving_neph(BUILD / "bin/neph", folder, "models", "--engine", request.param) as running:
        running.process.models = folder / "models"
        yield running


def reference(served, model):
    session = onnxruntime.InferenceSession(str(served.process.models / model / "1/model.onnx"), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    inputs = {each.name for each in session.get_inputs()}
    return lambda tensors: dict(zip(names, session.run(None, {name: tensors[name] for name in inputs}))), inputs


def drawn(numbers, rows):
    return {"x": numbers.normal(size=(rows, 16)).astype("float32"), "ids": numbers.integers(0, 2, (rows, 3))}


def in_json(served, model, tensors):
    kinds = {"float32": "FP32", "int64": "INT64"}
    inputs = [{"name": name, "datatype": kinds[str(a.dtype)], "shape": a.shape, "data": a.flatten().tolist()} for name, a in tensors.items()]
    request = urllib.request.Request(f"{served.url}/v2/models/{model}/infer", data=json.dumps({"inputs": inputs}).encode())
    return {each["name"]: numpy.array(each["data"]).reshape(each["shape"]) for each in json.load(urllib.request.urlopen(request))["outputs"]}


def by_client(module, where):
    def ask(served, model, tensors):
        inputs = []
        for name, array in tensors.items():
            inputs.append(module.InferInput(name, list(array.shape), "INT64" if array.dtype == numpy.int64 else "FP32"))
            inputs[-1].set_data_from_numpy(array)
        answer = module.InferenceServerClient(getattr(served, where)).infer(model, inputs)
        return {name: answer.as_numpy(name) for name in ("y", "best") if answer.get_output(name) is not None}

    return ask


@pytest.mark.parametrize("ask", [in_json, by_client(triton, "grpc"), by_client(triton_http, "http")], ids=["json", "grpc", "http"])
@pytest.mark.parametrize("model", ["rows", "two", "coupled"])
def test_any_number_of_rows_is_answered(served, model, ask):
    alone, inputs = reference(served, model)
    numbers = numpy.random.default_rng(6)
    for rows in ROWS:
        tensors = {name: array for name, array in drawn(numbers, rows).items() if name in inputs}
        answers, wanted = ask(served, model, tensors), alone(tensors)
        assert answers.keys() == wanted.keys()
        for name in wanted:
            assert answers[name].shape == wanted[name].shape
            numpy.testing.assert_allclose(answers[name], wanted[name], rtol=1e-3, atol=1e-5)


def test_clients_at_once_get_their_own_rows(served):
    alone, _ = reference(served, "two")
    numbers = numpy.random.default_rng(7)
    ask = by_client(triton, "grpc")
    asked = [drawn(numbers, int(numbers.integers(1, 40))) for _ in range(200)]
    with ThreadPoolExecutor(12) as pool:
        for tensors, answers in zip(asked, pool.map(lambda tensors: ask(served, "two", tensors), asked)):
            wanted = alone(tensors)
            numpy.testing.assert_allclose(answers["y"], wanted["y"], rtol=1e-3, atol=1e-5)
            numpy.testing.assert_array_equal(answers["best"], wanted["best"])


def test_statistics_count_executions_and_rows(served):
    def counts():
        told = json.load(urllib.request.urlopen(f"{served.url}/v2/models/rows/stats"))["model_stats"][0]
        return numpy.array([told["inference_count"], told["execution_count"], told["inference_stats"]["success"]["count"]])

    before = counts()
    in_json(served, "rows", {"x": drawn(numpy.random.default_rng(8), 7)["x"]})
    assert (counts() - before).tolist() == [7, 7, 1]


@pytest.mark.parametrize("model", ["limited", "coupled_limited"])
def test_tritons_limit_is_kept(served, model):
    alone, _ = reference(served, model)
    tensors = {"x": drawn(numpy.random.default_rng(9), 4)["x"]}
    for ask in (in_json, by_client(triton, "grpc")):
        numpy.testing.assert_allclose(ask(served, model, tensors)["y"], alone(tensors)["y"], rtol=1e-3, atol=1e-5)
    five = {"x": drawn(numpy.random.default_rng(9), 5)["x"]}
    words = r"5 rows in one request; this model takes up to 4 \(its max_batch_size\)"
    with pytest.raises(Exception, match=words):
        by_client(triton, "grpc")(served, model, five)
    with pytest.raises(urllib.error.HTTPError) as refused:
        in_json(served, model, five)
    assert refused.value.code == 400
    config = json.load(urllib.request.urlopen(f"{served.url}/v2/models/{model}/config"))
    assert config["max_batch_size"] == 4 and config["input"][0]["dims"] == [16], "as the file says, whatever shares executions"
