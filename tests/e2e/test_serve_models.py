"""Models as their files have them: shapes, names and order of dimensions; a repository of which one is broken."""

import json
import urllib.request

import numpy
import onnx
import openvino
import pytest
from onnx import TensorProto, helper
from paths import REPOSITORY
from tritonclient import grpc as triton

GOLDEN = REPOSITORY / "tests/golden/models"


def save(path, nodes, inputs, outputs, constants=()):
    values = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in each] for each in (inputs, outputs)]
    tensors = [onnx.numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants]
    graph = helper.make_graph(nodes, "g", *values, tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def softmax(path, shape, axis=0):
    return save(path, [helper.make_node("Softmax", ["x"], ["y"], axis=axis)], [("x", shape)], [("y", shape)])


def classifier(path, first):
    """Pictures of 8 x 8 to five scores."""
    numbers = numpy.random.default_rng(5)
    weights = [("w", numbers.normal(size=(5, 3, 8, 8)).astype("float32"))]
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Flatten", ["c"], ["y"])]
    return save(path, nodes, [("x", [first, 3, 8, 8])], [("y", [first, 5])], weights)


def ask(served, name, model_input, x):
    client = triton.InferenceServerClient(served.grpc)
    data = triton.InferInput(model_input, list(x.shape), "FP32")
    data.set_data_from_numpy(x)
    return client.infer(name, [data])


@pytest.mark.smoke
@pytest.mark.parametrize("options", [(), ("--max-batch", 1), ("--max-batch", 4), ("--batching", "on", "--max-batch", 4)])
def test_a_fixed_shape_is_served_as_it_is(serve, tmp_path, options):
    model = softmax(tmp_path / "fixed.onnx", [3, 4, 5])
    x = numpy.random.default_rng(1).normal(size=(3, 4, 5)).astype("float32")
    with serve(model, *options) as served:
        answer = ask(served, "fixed", "x", x).as_numpy("y")
        about = json.load(urllib.request.urlopen(f"{served.url}/v2/models/fixed"))
        config = json.load(urllib.request.urlopen(f"{served.url}/v2/models/fixed/config"))
    assert about["inputs"][0]["shape"] == [3, 4, 5] and config["max_batch_size"] == 0 and config["input"][0]["dims"] == [3, 4, 5]
    alone = openvino.Core().compile_model(str(model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    numpy.testing.assert_allclose(answer, alone([x])[0], atol=1e-6)


def test_a_model_that_is_not_batched_says_why(neph, tmp_path):
    softmax(tmp_path / "over_rows.onnx", ["N", 4])
    server = neph.start("serve", "over_rows.onnx", "--max-batch", 4, "--http-port", 0, "--grpc-port", -1, "--metrics-port", -1, "--json")
    said = json.loads(server.stdout.readline())
    server.terminate()
    _, talk = server.communicate(timeout=20)
    assert said["models"]["over_rows"]["batching"].startswith("off: output 'y' of a row changes by up to 0.")
    assert "  not batched, output 'y' of a row changes by up to 0." in talk


@pytest.mark.parametrize("file, model_input, output", [
    ("conv_saved", "picture", "output_0"),
    ("conv.pb", "picture:0", "Identity:0"),
    ("conv.tflite", "serving_default_picture:0", "StatefulPartitionedCall:0"),
])  # fmt: skip
def test_names_and_layout_are_the_files(serve, file, model_input, output):
    """Also of a SavedModel, which is a folder."""
    x = numpy.random.default_rng(2).normal(size=(2, 8, 8, 3)).astype("float32")
    with serve(GOLDEN / file, "--max-batch", 2) as served:
        name = file.split(".")[0]
        about = json.load(urllib.request.urlopen(f"{served.url}/v2/models/{name}"))
        answer = ask(served, name, model_input, x).as_numpy(output)
    assert about["inputs"] == [{"name": model_input, "datatype": "FP32", "shape": [-1, 8, 8, 3]}]
    assert [each["name"] for each in about["outputs"]] == [output]
    model = openvino.Core().read_model(GOLDEN / file)
    alone = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    numpy.testing.assert_allclose(answer, alone([x])[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("file", ["conv.tflite", "conv_saved", "conv.pb"])
def test_pictures_channels_last_get_the_same_answers_everywhere(neph, pictures, file):
    result = neph.json("infer", GOLDEN / file, "--images", pictures, "--architecture", "in-process,local",
                       "--payload", "tensor,jpeg", "--batch", "1,4", "--repeat", 1)  # fmt: skip
    cells = result["cells"]
    assert len(cells) == 6
    assert all(warning["code"] != "answers_differ" for cell in cells for warning in cell["warnings"])
    assert len({cell["answers_checksum"] for cell in cells}) == 1


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_pictures_that_are_not_square_get_the_same_answers_everywhere(neph, pictures, tmp_path, layout):
    """An open batch and, channels last, a fixed one."""
    first, size = {"NCHW": ("N", [3, 16, 40]), "NHWC": (1, [16, 40, 3])}[layout]
    weights = [("w", numpy.random.default_rng(6).normal(size=(3 * 16 * 40, 5)).astype("float32"))]
    nodes = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["y"])]
    save(tmp_path / "wide.onnx", nodes, [("x", [first, *size])], [("y", [first, 5])], weights)
    cells = neph.json("infer", "wide.onnx", "--images", pictures, "--architecture", "in-process,local", "--payload", "tensor,jpeg",
                      "--count", 24, "--repeat", 1)["cells"]  # fmt: skip
    assert len(cells) == 3 and len({cell["answers_checksum"] for cell in cells}) == 1
    assert all(warning["code"] != "answers_differ" for cell in cells for warning in cell["warnings"])


def test_one_broken_model_keeps_nobody_from_the_others(neph, tmp_path):
    softmax(tmp_path / "models/good/1/model.onnx", [2, 3])
    broken = tmp_path / "models/broken/1/model.onnx"
    broken.parent.mkdir(parents=True)
    broken.write_text("no model")
    server = neph.start("serve", "models", "--http-port", 0, "--grpc-port", 0, "--metrics-port", -1, "--json")
    said = json.loads(server.stdout.readline())
    assert list(said["models"]) == ["good"]
    assert "is not an ONNX model" in said["failed"]["broken"]
    index = json.load(urllib.request.urlopen(urllib.request.Request(f"{said['http']}/v2/repository/index", method="POST", data=b"{}")))
    assert {each["name"]: each["state"] for each in index} == {"good": "READY", "broken": "UNAVAILABLE"}
    assert urllib.request.urlopen(f"{said['http']}/v2/health/ready").status == 200
    assert urllib.request.urlopen(f"{said['http']}/v2/models/good/ready").status == 200
    server.terminate()
    _, talk = server.communicate(timeout=20)
    assert f"model broken was not loaded: {said['failed']['broken']}" in talk
    (tmp_path / "models/good/1/model.onnx").write_text("no model either")
    ended = neph("serve", "models", "--http-port", 0, "--grpc-port", -1, "--metrics-port", -1, code=None)
    assert ended.returncode != 0 and "is not an ONNX model" in ended.stderr


def test_what_is_no_model_and_what_has_no_effect_is_said(neph, tmp_path):
    softmax(tmp_path / "models/good/1/model.onnx", [2, 3])
    (tmp_path / "models/empty").mkdir()
    (tmp_path / "models/unversioned").mkdir()
    (tmp_path / "models/unversioned/model.onnx").touch()
    (tmp_path / "models/link").symlink_to("gone")
    server = neph.start("serve", "models", "--max-wait", "2ms", "--http-port", 0, "--grpc-port", -1, "--metrics-port", -1, "--json")
    said = json.loads(server.stdout.readline())
    server.terminate()
    _, talk = server.communicate(timeout=20)
    assert list(said["models"]) == ["good"]
    assert said["failed"] == {
        "empty": "models/empty is empty",
        "link": "models/link is a link that leads to nothing",
        "unversioned": "models/unversioned has no version folder (1, 2, ...)",
    }
    for name, reason in said["failed"].items():
        assert f"model {name} was not loaded: {reason}" in talk
    assert "  --max-wait has no effect: --max-batch 1 joins no requests" in talk


def test_a_fixed_batch_is_made_another_only_where_rows_allow(neph, pictures, tmp_path):
    classifier(tmp_path / "fixed.onnx", 1)
    done = neph("infer", "fixed.onnx", "--images", pictures, "--batch", 4, "--repeat", 1, "--json")
    assert "fixed.onnx fixes its batch at 1; made 4, as its rows give the same answers together and apart" in done.stderr
    save(tmp_path / "mixing.onnx", [helper.make_node("Softmax", ["x"], ["s"], axis=0), helper.make_node("Flatten", ["s"], ["y"])],
         [("x", [1, 3, 8, 8])], [("y", [1, 192])])  # fmt: skip
    refused = neph("infer", "mixing.onnx", "--images", pictures, "--batch", 4, code=None)
    assert refused.returncode != 0 and "--batch 4: mixing.onnx fixes its batch at 1, and output 'y' of a row changes" in refused.stderr
    served = neph("infer", "fixed.onnx", "--images", pictures, "--batch", 4, "--architecture", "local", code=None)
    assert served.returncode != 0 and "a server does not change that; use --batch 1" in served.stderr
    alone = neph.json("infer", "fixed.onnx", "--images", pictures, "--architecture", "in-process,local", "--repeat", 1)
    assert len(alone["cells"]) == 2
