"""What may go wrong with one model or one answer, and stays there: files that change under a served model, answers for which
there is no memory, models that end their engine or never return from it."""

import json
import os
import resource
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request

import numpy
import onnx
import pytest
from onnx import TensorProto, helper
from paths import BUILD
from server_process import stop

KILLED = "its engine ended with exit code 1" if BUILD.name == "asan" else "its engine was killed by SIG"  # that sanitizer takes signals
CHANGED = "its files have changed since it was loaded; load it again"


def save(path, nodes, inputs, outputs, constants=(), opset=17, **beside):
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in constants]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path, **beside)
    return path


def floats(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def relu(path, shape=("N", 4), opset=17):
    return save(path, [helper.make_node("Relu", ["x"], ["y"])], [floats("x", shape)], [floats("y", shape)], opset=opset)


def post(served, path, body=b"", headers=(), limit_s=60):
    """Status and body."""
    asked = urllib.request.Request(f"{served.url}/v2/{path}", body if isinstance(body, bytes) else json.dumps(body).encode(), dict(headers))
    try:
        with urllib.request.urlopen(asked, timeout=limit_s) as reply:
            head = reply.headers.get("Inference-Header-Content-Length")
            return reply.status, json.loads(reply.read(int(head) if head else None) or b"{}")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"{}")


def load(served, name):
    return post(served, f"repository/models/{name}/load")


def answers(served, name, values=(1, -2, 3, -4)):
    status, said = post(served, f"models/{name}/infer", {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, len(values)], "data": list(values)}]})
    return said["outputs"][0]["data"] if status == 200 else said


def index(served):
    return {entry["name"]: (entry["state"], entry["reason"]) for entry in post(served, "repository/index")[1]}


def is_ready(served):
    with urllib.request.urlopen(f"{served.url}/v2/health/ready", timeout=10) as reply:
        return reply.status == 200


def lookup(folder, seed):
    """A table whose rows are looked up, in a file beside the model."""
    table = numpy.random.default_rng(seed).normal(size=(2000, 64)).astype("float32")
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["N", "T"])
    save(folder / "model.onnx", [helper.make_node("Gather", ["table", "ids"], ["y"])], [ids], [floats("y", ["N", "T", 64])],
         [("table", table)], save_as_external_data=True, location="w.bin", size_threshold=0)
    return table


def row(served, i):
    body = {"inputs": [{"name": "ids", "datatype": "INT64", "shape": [1, 1], "data": [i]}]}
    return numpy.array(post(served, "models/m/infer", body)[1]["outputs"][0]["data"], "float32")


@pytest.mark.parametrize("engine", ["openvino", "onnxruntime"])
def test_a_served_model_keeps_its_weights(serve, tmp_path, engine):
    old, new = lookup(tmp_path / "repository/m/1", 1), lookup(tmp_path / "new", 2)
    weights = tmp_path / "repository/m/1/w.bin"
    with serve(tmp_path / "repository", "--engine", engine) as served:
        assert index(served)["m"] == ("READY", "")
        with open(weights, "r+b") as file:  # written over, never shorter
            file.write((tmp_path / "new/w.bin").read_bytes())
        numpy.testing.assert_array_equal(row(served, 7), old[7])
        assert index(served)["m"] == ("READY", CHANGED)
        over = threading.Event()

        def copy():
            while not over.is_set():
                subprocess.run(["cp", tmp_path / "new/w.bin", weights], check=True)  # cuts it short first
                time.sleep(0.01)

        copying = threading.Thread(target=copy)
        copying.start()
        for i in range(100):
            numpy.testing.assert_array_equal(row(served, i), old[i])
        over.set()
        copying.join()
        assert load(served, "m")[0] == 200 and index(served)["m"] == ("READY", "")
        numpy.testing.assert_array_equal(row(served, 7), new[7])


def grown(served, side, **output):
    """What an output of that size is answered, whose size only the engine knows."""
    return post(served, "models/grow/infer", {"inputs": [{"name": "shape", "datatype": "INT64", "shape": [2], "data": [side, side]}],
                                              "outputs": [{"name": "y", "parameters": output}]})


def growing(path):
    shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [2])
    return save(path, [helper.make_node("Expand", ["one", "shape"], ["y"])], [shape], [floats("y", ["A", "B"])],
                [("one", numpy.ones((1, 1), "float32"))])


@pytest.mark.address_space
def test_an_answer_without_memory_is_an_error_of_its_request(serve, tmp_path):
    """Of 64 MB: of the engine's outputs, of their reply, or of what writes it."""
    growing(tmp_path / "repository/grow/1/model.onnx")
    relu(tmp_path / "repository/other/1/model.onnx")
    codes = set()
    with serve(tmp_path / "repository") as served:
        with open(f"/proc/{served.pid}/status") as status:
            used = next(int(line.split()[1]) for line in status if line.startswith("VmSize")) << 10
        limits = resource.prlimit(served.pid, resource.RLIMIT_AS)
        for more in (100, 150, 200):
            resource.prlimit(served.pid, resource.RLIMIT_AS, (used + (more << 20), limits[1]))
            code, said = grown(served, 4000, binary_data=True)
            assert code == 200 or (code == 503 and "memory" in said["error"]), said
            codes.add(code)
            resource.prlimit(served.pid, resource.RLIMIT_AS, limits)
            assert grown(served, 2)[0] == 200 and is_ready(served)
        assert 503 in codes
        assert post(served, "repository/models/grow/unload")[0] == 200 and load(served, "other")[0] == 200


