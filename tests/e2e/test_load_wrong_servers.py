"""`neph load` against servers that do what no server should: nothing of it may pass for an answer, or be blamed on the wrong one."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from paths import REPOSITORY
from server_process import free_ports
from waiting import wait_for

CASES = REPOSITORY.parent / "shared/cases"
METADATA = {
    "name": "m",
    "versions": ["1"],
    "platform": "python",
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}],
    "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 1]}],
}
ANSWER = {"model_name": "m", "outputs": [{"name": "y", "datatype": "FP32", "shape": [1, 1], "data": [1.0]}]}


@contextmanager
def served(infer):
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
            self.reply(json.dumps(METADATA if "/models/" in self.path else {"name": "python", "extensions": []}).encode())

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
    [(False, "requests_unavailable"), (b"{{{{{", "requests_failed"), (b"<html>sorry</html>", "requests_failed")],
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
    with served(lambda handler, number: good(0.05)) as url:
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


@contextmanager
def case(tmp_path, script, mode):
    """The port of a server of ../shared/cases in one of its modes."""
    (port,) = free_ports(1)
    server = subprocess.Popen([sys.executable, CASES / script, mode, str(port)])
    try:
        wait_for(lambda: server.poll() is None and socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        yield port
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("mode", ["ok", "versions", "noversions", "platform", "mparam", "ext", "id", "version", "param", "oparam"])
def test_null_of_an_optional_field_is_as_if_absent(neph, tmp_path, mode):
    with case(tmp_path, "v2_replies_with_null.py", mode) as port:
        _, figures = loaded(neph, f"http://127.0.0.1:{port}", "--rate", 20)
    assert figures["requests_failed"] == 0 < figures["requests_answered"]


@pytest.mark.parametrize(
    "script, mode, reason",
    [("http_200_with_error.py", mode, reason) for mode, reason in {
        "err200": "no outputs: '{\"error\": \"model crashed\"}'", "empty": "no outputs: '{}'", "noouts": "no outputs", "v1": "predictions",
        "badout": "'y': 4 bytes of data; FP32 [1, 2] has 8"}.items()]
    + [("grpc_ok_without_outputs.py", mode, reason) for mode, reason in {
        "empty": "no outputs", "short": "'y': 4 bytes of data", "param": "error: model crashed"}.items()],
)
def test_an_ok_without_an_answer_is_a_failure_with_its_reason(neph, tmp_path, script, mode, reason):
    scheme = "grpc" if script.startswith("grpc") else "http"
    with case(tmp_path, script, mode) as port:
        done = neph("load", f"{scheme}://127.0.0.1:{port}", "--model", "m", "--duration", "1s", code=None)
    assert done.returncode not in (0, 5) and reason in done.stderr and "json.exception" not in done.stderr


@pytest.mark.parametrize("script, mode", [("http_200_with_error.py", "later"), ("grpc_ok_without_outputs.py", "ok")])
def test_each_reply_is_looked_at(neph, tmp_path, script, mode):
    """`later`: the sixth reply and all after it are a 200 with an error."""
    scheme = "grpc" if script.startswith("grpc") else "http"
    with case(tmp_path, script, mode) as port:
        done = neph("load", f"{scheme}://127.0.0.1:{port}", "--model", "m", "--rate", 30, "--duration", "1s", "--warmup", "0s", "--json", code=None)
    figures = {name: figure["value"] for name, figure in json.loads(done.stdout)["cells"][0]["figures"].items()}
    assert figures["requests_answered"] == (pytest.approx(4, abs=1) if mode == "later" else figures["requests_sent"])
