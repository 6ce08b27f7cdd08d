"""`neph infer` of models of open shapes behind servers: what is assumed is tried there, too, and what is said is compiled there."""

import numpy
import onnx
import pytest
from onnx import TensorProto, helper
from paths import BUILD
from server_process import serving_neph

QUICK = ("--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.2, "--count", 20)


def model_file(path, nodes, inputs, outputs, constants):
    infos = [[helper.make_tensor_value_info(*each) for each in which] for which in (inputs, outputs)]
    held = [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, path.stem, *infos, held)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """Takes up to 70 tokens, as it has places for no more: 128, 512 and 256, which are likelier, fail."""
    numbers = numpy.random.default_rng(3)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]), helper.make_node("Shape", ["input_ids"], ["length"], start=1, end=2),
        helper.make_node("Slice", ["places", "zero", "length", "zero"], ["where"]), helper.make_node("Add", ["words", "where"], ["hidden"]),
    ]
    return model_file(
        tmp_path_factory.mktemp("short") / "short.onnx", nodes, [("input_ids", TensorProto.INT64, ["n", "t"])],
        [("hidden", TensorProto.FLOAT, ["n", "t", 8])],
        {"table": numbers.normal(size=(50, 8)).astype("float32"), "places": numbers.normal(size=(70, 8)).astype("float32"), "zero": numpy.array([0])},
    )


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    weights = numpy.random.default_rng(4).normal(size=(16, 4)).astype("float32")
    return model_file(tmp_path_factory.mktemp("rows") / "rows.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])],
                      [("x", TensorProto.FLOAT, ["n", 16])], [("y", TensorProto.FLOAT, ["n", 4])], {"w": weights})


def differ(document):
    return [each for cell in document["cells"] for each in cell["warnings"] if each["code"] == "answers_differ"]


@pytest.mark.parametrize("client", ["application", "independent"])
def test_what_is_assumed_is_tried_behind_a_server_too(neph, short, client):
    document = neph.json("infer", short, "--architecture", "local", "--protocol", "http,grpc", "--client", client, *QUICK[:2], *QUICK[4:])
    assert len(document["cells"]) == 2
    for cell in document["cells"]:
        assert cell["figures"]["pictures_failed"]["value"] == 0
        if client == "application":
            assert "input_ids i64 [1, 64]" in cell["facts"]["inputs"]


def test_it_is_the_same_as_in_this_process(neph, short):
    document = neph.json("infer", short, "--architecture", "in-process,local", *QUICK)
    assert len({cell["facts"]["answers"] for cell in document["cells"]}) == 1 and not differ(document)


def test_a_server_that_takes_none_is_found_out_before_any_run(neph, short, tmp_path):
    with serving_neph(BUILD / "bin/neph", tmp_path, short, "--shape", "input_ids:1x33") as served:
        assert neph.json("infer", "short", "--server", f"http://{served.http}", "--architecture", "remote", *QUICK)["cells"]
    with serving_neph(BUILD / "bin/neph", tmp_path, short) as served:
        said = neph("infer", "short", "--server", f"grpc://{served.grpc}", "--architecture", "remote", *QUICK)
        assert "input_ids:1x64" in said.stderr, "of those that are likely the first that is answered"


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_batch_that_the_server_does_not_run_at_once_is_refused(neph, rows, tmp_path, protocol):
    """It answers 8 rows, one after the other: no figure of a batch of 8."""
    with serving_neph(BUILD / "bin/neph", tmp_path, rows) as served:
        url = f"{protocol}://{getattr(served, protocol)}"
        said = neph("infer", "rows", "--server", url, "--architecture", "remote", "--batch", 8, *QUICK, code=2).stderr
        assert "model 'rows'" in said and "takes up to 1 a request (its max_batch_size)" in said
    with serving_neph(BUILD / "bin/neph", tmp_path, rows, "--max-batch", 8) as served:
        url = f"{protocol}://{getattr(served, protocol)}"
        assert neph.json("infer", "rows", "--server", url, "--architecture", "remote", "--batch", 8, *QUICK)["cells"]


def test_integers_are_the_same_in_every_engine_and_behind_a_server(neph, tmp_path):
    """Also those of which only one engine knows that they may be large."""
    nodes = [helper.make_node("Cast", ["n"], ["f"], to=TensorProto.FLOAT), helper.make_node("MatMul", ["f", "w"], ["y"])]
    weights = numpy.random.default_rng(5).normal(size=(16, 4)).astype("float32")
    model = model_file(tmp_path / "integers.onnx", nodes, [("n", TensorProto.INT64, ["n", 16])], [("y", TensorProto.FLOAT, ["n", 4])], {"w": weights})
    document = neph.json("infer", model, "--engine", "openvino,onnxruntime", "--architecture", "in-process,local", *QUICK)
    assert len(document["cells"]) == 4 and len({cell["facts"]["inputs"] for cell in document["cells"]}) == 1
    means = [float(cell["facts"]["answers"].split("mean ")[1].split(",")[0]) for cell in document["cells"]]
    numpy.testing.assert_allclose(means, means[0], rtol=1e-4)


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_shape_that_is_said_is_one_execution_of_a_server(neph, rows, protocol):
    """8 rows in one inference, not eight of one: the model's batch is open, and the server is told its shape."""
    document = neph.json("infer", rows, "--architecture", "in-process,local", "--protocol", protocol, "--shape", "x:8x16", *QUICK)
    assert len(document["cells"]) == 2 and not differ(document)
    for cell in document["cells"]:
        assert "[8, 4]" in cell["facts"]["answers"]
