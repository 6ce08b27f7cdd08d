"""`neph infer` of models of open shapes behind servers: what is assumed is tried there, too, and what is said is compiled there."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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


PORTS = [{"name": "ids", "datatype": "INT64", "shape": [-1, -1]}, {"name": "level", "datatype": "FP32", "shape": [-1, 2]}]
REPLY = {"model_name": "m", "model_version": "1", "outputs": [{"name": "y", "datatype": "FP32", "shape": [1], "data": [0]}]}


@contextmanager
def recording(pages, inputs=PORTS):
    """A server of JSON `pages` by path, besides its model m, and the inferences that it got."""
    seen, about = [], {"name": "m", "inputs": inputs, "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1]}]}
    pages = {"/v2": {"name": "python", "extensions": []}, "/v2/health/live": {}, "/v2/models/m": about, "/v2/models/m/infer": REPLY} | pages

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path.endswith("/infer"):
                seen.append(json.loads(sent))
            body = json.dumps(pages.get(self.path, {})).encode()
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("option, form", [("--input", "own.npz"), ("--inputs", "own")])
def test_load_sends_the_arrays_of_several_inputs(neph, tmp_path, option, form):
    arrays = {"ids": numpy.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), "level": numpy.array([[0.5, 1], [2, 4], [8, 16]], "float32")}
    numpy.savez(tmp_path / "own.npz", **arrays)
    (tmp_path / "own").mkdir()
    for name, array in arrays.items():
        numpy.save(tmp_path / f"own/{name}.npy", array)
    with recording({}) as (url, seen):
        document = neph.json("load", url, "--model", "m", option, form, "--clients", 1, "--count", 5, "--warmup", "0s")
        neph("infer", "m", "--architecture", "remote", "--server", f"http://{url}", option, form, *QUICK[:-1], 3)
    assert document["cells"][0]["figures"]["requests_answered"]["value"] == 5
    assert "3 from own" in document["cells"][0]["facts"]["requests"]
    for got in seen:
        ids, level = got["inputs"]
        row = arrays["ids"][:, 0].tolist().index(numpy.ravel(ids["data"])[0])
        assert ids["shape"] == [1, 3] and numpy.ravel(ids["data"]).tolist() == arrays["ids"][row].tolist()
        assert level["shape"] == [1, 2] and numpy.ravel(level["data"]).tolist() == arrays["level"][row].tolist()
    assert {numpy.ravel(got["inputs"][0]["data"])[0] for got in seen} == {1, 4, 7}


def test_arrays_that_do_not_fit_a_servers_inputs_are_refused(neph, tmp_path):
    numpy.savez(tmp_path / "own.npz", ids=numpy.ones((2, 3), "int64"))
    numpy.savez(tmp_path / "other.npz", ids=numpy.ones((2, 3), "int32"), level=numpy.ones((2, 2), "float32"))
    with recording({}) as (url, _):
        assert "no array for input 'level'" in neph("load", url, "--model", "m", "--input", "own.npz", code=3).stderr
        assert "'ids' is int32, and the model's input is int64" in neph("load", url, "--model", "m", "--input", "other.npz", code=2).stderr


INDEX = "/v2/repository/index"
READY = {"name": "m", "version": "1", "state": "READY", "reason": None}


@pytest.mark.parametrize("pages", [
    {INDEX: [READY, {**READY, "version": "2"}, {**READY, "name": "broken", "state": "UNAVAILABLE"}]},
    {INDEX: [{"name": "m"}]},
    {"/v2/models": {"models": ["m"]}},  # as KServe's Python server has it
])  # fmt: skip
def test_the_only_model_of_a_server_need_not_be_named(neph, pages):
    with recording(pages, PORTS[1:]) as (url, seen):
        cell = neph.json("load", url, "--count", 2, "--warmup", "0s")["cells"][0]
    assert cell["facts"]["model"].startswith("m") and len(seen) >= 2


@pytest.mark.parametrize("pages, words", [
    ({}, "has no list of its models ("),
    ({INDEX: []}, "lists none that is ready; name one: --model NAME"),
    ({INDEX: [READY, {**READY, "name": "other"}]}, "has m, other; name one: --model m"),
])  # fmt: skip
def test_where_a_server_has_not_one_model_it_is_to_be_named(neph, pages, words):
    with recording(pages) as (url, _):
        assert words in neph("load", url, code=2).stderr


def test_an_address_without_a_scheme_is_of_http(neph, rows, tmp_path):
    with serving_neph(BUILD / "bin/neph", tmp_path, rows) as served:
        for url in (served.url, f"grpc://{served.grpc}"):
            assert neph.json("load", url, "--count", 2, "--warmup", "0s")["cells"][0]["facts"]["model"].startswith("rows")
            neph("ready", url)
            neph("ready", url, "--model", "rows")
            assert "its model 'none' is not ready" in neph("ready", url, "--model", "none", code=None).stderr
        said = neph("load", served.grpc, code=None).stderr
        assert f"that port speaks gRPC without TLS; its address is grpc://{served.grpc}" in said
        neph("ready", served.url.removeprefix("http://"))


def test_a_200_that_denies_it_is_not_ready(neph):
    with recording({"/v2/health/ready": {"ready": True}, "/v2/models/m/ready": {"name": "m", "ready": False}}) as (url, _):
        neph("ready", url)
        assert "its model 'm' is not ready" in neph("ready", url, "--model", "m", code=4).stderr
