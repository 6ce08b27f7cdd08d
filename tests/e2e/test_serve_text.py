"""Text goes in and comes out as it is, over every transport: answers of ONNX Runtime alone, and what is refused."""

import json
import urllib.error
import urllib.request

import numpy
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from paths import BUILD
from server_process import serving_neph
from tritonclient import grpc as triton
from tritonclient import http as triton_http

WORDS = [["", "two words"], ["Grüße, 世界", "a\"b\\c\n"], ["x" * 100_000, "\u0000nul"]]
CONFIG = """
platform: "onnxruntime_onnx"
max_batch_size: 8
input [ { name: "a" data_type: TYPE_STRING dims: [ 2 ] }, { name: "b" data_type: TYPE_STRING dims: [ 2 ] } ]
output { name: "joined" data_type: TYPE_STRING dims: [ 2 ] }
"""


def text(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.STRING, shape)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    graph = helper.make_graph([helper.make_node("StringConcat", ["a", "b"], ["joined"])], "g", [text("a", ["N", 2]), text("b", ["N", 2])],
                              [text("joined", ["N", 2])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    for name in ("join", "declared"):
        (folder / "models" / name / "1").mkdir(parents=True)
        onnx.save(model, folder / "models" / name / "1/model.onnx")
    (folder / "models/declared/config.pbtxt").write_text(CONFIG)
    with serving_neph(BUILD / "bin/neph", folder, "models", "--engine", "onnxruntime", "--max-batch", 8) as running:
        running.process.reference = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        yield running


def tensors(module, a, b):
    made = []
    for name, array in (("a", a), ("b", b)):
        made.append(module.InferInput(name, list(array.shape), "BYTES"))
        made[-1].set_data_from_numpy(array)
    return made


def post(served, model, body):
    data = json.dumps(body).encode()
    return json.load(urllib.request.urlopen(urllib.request.Request(f"{served.url}/v2/models/{model}/infer", data=data)))


def json_inputs(a, b, shape):
    return {"inputs": [{"name": name, "datatype": "BYTES", "shape": shape, "data": words} for name, words in (("a", a), ("b", b))]}


@pytest.mark.parametrize("model", ["join", "declared"])
def test_every_transport_brings_the_same_text(served, model):
    a, b = numpy.array(WORDS, object), numpy.array(WORDS[::-1], object)
    wanted = served.process.reference.run(None, {"a": a, "b": b})[0]
    as_bytes = numpy.vectorize(str.encode, otypes=[object])
    for module, where in ((triton, served.grpc), (triton_http, served.http)):
        answer = module.InferenceServerClient(where).infer(model, tensors(module, as_bytes(a), as_bytes(b))).as_numpy("joined")
        assert answer.shape == (3, 2) and (answer == as_bytes(wanted)).all()
    output = post(served, model, json_inputs(WORDS, WORDS[::-1], [3, 2]))["outputs"][0]
    assert output["datatype"] == "BYTES" and output["shape"] == [3, 2] and output["data"] == wanted.flatten().tolist()
    empty = post(served, model, json_inputs([], [], [0, 2]))["outputs"][0]
    assert empty["shape"] == [0, 2] and empty["data"] == []


def test_metadata_and_configuration_call_it_what_triton_does(served):
    for model, most_rows, dims in (("join", 0, [-1, 2]), ("declared", 8, [2])):
        about = json.load(urllib.request.urlopen(f"{served.url}/v2/models/{model}"))
        assert about["inputs"][0] == {"name": "a", "datatype": "BYTES", "shape": [-1, 2]}
        config = json.load(urllib.request.urlopen(f"{served.url}/v2/models/{model}/config"))
        assert config["input"][0]["data_type"] == "TYPE_STRING" and config["input"][0]["dims"] == dims
        assert config["max_batch_size"] == most_rows


@pytest.mark.parametrize(
    "a, shape, words",
    [(["one"], [1, 2], "1 element for the shape"), (["a", "b", "c"], [1, 3], "has the shape [-1, 2]"), ([1, 2], [1, 2], "a number does not fit BYTES"),
     (["a", "b"], [2], "has the shape [-1, 2]")],
)
def test_what_does_not_fit_is_refused(served, a, shape, words):
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(served, "join", json_inputs(a, a, shape))
    assert refused.value.code == 400 and words in json.load(refused.value)["error"]


def test_lengths_that_lie_are_refused(served):
    blocks = [b"\x01\0\0\0a\xff\xff\xff\xffb", b"\x01\0\0\0a\x01\0\0\0b"]
    head = json.dumps({"inputs": [{"name": name, "datatype": "BYTES", "shape": [1, 2], "parameters": {"binary_data_size": len(block)}}
                                  for name, block in zip("ab", blocks)]}).encode()
    asked = urllib.request.Request(f"{served.url}/v2/models/join/infer", data=head + b"".join(blocks),
                                   headers={"Inference-Header-Content-Length": str(len(head))})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked)
    assert "the lengths of its BYTES do not fit" in json.load(refused.value)["error"]
    assert post(served, "join", json_inputs(["a", "b"], ["c", "d"], [1, 2]))["outputs"][0]["data"] == ["ac", "bd"]
