"""Repositories written for Triton, served unchanged: what their config.pbtxt says, and where it contradicts the model."""

import json
import urllib.request

import numpy
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from paths import BUILD
from server_process import serving_neph
from tritonclient import grpc as triton

# As docs/examples/model_repository/densenet_onnx of Triton has it.
DENSENET = """
name: "densenet_onnx"
platform: "onnxruntime_onnx"
max_batch_size : 0
input [
  {
    name: "data_0"
    data_type: TYPE_FP32
    format: FORMAT_NCHW
    dims: [ 3, 224, 224 ]
    reshape { shape: [ 1, 3, 224, 224 ] }
  }
]
output [
  {
    name: "fc6_1"
    data_type: TYPE_FP32
    dims: [ 1000 ]
    reshape { shape: [ 1, 1000, 1, 1 ] }
    label_filename: "densenet_labels.txt"
  }
]
"""
ROWS = """
backend: "onnxruntime"
max_batch_size: 8
input [ { name: "x" data_type: TYPE_FP32 dims: [ 16 ] optional: False } ]
output [ { name: "y" data_type: 11 dims: [ 4 ] is_shape_tensor: f } ]
model_transaction_policy { decoupled: 0 }
dynamic_batching { preferred_batch_size: [ 4, 8 ] max_queue_delay_microseconds: 100 }
instance_group [ { count: 2 kind: KIND_CPU } ]
"""
SIDES = """
platform: "onnxruntime_onnx"
max_batch_size: 4
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 8, 10 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 3, 1, 1 ] }
"""
COLUMN = """
platform: "onnxruntime_onnx"
input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] reshape { shape: [ -1, 1 ] } }
output { name: "y" data_type: TYPE_FP32 dims: [ -1 ] reshape { shape: [ -1, 1 ] } }
version_policy { specific { versions: [ 2 ] } }
default_model_filename: "column.onnx"
"""
SCALARS = """
backend: "onnxruntime"
input [ { name: "x" data_type: TYPE_FP32 dims: [ -1 ] }, { name: "rate" data_type: TYPE_FP32 dims: [ 1 ] },
        { name: "offset" data_type: TYPE_FP32 dims: [ 1 ] optional: true } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ -1 ] }, { name: "sum" data_type: TYPE_FP32 dims: [ 1 ] } ]
"""


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs, [output], **attributes)