def test_an_answer_above_the_limit_is_refused(serve, tmp_path):
    """Outputs whose size only the engine knows, and the text of classes."""
    with serve(growing(tmp_path / "grow.onnx"), "--reply-bytes", 1 << 20) as served:
        assert grown(served, 512, binary_data=True)[0] == 200
        for side, output in ((513, {}), (513, {"binary_data": True}), (400, {"classification": 160000})):
            code, said = grown(served, side, **output)
            assert code == 400 and "above 1048576 (--reply-bytes)" in said["error"], said
        assert grown(served, 2)[0] == 200


def bad_models(repository):
    """Files that end OpenVINO 2026.4 when they are run: an index far out of the table, and more padding than memory."""
    save(repository / "far/1/model.onnx", [helper.make_node("GatherND", ["x", "i"], ["y"])], [floats("x", ["N", "M"])], [floats("y", None)],
         [("i", numpy.array([[2**40, 0]]))])
    save(repository / "pads/1/model.onnx", [helper.make_node("Pad", ["x", "p"], ["y"])], [floats("x", ["N", 4])], [floats("y", None)],
         [("p", numpy.array([0, 2**62, 0, 2**62]))])
    return ["far", "pads"]


def test_a_model_that_ends_its_engine_ends_nothing_else(serve, tmp_path):
    relu(tmp_path / "repository/good/1/model.onnx")
    with serve(tmp_path / "repository") as served:
        for name in bad_models(tmp_path / "repository"):
            code, said = load(served, name)
            assert code == 501 and KILLED in said["error"], name
            assert answers(served, "good") == [1, 0, 3, 0] and is_ready(served)
            assert index(served)[name] == ("UNAVAILABLE", said["error"])
    with serve(tmp_path / "repository") as served:  # with them there from the start
        assert answers(served, "good") == [1, 0, 3, 0]
        assert sum(KILLED in reason for _, reason in index(served).values()) == 2


def test_a_model_that_never_loads_holds_up_nothing(serve, tmp_path):
    """OpenVINO goes through all versions of the operators up to the file's."""
    relu(tmp_path / "repository/good/1/model.onnx")
    with serve(tmp_path / "repository", "--load-limit", "6s") as served:
        relu(tmp_path / "repository/endless/1/model.onnx", opset=2**62)
        outcome = []
        loading = threading.Thread(target=lambda: outcome.append(load(served, "endless")))
        loading.start()
        assert answers(served, "good") == [1, 0, 3, 0]
        loading.join()
        code, said = outcome[0]
        assert code == 504 and "--load-limit" in said["error"] and index(served)["endless"][0] == "UNAVAILABLE"
        assert load(served, "good")[0] == 200 and answers(served, "good") == [1, 0, 3, 0]


@pytest.mark.parametrize("pipe", ["1/model.onnx", "1/model.xml", "config.toml", "config.pbtxt", "labels.txt"])
def test_a_pipe_where_a_file_should_be_holds_up_nothing(serve, tmp_path, pipe):
    model = tmp_path / "repository/piped"
    relu(tmp_path / "repository/other/1/model.onnx")
    with serve(tmp_path / "repository", "--load-limit", "6s") as served:
        if pipe.startswith("1/"):
            (model / "1").mkdir(parents=True)
        else:
            relu(model / "1/model.onnx")
        if pipe == "labels.txt":
            (model / "config.pbtxt").write_text('output [{ name: "y" data_type: TYPE_FP32 dims: [ 4 ] label_filename: "labels.txt" }]')
        os.mkfifo(model / pipe)
        assert load(served, "piped")[0] in (400, 504)
        assert load(served, "other")[0] == 200 and answers(served, "other") == [1, 0, 3, 0]


def test_a_trial_ends_with_its_server(serve, tmp_path):
    relu(tmp_path / "repository/good/1/model.onnx")
    with serve(tmp_path / "repository") as served:
        relu(tmp_path / "repository/endless/1/model.onnx", opset=2**62)
        outcome = []
        loading = threading.Thread(target=lambda: outcome.append(load(served, "endless")))
        loading.start()
        while index(served).get("endless", [""])[0] != "LOADING":
            time.sleep(0.05)
        began = time.monotonic()
        stop(served.process, 60)
        assert time.monotonic() - began < 20
        loading.join()
    assert outcome[0][0] == 503 and "the server is stopping" in outcome[0][1]["error"]
