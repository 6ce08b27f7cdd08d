"""`neph load` counts as answered what is an answer, says when its server is gone, ends when it is told to, and shows no text of others raw."""

import json
import os
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
from concurrent import futures
from contextlib import contextmanager

import grpc
import pytest
from test_serve_tls import Authority

PORT = {"datatype": "FP32", "shape": [-1, 16]}
METADATA = {"name": "m", "versions": ["1"], "platform": "x", "inputs": [{"name": "x", **PORT}], "outputs": [{"name": "y", **PORT}]}
GOOD = {"model_name": "m", "outputs": [{"name": "y", "datatype": "FP32", "shape": [1, 16], "data": [0.5] * 16}]}
QUICK = ("--model", "m", "--warmup", "0s", "--count", 60)
STEERS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def reply(body, status="200 OK"):
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body.encode())}\r\n\r\n{body}".encode()


@contextmanager
def served(infer, get=lambda path: reply(json.dumps(METADATA if "/models/" in path else {"name": "s", "extensions": []})), tls=None):
    """The address of a server that answers inferences with `infer(send, number)` and pages with what `get` returns."""
    numbers, listener = iter(range(1, 1_000_000)), socket.create_server(("127.0.0.1", 0), backlog=100)

    def converse(stream):
        try:
            stream = tls.wrap_socket(stream, server_side=True) if tls else stream
            lines = stream.makefile("rb")
            while first := lines.readline().decode():
                headers = dict(line.decode().lower().strip().split(": ", 1) for line in iter(lines.readline, b"\r\n"))
                lines.read(int(headers.get("content-length", 0)))
                if first.startswith("POST"):
                    infer(stream.sendall, next(numbers))
                else:
                    stream.sendall(get(first.split()[1]))
        except (OSError, ValueError):
            pass
        finally:
            stream.close()

    def accept():
        while True:
            try:
                threading.Thread(target=converse, args=(listener.accept()[0],), daemon=True).start()
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def loaded(neph, url, *arguments):
    """Figures, messages of warnings by their codes, and the verdict of one run."""
    (cell,) = neph.json("load", url, *QUICK, *arguments)["cells"]
    figures = {name: figure["value"] for name, figure in cell["figures"].items()}
    return figures, {each["code"]: each["message"] for each in cell["warnings"]}, cell["verdict"]


def twice(send, number):
    time.sleep(0.02)
    send(reply(json.dumps(GOOD)))
    time.sleep(0.002)
    send(reply(json.dumps(GOOD)))


@pytest.mark.parametrize("loop, secure", [(("--rate", 150), False), (("--rate", 150), True), (("--clients", 3), False)])
def test_a_server_that_sends_each_reply_twice_makes_the_run_invalid(neph, tmp_path, loop, secure):
    tls, context = (), None
    if secure:
        ours = Authority(tmp_path, "ours")
        _, certificate, _, key = ours.certify("server")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        tls = ("--ca", ours.file)
    with served(twice, tls=context) as url:
        _, warnings, verdict = loaded(neph, url, *loop, *tls)
    assert "though no request was out" in warnings["stray_replies"] and verdict == "invalid"


def test_a_right_server_sends_no_reply_to_nothing(neph):
    with served(lambda send, number: send(reply(json.dumps(GOOD)))) as url:
        figures, warnings, _ = loaded(neph, url, "--rate", 150)
    assert figures["requests_answered"] == 60 and "stray_replies" not in warnings


WHOLE = json.dumps(GOOD)


@pytest.mark.parametrize("wrong", [
    reply('{"error": "no"}'), reply(WHOLE[:-2]), reply(WHOLE[:-1]), reply(WHOLE + WHOLE), reply("", "204 No Content"),
    reply(WHOLE) + reply(WHOLE), b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n0\r\n\r\n",
], ids=["error", "cut by 2", "cut by 1", "twice in one", "204", "two at once", "no chunks"])  # fmt: skip
def test_what_is_no_reply_is_failed(neph, wrong):
    with served(lambda send, number: send(wrong if number % 3 == 0 else reply(WHOLE))) as url:
        figures, _, verdict = loaded(neph, url, "--rate", 300)
    assert figures["requests_answered"] == 40 and figures["requests_failed"] == 20 and verdict != "valid"


def field(number, content):
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


Y = field(1, b"m") + field(5, field(1, b"y") + field(2, b"FP32") + field(3, b"\x01\x10"))
X = field(2, b"FP32") + field(3, b"\xff" * 9 + b"\x01\x10")