def save(path, nodes, inputs, outputs, constants=()):
    values = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in each] for each in (inputs, outputs)]
    tensors = [onnx.numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants]
    graph = helper.make_graph(nodes, "g", *values, tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def random(*shape):
    return numpy.random.default_rng(4).normal(size=shape).astype("float32")


def dense(path, first="N"):
    return save(path, [node("MatMul", ["x", "w"], "y"), node("Relu", ["x"], "z")], [("x", [first, 16])],
                [("y", [first, 4]), ("z", [first, 16])], [("w", random(16, 4))])


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("triton") / "models"
    nodes = [node("GlobalAveragePool", ["data_0"], "mean"), node("Conv", ["mean", "w"], "fc6_1")]
    save(folder / "densenet_onnx/1/model.onnx", nodes, [("data_0", [1, 3, 224, 224])], [("fc6_1", [1, 1000, 1, 1])],
         [("w", random(1000, 3, 1, 1))])
    (folder / "densenet_onnx/densenet_labels.txt").write_text("".join(f"CLASS {i}\n" for i in range(1000)))
    dense(folder / "rows/1/model.onnx")
    save(folder / "sides/1/model.onnx", [node("GlobalAveragePool", ["x"], "y")], [("x", ["N", 3, "H", "W"])], [("y", ["N", 3, 1, 1])])
    for version in (1, 2, 3):
        save(folder / f"column/{version}/column.onnx", [node("Softmax", ["x"], "y", axis=0)], [("x", ["N", 1])], [("y", ["N", 1])])
    nodes = [node("Mul", ["x", "rate"], "m"), node("Add", ["m", "offset"], "y"), node("ReduceSum", ["y"], "sum", keepdims=0)]
    save(folder / "scalars/1/model.onnx", nodes, [("x", ["N"]), ("rate", [])], [("y", ["N"]), ("sum", [])], [("offset", numpy.ones(1, "float32"))])
    for name, text in (("densenet_onnx", DENSENET), ("rows", ROWS), ("sides", SIDES), ("column", COLUMN), ("scalars", SCALARS)):
        (folder / name / "config.pbtxt").write_text(text)
    return folder


@pytest.fixture(scope="module", params=[(), ("--engine", "openvino")], ids=["as it says", "openvino"])
def served(request, repository, tmp_path_factory):
    with serving_neph(BUILD / "bin/neph", tmp_path_factory.mktemp("serve"), repository, *request.param) as running:
        yield running


def get(served, path):
    return json.load(urllib.request.urlopen(f"{served.url}/v2/models/{path}"))


def ask(served, name, model_input, x, output=None, classes=0):
    client = triton.InferenceServerClient(served.grpc)
    data = triton.InferInput(model_input, list(x.shape), "FP32")
    data.set_data_from_numpy(x)
    return client.infer(name, [data], outputs=output and [triton.InferRequestedOutput(output, class_count=classes)])


def reference(repository, path, x):
    return onnxruntime.InferenceSession(str(repository / path), providers=["CPUExecutionProvider"]).run(None, {"x": x})


def test_tritons_own_example_answers_as_there(served, repository):
    about = get(served, "densenet_onnx")
    assert [about["inputs"], about["outputs"]] == [
        [{"name": "data_0", "datatype": "FP32", "shape": [3, 224, 224]}], [{"name": "fc6_1", "datatype": "FP32", "shape": [1000]}]]
    assert get(served, "densenet_onnx/config")["max_batch_size"] == 0
    x = random(3, 224, 224)
    wanted = (x.mean(axis=(1, 2)) @ random(1000, 3).T)
    numpy.testing.assert_allclose(ask(served, "densenet_onnx", "data_0", x).as_numpy("fc6_1"), wanted, rtol=1e-3, atol=1e-5)
    best = ask(served, "densenet_onnx", "data_0", x, "fc6_1", classes=2).as_numpy("fc6_1").flatten()
    order = numpy.argsort(-wanted)
    assert [text.decode().split(":", 1)[1] for text in best] == [f"{i}:CLASS {i}" for i in order[:2]]
    with pytest.raises(Exception, match=r"has the shape \[3, 224, 224\]"):
        ask(served, "densenet_onnx", "data_0", x[None])


def test_engines_are_those_that_it_names(served, request):
    wanted = "onnxruntime" if "as it says" in request.node.name else "openvino"
    assert get(served, "densenet_onnx")["platform"] == f"{wanted}_onnx"


def test_rows_are_batched_as_it_says(served, repository):
    about, config = get(served, "rows"), get(served, "rows/config")
    assert about["inputs"][0]["shape"] == [-1, 16]
    assert [each["name"] for each in about["outputs"]] == ["y"], "only what is declared is seen"
    assert config["max_batch_size"] == 8 and config["input"][0]["dims"] == [16]
    assert config["instance_group"][0]["count"] == 2
    assert config["dynamic_batching"] == {"preferred_batch_size": [1, 2, 4, 8], "max_queue_delay_microseconds": 100}
    x = random(3, 16)
    answers = ask(served, "rows", "x", x)
    numpy.testing.assert_allclose(answers.as_numpy("y"), reference(repository, "rows/1/model.onnx", x)[0], rtol=1e-3, atol=1e-5)
    assert answers.as_numpy("z") is None
    with pytest.raises(Exception, match="z"):
        ask(served, "rows", "x", x, "z")
    with pytest.raises(Exception, match="9 rows"):
        ask(served, "rows", "x", random(9, 16))


def test_dimensions_that_it_fixes_make_a_batch(served, repository):
    assert get(served, "sides")["inputs"][0]["shape"] == [-1, 3, 8, 10]
    assert get(served, "sides/config")["max_batch_size"] == 4
    x = random(2, 3, 8, 10)
    numpy.testing.assert_allclose(ask(served, "sides", "x", x).as_numpy("y"), x.mean(axis=(2, 3), keepdims=True), rtol=1e-3, atol=1e-5)
    with pytest.raises(Exception, match="shape"):
        ask(served, "sides", "x", random(2, 3, 8, 8))


def test_open_dimensions_are_reshaped_both_ways(served):
    about = get(served, "column")
    assert about["versions"] == ["2"] and about["inputs"][0]["shape"] == [-1]
    x = random(7)
    answer = ask(served, "column", "x", x).as_numpy("y")
    numpy.testing.assert_allclose(answer, numpy.exp(x) / numpy.exp(x).sum(), rtol=1e-3, atol=1e-6)
    assert answer.shape == (7,)


WRONG = {
    "other": ('name: "another"', "name is 'another', and the folder is 'other'"),
    "trt": ('platform: "tensorrt_plan"', "platform or backend 'tensorrt_plan'"),
    "kind": ('input { name: "x" data_type: TYPE_INT64 dims: [ -1, 16 ] }', "input 'x' is INT64, and the model's is FP32"),
    "dims": ('input { name: "x" data_type: TYPE_FP32 dims: [ -1, 15 ] }', "has the shape [?, 15], and the model's is [?, 16]"),
    "name": ('input { name: "xx" data_type: TYPE_FP32 dims: [ -1, 16 ] }', "unknown input 'xx'"),
    "rows": ('max_batch_size: 2 output { name: "y" data_type: TYPE_FP32 dims: [ 2, 4 ] }', "output 'y' has the shape [?, 2, 4]"),
    "state": ("sequence_batching { }", "sequence_batching: neph keeps no state between requests"),
    "text": ("max_batch_size: [", "config.pbtxt, line 1, column 17: expected integer, got: ["),
    "file": ('default_model_filename: "net.onnx"', "net.onnx, by default_model_filename, is not there"),
    "version": ("version_policy { specific { versions: 7 } }", "has no version 7"),
    "label": ('output { name: "y" data_type: TYPE_FP32 dims: [ -1, 4 ] label_filename: "no.txt" }', "no.txt"),
}


def test_contradictions_are_said_with_both_sides(tmp_path):
    dense(tmp_path / "models/good/1/model.onnx")
    (tmp_path / "models/good/config.pbtxt").write_text("optimization { } model_warmup { name: 'w' }")
    for name, (text, _) in WRONG.items():
        dense(tmp_path / f"models/{name}/1/model.onnx")
        (tmp_path / f"models/{name}/config.pbtxt").write_text(text)
    with serving_neph(BUILD / "bin/neph", tmp_path, "models") as served:
        asked = urllib.request.Request(f"{served.url}/v2/repository/index", method="POST")
        index = {each["name"]: each for each in json.load(urllib.request.urlopen(asked))}
    assert index.pop("good")["state"] == "READY"
    assert "config.pbtxt: without effect here: optimization, model_warmup" in (tmp_path / "neph-serve.log").read_text()
    for name, (_, reason) in WRONG.items():
        assert index[name]["state"] == "UNAVAILABLE" and reason in index[name]["reason"], index[name]


def test_scalars_are_ones_as_triton_has_them(served):
    """Triton knows no tensor without dimensions: a scalar is declared, sent and answered as [1]."""
    client = triton.InferenceServerClient(served.grpc)
    x, rate = random(5), numpy.array([2], "float32")
    inputs = []
    for name, array in (("x", x), ("rate", rate)):
        inputs.append(triton.InferInput(name, list(array.shape), "FP32"))
        inputs[-1].set_data_from_numpy(array)
    answer = client.infer("scalars", inputs)
    numpy.testing.assert_allclose(answer.as_numpy("y"), 2 * x + 1, rtol=1e-5)
    assert answer.as_numpy("sum").shape == (1,)
    numpy.testing.assert_allclose(answer.as_numpy("sum")[0], (2 * x + 1).sum(), rtol=1e-4)
    assert [each["name"] for each in get(served, "scalars")["inputs"]] == ["x", "rate"]


def test_a_file_may_have_any_name(tmp_path):
    dense(tmp_path / "models/m/1/weights")
    (tmp_path / "models/m/config.pbtxt").write_text('platform: "onnxruntime_onnx" max_batch_size: 8 default_model_filename: "weights"')
    with serving_neph(BUILD / "bin/neph", tmp_path, "models") as served:
        assert get(served, "m")["platform"] == "onnxruntime"
        assert ask(served, "m", "x", random(3, 16)).as_numpy("y").shape == (3, 4)
