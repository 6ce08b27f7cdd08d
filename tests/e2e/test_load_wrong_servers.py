"""`neph load` against servers that do what no server should: nothing of it may pass for an answer, or be blamed on the wrong one."""

import json
import signal
import threading
import time
from concurrent import futures
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
import pytest
from tritonclient.grpc import service_pb2, service_pb2_grpc

METADATA = {
    "name": "m",
    "versions": ["1"],
    "platform": "python",
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}],
    "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 1]}],
}
ANSWER = {"model_name": "m", "outputs": [{"name": "y", "datatype": "FP32", "shape": [1, 1], "data": [1.0]}]}


@contextmanager
def served(infer, metadata=METADATA, about=None):
    """The address of a server whose inferences are `infer(handler, number)`; what that returns is sent, False is the end."""
    numbers = iter(range(1, 1_000_000))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_):
            pass

        def reply(self, body):
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.reply(json.dumps(metadata if "/models/" in self.path else about or {"name": "python", "extensions": []}).encode())

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            body = infer(self, next(numbers))
            if body is False:
                self.close_connection = True
            else:
                self.reply(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def good(seconds=0.0):
    time.sleep(seconds)
    return json.dumps(ANSWER).encode()


def loaded(neph, url, *arguments):
    document = neph.json("load", url, "--model", "m", "--warmup", "0s", "--duration", "1s", *arguments)
    (cell,) = document["cells"]
    return document, {name: figure["value"] for name, figure in cell["figures"].items()}


def test_a_closed_loop_of_one_client_is_told_without_saying_so(neph):
    with served(lambda handler, number: good(0.002)) as url:
        document, figures = loaded(neph, url)
    assert "1 client got " in document["findings"][0] and figures["requests_answered"] > 50
    assert "offered_per_s" not in figures


@pytest.mark.parametrize(
    "wrong, figure",
    [(False, "requests_failed"), (b"{{{{{", "requests_failed"), (b"<html>sorry</html>", "requests_failed")],
)
def test_what_is_no_answer_is_counted_as_none(neph, wrong, figure):
    """Each second inference, as the server counts them: none is sent twice."""
    with served(lambda handler, number: wrong if number % 2 == 0 else good()) as url:
        _, figures = loaded(neph, url, "--rate", 40, "--arrival", "constant")
    assert figures["requests_answered"] == pytest.approx(20, abs=1) and figures[figure] == pytest.approx(20, abs=1)


def test_an_answer_after_the_deadline_is_timed_out(neph):
    with served(lambda handler, number: good(0.003)) as url:
        _, figures = loaded(neph, url, "--rate", 50, "--arrival", "constant", "--deadline", "1ms")
    assert figures["requests_answered"] == 0 and figures["requests_timed_out"] == 50


def test_requests_that_were_held_back_are_not_the_servers(neph):
    with served(lambda handler, number: good(0.035)) as url:
        document, figures = loaded(neph, url, "--rate", 40, "--arrival", "constant", "--in-flight", 1, "--p99", "100ms")
    assert figures["offered_per_s"] == pytest.approx(40)
    words = " ".join(document["findings"])
    assert "--in-flight" in words and "kept up" not in words and "SLO" not in words
    codes = {warning["code"] for warning in document["cells"][0]["warnings"]}
    assert "in_flight_reached" in codes and not codes & {"overloaded", "promise_broken"}


def test_what_a_second_ctrl_c_cuts_off_is_the_users(neph):
    with served(lambda handler, number: good(0.005 if number < 40 else 3600)) as url:
        running = neph.start("load", url, "--model", "m", "--clients", 4, "--warmup", "0s", "--duration", "60s", "--json")
        time.sleep(2)
        for _ in range(2):
            running.send_signal(signal.SIGINT)
            time.sleep(0.3)
        output, talk = running.communicate(timeout=20)
    document = json.loads(output)
    (cell,) = document["cells"]
    warnings = {warning["code"]: warning["message"] for warning in cell["warnings"]}
    assert "4 more were under way" in warnings["stopped_early"] and "requests_failed" not in warnings, talk
    assert "not answered" not in " ".join(document["findings"])


NULLS = [  # of the server, of the model, of a reply
    ({"extensions": None}, {}, {}),
    ({}, {"versions": None, "platform": None}, {}),
    ({}, {"parameters": None, "inputs": [{**METADATA["inputs"][0], "parameters": None}]}, {}),
    ({}, {}, {"id": None, "model_name": None, "model_version": None, "parameters": None}),
    ({}, {}, {"outputs": [{**ANSWER["outputs"][0], "parameters": None}], "error": None}),
    ({"name": None}, {"name": None}, {"outputs": [{**ANSWER["outputs"][0], "parameters": {"note": None}}]}),
]


@pytest.mark.parametrize("server, model, answer", NULLS)
def test_null_is_as_if_absent(neph, server, model, answer):
    """KServe's server writes it for everything optional."""
    reply = json.dumps({**ANSWER, **answer}).encode()
    with served(lambda handler, number: reply, {**METADATA, **model}, {"name": "python", "extensions": [], **server}) as url:
        document = neph.json("load", url, "--model", "m", "--warmup", "0s", "--count", 20)
        asked = neph.json("infer", "--server", url, "--model", "m", "--count", 4, "--repeat", 1, "--warmup", 1)
    assert document["cells"][0]["figures"]["requests_answered"]["value"] == 20
    assert asked["cells"][0]["runs_ok"] == 1


@pytest.mark.parametrize("metadata, words", [
    ({**METADATA, "versions": 1}, "versions: expected a list"),
    ({**METADATA, "inputs": [{"name": "x", "datatype": "FP32", "shape": "-1"}]}, "inputs[0].shape: expected a list"),
    ([], "not a JSON object"),
])
def test_metadata_that_make_no_sense_are_refused_in_our_words(neph, metadata, words):
    with served(lambda handler, number: good(), metadata) as url:
        done = neph("load", url, "--model", "m", code=None)
    assert done.returncode != 0 and words in done.stderr and "exception" not in done.stderr and url in done.stderr


NO_ANSWERS = [  # and what is wrong with it
    ({"error": "model crashed"}, "the reply has no outputs: '{\"error\": \"model crashed\"}'"),
    ({}, "the reply has no outputs: '{}'"),
    ({"model_name": "m", "outputs": []}, "the reply has no outputs: '{"),
    ({"predictions": [[1.0]]}, "the reply has no outputs: '{\"predictions\""),
    ({"outputs": [{**ANSWER["outputs"][0], "data": [1.0, 2.0]}]}, "tensor 'y': 8 bytes of data; FP32 [1, 1] has 4"),
    ({"outputs": [{**ANSWER["outputs"][0], "data": ["x"]}]}, "text does not fit FP32"),
    ({"outputs": [{**ANSWER["outputs"][0], "datatype": "INT32", "data": [None]}]}, "null does not belong there"),
]


@pytest.mark.parametrize("wrong, words", NO_ANSWERS)
def test_a_status_of_200_is_not_yet_an_answer(neph, wrong, words):
    reply = json.dumps(wrong).encode()
    with served(lambda handler, number: reply) as url:
        done = neph("load", url, "--model", "m", "--warmup", "0s", "--duration", "1s", code=None)
        asked = neph("infer", "--server", url, "--model", "m", "--count", 4, "--repeat", 1, "--warmup", 1, code=None)
    assert done.returncode != 0 and words in done.stderr
    assert asked.returncode != 0 and words in asked.stderr + asked.stdout


def test_answers_that_cease_are_failures_with_their_reason(neph):
    """Without outputs each is seen, however few are decoded."""
    crashed = json.dumps({"error": "model crashed"}).encode()
    with served(lambda handler, number: good() if number <= 6 else crashed) as url:
        document, figures = loaded(neph, url, "--rate", 40, "--arrival", "constant")
    assert figures["requests_answered"] == 5 and figures["requests_failed"] == 35
    (message,) = (w["message"] for w in document["cells"][0]["warnings"] if w["code"] == "requests_failed")
    assert "the reply has no outputs: '{\"error\": \"model crashed\"}'" in message


def test_a_server_that_hangs_is_not_the_generators_fault(neph):
    """Behind --in-flight nothing more can be sent: neither more threads nor a longer run would help."""
    load = ("load", "--model", "m", "--rate", 100, "--duration", "1s", "--in-flight", 2)
    over = threading.Event()

    def hang(_, number):
        return good() if number == 1 else over.wait(20) and False

    with served(hang) as url:
        (cell,) = neph.json(*load, url, "--warmup", "0s", "--request-timeout", "2s")["cells"]
        failed = neph(*load, url, "--warmup", "1s", "--request-timeout", "5s", code=None)
        over.set()
    warnings = {each["code"]: each for each in cell["warnings"]}
    assert "because 2 were in flight" in warnings["in_flight_reached"]["message"]
    assert "allow more --in-flight" in warnings["schedule_missed"]["advice"]
    assert cell["figures"]["offered_per_s"]["value"] == pytest.approx(100, rel=0.5)
    assert failed.returncode != 0 and "2 were in flight, the most allowed, and no reply came" in failed.stderr


@contextmanager
def served_over_grpc(reply, datatype="FP32"):
    """The address of a server whose nth inference, from 1, is `reply(n)`, and whose model has an output of that type."""
    numbers = iter(range(1, 1_000_000))

    class Service(service_pb2_grpc.GRPCInferenceServiceServicer):
        def ServerLive(self, request, context):
            return service_pb2.ServerLiveResponse(live=True)

        def ModelMetadata(self, request, context):
            made = service_pb2.ModelMetadataResponse(name="m", versions=["1"], platform="python")
            made.inputs.add(name="x", datatype="FP32", shape=[-1, 4])
            made.outputs.add(name="y", datatype=datatype, shape=[-1, 2])
            return made

        def ModelInfer(self, request, context):
            return reply(next(numbers))

    server = grpc.server(futures.ThreadPoolExecutor(4))
    service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(Service(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def message(raw=None, typed=None, output=True, shape=(1, 2), datatype="FP32", error=None):
    made = service_pb2.ModelInferResponse(model_name="m", model_version="1")
    if output:
        tensor = made.outputs.add(name="y", datatype=datatype, shape=shape)
        tensor.contents.fp32_contents.extend(typed or [])
    if raw is not None:
        made.raw_output_contents.append(raw)
    if error:
        made.parameters["error"].string_param = error
    return made


@pytest.mark.parametrize("right", [message(raw=bytes(8)), message(typed=[1, 2]),
                                   message(raw=b"\1\0\0\0a", shape=[1], datatype="BYTES"), message(raw=b"", shape=[0, 2])])
def test_right_replies_over_grpc_are_answers(neph, right):
    right.ParseFromString(right.SerializeToString() + b"\xfa\x06\x01x")  # a field that is not in the protocol
    with served_over_grpc(lambda number: right, right.outputs[0].datatype) as url:
        _, figures = loaded(neph, url, "--rate", 20, "--arrival", "constant")
    assert figures["requests_answered"] == 20


@pytest.mark.parametrize("wrong", [message(raw=bytes(599_996), shape=(75_000, 2)), message(raw=bytes(600_000), shape=(75_001, 2))])
def test_large_replies_over_grpc_are_compared_with_the_last_right_one(neph, wrong):
    right = message(raw=bytes(600_000), shape=(75_000, 2))
    with served_over_grpc(lambda number: wrong if number == 12 else right) as url:
        _, figures = loaded(neph, url, "--rate", 20, "--arrival", "constant")
    assert figures["requests_failed"] == 1 and figures["requests_answered"] == 19


@pytest.mark.parametrize("wrong, words", [
    (service_pb2.ModelInferResponse(), "the reply has no outputs"),
    (message(output=False, error="model crashed"), "model crashed"),
    (message(raw=bytes(4)), "tensor 'y': 4 bytes of data; FP32 [1, 2] has 8"),
    (message(), "tensor 'y': 0 bytes of data; FP32 [1, 2] has 8"),
])
def test_ok_of_grpc_is_not_yet_an_answer(neph, wrong, words):
    with served_over_grpc(lambda number: wrong) as url:
        done = neph("load", url, "--model", "m", "--warmup", "0s", "--duration", "1s", code=None)
    assert done.returncode != 0 and words in done.stderr
    with served_over_grpc(lambda number: wrong if number > 6 else message(raw=bytes(8))) as url:
        document, figures = loaded(neph, url, "--rate", 20, "--arrival", "constant")
    assert figures["requests_answered"] == 5 and figures["requests_failed"] == 15
    assert words in json.dumps(document["cells"][0]["warnings"], ensure_ascii=False)
