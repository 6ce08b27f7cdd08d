"""`neph serve` as its user and the system see it: what it prints, how it ends, and what its errors say."""

import json
import signal
import socket
import struct
import threading
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from waiting import wait_for

PORTS = ("--http-port", "0", "--grpc-port", "-1", "--metrics-port", "-1")


def write_model(path, service_ms=0.0):
    """A model that answers x [n, 4] as y after so long."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'service_ms = {service_ms}\n[[inputs]]\nname = "x"\nshape = [-1, 4]\n[[outputs]]\nname = "y"\n')
    return path


class Server:
    def __init__(self, neph, *arguments, **options):
        self.process = neph.start("serve", *arguments, *PORTS, "--json", **options)
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.said = json.loads(line)

    def connect(self):
        address = urlsplit(self.said["http"])
        return HTTPConnection(address.hostname, address.port, timeout=20)

    def ask(self, path, method="GET", connection=None, **options):
        connection = connection or self.connect()
        connection.request(method, path, **options)
        reply = connection.getresponse()
        return reply.status, reply.read(), reply.headers

    def infer(self, model="m", first=7.0, connection=None, headers=None):
        """Raw bytes in, raw bytes out."""
        raw = {"Inference-Header-Content-Length": "0", **(headers or {})}
        body = struct.pack("<4f", first, 1, 2, 3)
        return self.ask(f"/v2/models/{model}/infer", "POST", connection, body=body, headers=raw)

    def end(self, number=signal.SIGTERM):
        """Exit code and what was said since the start."""
        self.process.send_signal(number)
        said = self.process.communicate(timeout=20)[1]
        return self.process.returncode, said


@pytest.fixture
def model(tmp_path):
    return write_model(tmp_path / "m.identity")


@pytest.mark.smoke
def test_serves_and_ends_on_a_signal(neph, model):
    server = Server(neph, model)
    assert server.said["models"]["m"]["engine"] == "identity"
    assert set(server.said) == {"http", "models"}
    assert server.ask("/v2/health/ready")[0] == 200
    status, body, _ = server.infer()
    assert status == 200
    assert struct.pack("<4f", 7, 1, 2, 3) in body or json.loads(body)["outputs"][0]["data"] == [7, 1, 2, 3]
    code, said = server.end(signal.SIGINT)
    assert code == 0
    assert "model m on" in said and "stopping: nothing new is accepted" in said


def test_ends_with_whoever_started_it(neph, model):
    import subprocess

    server = Server(neph, model, "--end-with-stdin", stdin=subprocess.PIPE)
    assert server.infer()[0] == 200
    server.process.stdin.close()
    assert server.process.wait(timeout=20) == 0


def test_ends_with_whoever_started_it_while_it_loads(neph, small_model):
    done = neph("serve", small_model, "--http-port", 0, "--grpc-port", -1, "--metrics-port", -1, "--end-with-stdin", code=4)
    assert "ended while models were being loaded" in done.stderr


def test_answers_every_accepted_request_when_told_to_stop_under_load(neph, tmp_path):
    server = Server(neph, write_model(tmp_path / "m.identity", 5))
    outcomes, enough = [], threading.Event()

    def client(number):
        connection = server.connect()
        try:
            while not enough.is_set():
                status, _, headers = server.infer(first=number, connection=connection)
                outcomes.append(status)
                if headers.get("Connection", "").lower() == "close":
                    return
        except (ConnectionError, OSError):
            outcomes.append("between requests")
        except Exception as error:  # half an answer
            outcomes.append(repr(error))

    clients = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for each in clients:
        each.start()
    time.sleep(0.3)
    code, said = server.end()
    enough.set()
    for each in clients:
        each.join()
    assert code == 0, said
    assert outcomes.count(200) > 20
    assert set(outcomes) <= {200, "between requests"}, outcomes


def test_says_when_there_was_no_time_to_answer_all(neph, tmp_path):
    server = Server(neph, write_model(tmp_path / "m.identity", 200), "--stop-limit", "100ms")
    connections = [server.connect() for _ in range(6)]
    for connection in connections:
        connection.request("POST", "/v2/models/m/infer", body=struct.pack("<4f", 1, 2, 3, 4),
                           headers={"Inference-Header-Content-Length": "0"})
    wait_for(lambda: b'nv_inference_pending_request_count{model="m",version="1"} 5' in server.ask("/metrics")[1])
    begin = time.monotonic()
    code, said = server.end()
    assert time.monotonic() - begin < 2
    assert code == 5, said
    assert "not all that was accepted could be answered within 100 ms; more time: --stop-limit" in said


def test_a_second_signal_ends_it_at_once(neph, tmp_path):
    server = Server(neph, write_model(tmp_path / "m.identity", 5000))
    connection = server.connect()
    connection.request("POST", "/v2/models/m/infer", body=struct.pack("<4f", 1, 2, 3, 4),
                       headers={"Inference-Header-Content-Length": "0"})
    time.sleep(0.2)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    assert server.process.poll() is None
    begin = time.monotonic()
    code, said = server.end()
    assert time.monotonic() - begin < 2
    assert code == 4
    assert "ended at once; requests may have gone without an answer" in said


def test_a_signal_while_models_are_loaded_ends_it(neph, tmp_path):
    # trying the model out takes 2 x 3 s
    process = neph.start("serve", write_model(tmp_path / "m.identity", 3000), *PORTS)
    time.sleep(0.5)
    process.terminate()
    assert "ended while models were being loaded" in process.communicate(timeout=2)[1]
    assert process.returncode == 4


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        ((), 2, ["no model given; neph serve MODEL.onnx, or a repository folder"]),
        (("none.onnx",), 3, ["none.onnx"]),
        (("m.identity", "--max-batch", "0"), 2, ["--max-batch"]),
        (("m.identity", "--max-bach", "4"), 2, ["--max-bach"]),
        (("m.identity", "--max-batch", "4", "--batch-sizes", "1,8"), 2,
         ["batch sizes: '8' is not a whole number from 1 to max_batch, which is 4"]),
        (("m.identity", "--engine", "nimbus"), 3, ["unknown engine 'nimbus'"]),
        (("m.identity", "--payload", "jpeg"), 8, ["the model's input 'x' has rank 2; images need"]),
        (("m.identity", "--listen", "nowhere"), 2, ["nowhere"]),
        (("m.identity", "--token-file", "none"), 3, ["none"]),
        (("m.identity", "--certificate", "none.pem"), None, ["none.pem"]),
        (("broken.identity",), 7, ["broken.identity"]),
        (("empty",), 2, ["empty holds no model; a repository is laid out as NAME/VERSION/model.onnx"]),
        (("m.cloud",), 8, ["m.cloud: no engine here reads '.cloud' files"]),
    ],
)
def test_errors_are_one_line_that_says_what_to_do(neph, model, tmp_path, arguments, code, words):
    (tmp_path / "broken.identity").write_text("service_ms = -1")
    (tmp_path / "m.cloud").write_text("")
    (tmp_path / "empty").mkdir()
    done = neph("serve", *arguments, *PORTS, code=code, timeout_s=20)
    assert done.returncode != 0
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr


@pytest.mark.smoke
def test_a_port_that_is_taken_is_named(neph, model):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for option in ("--http-port", "--grpc-port", "--metrics-port"):
            ports = {"--http-port": "0", "--grpc-port": "-1", "--metrics-port": "-1"} | {option: str(port)}
            done = neph("serve", model, *[text for pair in ports.items() for text in pair], code=4, timeout_s=20)
            assert str(port) in done.stderr, done.stderr


def test_a_repository_is_loaded_and_unloaded_while_it_serves(neph, tmp_path):
    repository = tmp_path / "repository"
    write_model(repository / "a/1/model.identity")
    write_model(repository / "b/1/model.identity")
    server = Server(neph, repository)
    assert set(server.said["models"]) == {"a", "b"}
    write_model(repository / "a/2/model.identity")
    assert server.ask("/v2/repository/models/a/load", "POST")[0] == 200
    assert server.ask("/v2/models/a/versions/2/ready")[0] == 200
    assert server.ask("/v2/repository/models/b/unload", "POST")[0] == 200
    status, body, headers = server.infer("b")
    assert status == 503 and "unloaded" in json.loads(body)["error"]
    assert server.infer("c")[0] == 404
    assert server.infer("a")[0] == 200
    (repository / "a/3").mkdir()
    (repository / "a/3/model.identity").write_text("service_ms = 'soon'")
    status, body, _ = server.ask("/v2/repository/models/a/load", "POST")
    assert status >= 400 and "a/3/model.identity" in json.loads(body)["error"]
    assert server.infer("a")[0] == 200, "the version before goes on"
    index = json.loads(server.ask("/v2/repository/index", "POST")[1])
    assert {(entry["name"], entry.get("state")) for entry in index} == {("a", "READY"), ("b", "UNAVAILABLE")}
    assert server.end()[0] == 0
