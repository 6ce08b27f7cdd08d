"""`neph serve MODEL --shape NAME:1x128`: what the model leaves open is fixed when it is loaded, in the words of infer and load."""

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

WEIGHTS = numpy.random.default_rng(1).normal(size=(4, 6)).astype("float32")


def write_model(path):
    """x [N, S, 4] and a mask [N, S], of which y [N, S, 6] is made; the other input is open in other places."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Cast", ["mask"], ["m"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["m", "last"], ["u"]), helper.make_node("Mul", ["h", "u"], ["y"]),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "g", [value("x", TensorProto.FLOAT, ["N", "S", 4]), value("mask", TensorProto.INT64, ["N", "S"])],
        [value("y", TensorProto.FLOAT, ["N", "S", 6])],
        [onnx.numpy_helper.from_array(WEIGHTS, "w"), onnx.numpy_helper.from_array(numpy.array([2]), "last")],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("shape") / "tokens.onnx")


def get(served, path):
    return json.load(urllib.request.urlopen(f"{served.url}/v2/models/{path}"))


def ask(served, rows, length, name="tokens"):
    numbers = numpy.random.default_rng(rows + length)
    tensors = {"x": numbers.normal(size=(rows, length, 4)).astype("float32"), "mask": numbers.integers(0, 2, (rows, length))}
    inputs = []
    for tensor, array in tensors.items():
        inputs.append(triton.InferInput(tensor, list(array.shape), "FP32" if tensor == "x" else "INT64"))
        inputs[-1].set_data_from_numpy(array)
    return triton.InferenceServerClient(served.grpc).infer(name, inputs).as_numpy("y"), tensors


def check(served, model, rows, length, name="tokens"):
    answer, tensors = ask(served, rows, length, name)
    wanted = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"]).run(None, tensors)[0]
    numpy.testing.assert_allclose(answer, wanted, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("engine", ["openvino", "onnxruntime"])
def test_whole_shapes_are_fixed(model, tmp_path, engine):
    with serving_neph(BUILD / "bin/neph", tmp_path, model, "--engine", engine, "--shape", "x:2x5x4+mask:2x5") as served:
        assert [each["shape"] for each in get(served, "tokens")["inputs"]] == [[2, 5, 4], [2, 5]]
        assert get(served, "tokens")["outputs"][0]["shape"] == [2, 5, 6], "known as the shapes are"
        check(served, model, 2, 5)
        for rows, length in ((2, 6), (1, 5)):
            with pytest.raises(Exception, match=r"has the shape \[2, 5, 4\]"):
                ask(served, rows, length)


def test_without_the_first_size_rows_stay_open_and_are_joined(model, tmp_path):
    with serving_neph(BUILD / "bin/neph", tmp_path, model, "--shape", "x:5x4+mask:5", "--max-batch", 4) as served:
        assert [each["shape"] for each in get(served, "tokens")["inputs"]] == [[-1, 5, 4], [-1, 5]]
        config = get(served, "tokens/config")
        assert config["max_batch_size"] == 4 and config["input"][0]["dims"] == [5, 4]
        for rows in (1, 3, 11):
            check(served, model, rows, 5)


def test_a_repository_says_it_for_each_model(model, tmp_path):
    for name in ("one", "two"):
        write_model(tmp_path / f"models/{name}/1/model.onnx")
    (tmp_path / "models/one/config.toml").write_text('shape = "x:1x7x4+mask:1x7"\n')
    with serving_neph(BUILD / "bin/neph", tmp_path, "models") as served:
        assert get(served, "one")["inputs"][0]["shape"] == [1, 7, 4] and get(served, "two")["inputs"][0]["shape"] == [-1, -1, 4]
        check(served, model, 1, 7, "one")
        check(served, model, 2, 3, "two")


@pytest.mark.parametrize(
    "shape, words, code",
    [("x:1x5x3", "--shape: [1, 5, 3] is not a shape of input 'x', which is [?, ?, 4]", 2), ("y:1x5", "--shape: unknown input 'y' in the model; known: x, mask", 2),
     ("1x5x4", "--shape: the model has 2 inputs (x, mask); write NAME:1x5x4", 2), ("x:one", "is no shape of an input", 2),
     ("x:2x5x4+mask:3x5", "shapes", 8)],
)
def test_what_does_not_fit_is_said(neph, model, shape, words, code):
    assert words in neph("serve", model, "--shape", shape, "--http-port", 0, "--grpc-port", -1, "--metrics-port", -1, code=code).stderr


def test_a_folder_of_models_has_no_one_shape(neph, tmp_path):
    write_model(tmp_path / "models/one/1/model.onnx")
    said = neph("serve", "models", "--shape", "x:1x5x4", code=2).stderr
    assert "write it into models/NAME/config.toml: shape = \"x:1x5x4\"" in said