@contextmanager
def served_over_grpc(infer):
    """Replies in bytes as they are: `infer(number)`."""
    numbers = iter(range(1, 1_000_000))
    methods = {
        "ServerLive": lambda *_: b"\x08\x01",
        "ModelMetadata": lambda *_: field(1, b"m") + field(4, field(1, b"x") + X) + field(5, field(1, b"y") + X),
        "ModelInfer": lambda *_: infer(next(numbers)),
    }

    class Handler(grpc.GenericRpcHandler):
        def service(self, details):
            method = methods.get(details.method.rsplit("/", 1)[1])
            return method and grpc.unary_unary_rpc_method_handler(method)

    server = grpc.server(futures.ThreadPoolExecutor(20))
    server.add_generic_rpc_handlers((Handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        server.stop(None)


@pytest.mark.parametrize("wrong", [b"\xff\xff\xff\x07", b"", Y + field(6, bytes(60)), (Y + field(6, bytes(64)))[:-1], Y,
                                   Y + field(6, bytes(64)) * 2, field(1, b"m") + field(6, bytes(64))],
                         ids=["no protobuf", "nothing", "60 bytes", "cut", "no tensor", "two tensors", "no output"])  # fmt: skip
def test_what_is_no_reply_over_grpc_is_failed(neph, wrong):
    with served_over_grpc(lambda number: wrong if number > 2 and number % 5 == 0 else Y + field(6, bytes(64))) as url:
        figures, _, verdict = loaded(neph, url, "--rate", 300)
    assert figures["requests_failed"] == 12 and figures["requests_answered"] == 48 and verdict != "valid"


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_connection_that_ends_after_the_request_is_failed_and_a_run_without_its_server_too(neph, protocol):
    """The server is a process of its own, which ends itself at its 30th request."""
    server = subprocess.Popen([sys.executable, __file__, protocol], stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    document = neph.json("load", url, "--model", "m", "--warmup", "0s", "--count", 80, "--rate", 50, code=4)
    assert server.wait(20) == 7
    (run,) = document["runs"]
    assert run["status"] == "failed" and run["reason"] == f"{url} was no longer there at the end of the run"
    kept = neph.json("show", "--run", 1)["result"]
    figures = {each["name"]: each["estimate"]["value"] for each in kept["figures"]}
    assert figures["requests_answered"] >= 20 and figures["requests_failed"] >= 1 and figures["requests_unavailable"] >= 10
    assert "server_lost" in {each["code"] for each in kept["warnings"]}


def end_at(number):
    if number >= 30:
        os._exit(7)


def serve_until_killed(protocol):
    def infer(send, number):
        end_at(number)
        send(reply(WHOLE))

    def infer_over_grpc(number):
        end_at(number)
        return Y + field(6, bytes(64))

    with served(infer) if protocol == "http" else served_over_grpc(infer_over_grpc) as url:
        print(url, flush=True)
        time.sleep(60)


def statuses(folder):
    with sqlite3.connect(folder / "neph.db") as connection:
        return [status for status, in connection.execute("SELECT status FROM run")]


@pytest.mark.parametrize("verb, protocol, by", [("load", "http", signal.SIGINT), ("load", "grpc", signal.SIGTERM),
                                                ("infer", "http", signal.SIGTERM), ("infer", "grpc", signal.SIGINT)])  # fmt: skip
def test_a_run_against_a_server_that_hangs_ends_when_it_is_told_to(neph, tmp_path, verb, protocol, by):
    over, hangs = threading.Event(), threading.Event()

    def hang(*_):
        hangs.set()
        over.wait(60)
        return b""

    server = served(hang) if protocol == "http" else served_over_grpc(hang)
    with server as url:
        where = [url] if verb == "load" else ["--server", url]
        running = neph.start(verb, *where, "--model", "m", "--repeat", 1, "--request-timeout", "0s")
        assert hangs.wait(30)
        for _ in range(2):
            running.send_signal(by)
            time.sleep(0.2)
        _, talk = running.communicate(timeout=15)
        over.set()
    assert running.returncode != 0 and statuses(tmp_path) == ["interrupted"], talk


NASTY = "\x1b]0;title\x07\x1b[31mred\x9b2J\x7f\u202e\u2066"


def test_no_text_of_a_server_steers_the_terminal(neph, tmp_path):
    metadata = {**METADATA, "platform": NASTY, "outputs": [{**METADATA["outputs"][0], "name": NASTY}]}
    page = lambda path: reply(json.dumps(metadata))  # noqa: E731
    said = []
    with served(lambda send, number: send(reply(json.dumps({"error": NASTY}), "400 Bad")), page) as url:
        said.append(neph("load", url, *QUICK, code=None))
    with served(lambda send, number: send(reply(WHOLE if number < 9 else f"{{}}{NASTY}")), page) as url:
        said.append(neph("load", url, *QUICK, "--version", f"1,{NASTY}", code=None))
        said.append(neph("load", url, "--model", NASTY, "--count", 5, code=None))
    with served_over_grpc(lambda number: NASTY.encode()) as url:
        said.append(neph("load", url, *QUICK, code=None))
    said += [neph(*words.split()) for words in ("runs", "runs 2", "show 2", "show --run 2", "show --run 3", "runs --json",
                                                "show --run 2 --json", "show 2 --json", "export 2 --format json")]  # fmt: skip
    (tmp_path / f"{NASTY}.onnx").write_bytes(b"no model")
    said.append(neph("net", f"{NASTY}.onnx", code=None))
    for done in said:
        assert not STEERS.search(done.stderr + done.stdout), (done.args, done.stderr[-500:], done.stdout[-500:])
    assert any("\ufffd[31mred" in done.stderr for done in said)


if __name__ == "__main__":
    serve_until_killed(sys.argv[1])
