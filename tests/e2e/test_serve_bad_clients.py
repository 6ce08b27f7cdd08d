"""Clients that behave badly towards `neph serve`: it stays there for all others."""

import json
import resource
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest
import tritonclient.grpc
import tritonclient.http
from bystander import BODY, Bystander
from paths import SHADOW, TSAN
from raw_http import ask, connect, error_of, post, read_reply
from waiting import wait_for

REQUEST = post(body=BODY.encode())


def descriptors(pid):
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def resident_bytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


@pytest.fixture
def many_files():
    """Lets this process and those it starts have as many open files as the machine allows; skips below 12,000."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < 12_000:
        pytest.skip(f"at most {before[1]} open files are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_ten_thousand_idle_connections(many_files, serve, repository):
    with serve(repository) as served:
        before = descriptors(served.pid)
        memory = resident_bytes(served.pid)
        idle = []
        with Bystander(served, patience_s=5):
            for _ in range(10_000):
                idle.append(connect(served))
            assert ask(served, REQUEST)[0] == 200
            assert resident_bytes(served.pid) - memory < 10_000 * 32_768 * SHADOW, "an idle connection costs less than 32 KiB"
            for each in idle:
                each.close()
        wait_for(lambda: descriptors(served.pid) <= before + 20)


def test_idle_grpc_connections_leave_descriptors_for_http(serve, repository):
    """300 for a server that may open 256 files: gRPC's library would stop taking connections for good."""
    few_files = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"]
    with serve(repository, command=few_files) as served:
        host, _, port = served.grpc.rpartition(":")
        before = descriptors(served.pid)
        with Bystander(served):
            idle = [socket.create_connection((host, int(port)), timeout=10) for _ in range(300)]
            for _ in range(20):
                assert ask(served, REQUEST)[0] == 200
            wait_for(lambda: descriptors(served.pid) - before > 50)
            assert descriptors(served.pid) - before < 200
        for each in idle:
            each.close()
        wait_for(lambda: descriptors(served.pid) <= before + 20)
        with Bystander(served):
            pass  # its connections are new


def test_as_many_files_as_the_system_allows(serve, repository):
    with serve(repository, command=["sh", "-c", 'ulimit -Sn 200; exec "$@"', "sh"]) as served:
        soft, hard = resource.prlimit(served.pid, resource.RLIMIT_NOFILE)
        assert soft == hard


def test_senders_of_one_byte_a_time(served):
    slow = [connect(served) for _ in range(50)]
    with Bystander(served):
        for at in range(20):
            for each in slow:
                each.sendall(REQUEST[at : at + 1])
            time.sleep(0.1)
        for each in slow:
            each.sendall(REQUEST[20:])
            assert read_reply(each)[0] == 200, "slow is not wrong"
            each.close()


@pytest.mark.parametrize("model", ["identity", "ten_ms"])
def test_half_closed_sockets_are_answered(served, model):
    with Bystander(served):
        for _ in range(50):
            with connect(served) as stream:
                stream.sendall(post(model, BODY.encode()))
                stream.shutdown(socket.SHUT_WR)
                status, _, answer = read_reply(stream)
                assert status == 200, answer
                assert stream.recv(1) == b"", "and closed"


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.99])
def test_resets_in_mid_body(served, cut):
    before = descriptors(served.pid)
    with Bystander(served):
        for _ in range(200):
            stream = connect(served)
            stream.sendall(REQUEST[: int(len(REQUEST) * cut)])
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            stream.close()  # with a reset
    wait_for(lambda: descriptors(served.pid) <= before + 5)


def test_clients_that_never_read(serve, repository):
    """Each asks for 64 MB of answers and takes none of them."""
    body = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [64, 16], "data": [0.123456] * 1024}]}
    request = post(body=json.dumps(body).encode())
    with serve(repository) as served:
        memory = resident_bytes(served.pid)
        deaf = [connect(served, timeout_s=0.5) for _ in range(10)]
        with Bystander(served):
            for each in deaf:
                try:
                    while True:
                        each.sendall(request)
                except TimeoutError:
                    pass  # it takes no more, which is what it should do
            assert resident_bytes(served.pid) - memory < 10 * 8 * 2**20 * SHADOW, "what is not read is not kept without bounds"
        for each in deaf:
            each.close()


class TestDeadlines:
    def test_already_past_over_http(self, served):
        """A microsecond is over before so many numbers are read."""
        rows = {"name": "x", "datatype": "FP32", "shape": [8, 16], "data": [0.123456789] * 128}
        body = {"inputs": [rows], "parameters": {"timeout": 1}}
        status, _, answer = ask(served, post("ten_ms", json.dumps(body).encode()))
        assert status == 504 and "timed out" in error_of(answer)

    def test_those_that_wait_too_long(self, served):
        """12 at once for a model that takes 10 ms each, with 30 ms of patience: the last get an error, in time."""
        body = json.dumps(json.loads(BODY) | {"parameters": {"timeout": 30_000}}).encode()

        def once(_):
            begin = time.monotonic()
            return ask(served, post("one_by_one", body))[0], time.monotonic() - begin

        with Bystander(served), ThreadPoolExecutor(12) as pool:
            results = list(pool.map(once, range(12)))
        assert {status for status, _ in results} == {200, 504}
        assert max(took_s for status, took_s in results if status == 504) < 0.5

    def test_over_grpc(self, served):
        client = tritonclient.grpc.InferenceServerClient(served.grpc)
        tensor = tritonclient.grpc.InferInput("x", [1, 16], "FP32")
        tensor.set_data_from_numpy(numpy.zeros((1, 16), "float32"))
        with Bystander(served):
            for _ in range(20):
                with pytest.raises(tritonclient.grpc.InferenceServerException, match="(?i)deadline"):
                    client.infer("ten_ms", [tensor], client_timeout=1e-4)
            assert client.infer("ten_ms", [tensor], client_timeout=5).as_numpy("y") is not None


def test_a_full_queue_says_so_at_once(served):
    """64 at once for a model that takes 10 ms each and lets 16 wait."""
    with Bystander(served), ThreadPoolExecutor(64) as pool:
        begin = time.monotonic()
        results = list(pool.map(lambda _: ask(served, post("one_by_one", BODY.encode())), range(64)))
        took_s = time.monotonic() - begin
    statuses = [status for status, _, _ in results]
    assert set(statuses) == {200, 503}
    assert 17 <= statuses.count(200)
    for status, headers, body in results:
        if status == 503:
            assert int(headers["retry-after"]) >= 1
            assert "queue" in error_of(body) or "full" in error_of(body)
    assert took_s < 5


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_what_was_accepted_is_answered_before_it_ends(serve, repository, protocol):
    """SIGTERM while 16 clients ask: each request is answered, or was never taken; and it ends by itself."""
    library = {"http": tritonclient.http, "grpc": tritonclient.grpc}[protocol]
    answered, refused, broken = [], [], []
    told = threading.Event()

    def drive(served, seed):
        client = library.InferenceServerClient(getattr(served, protocol))
        values = numpy.full((1, 16), seed, "float32")
        tensor = library.InferInput("x", [1, 16], "FP32")
        tensor.set_data_from_numpy(values)
        while True:
            try:
                answer = client.infer("ten_ms", [tensor]).as_numpy("y")
                (answered if (answer == values).all() else broken).append(seed)
            except Exception as error:  # noqa: BLE001 - each library has its own
                (refused if told.is_set() else broken).append(f"{type(error).__name__}: {error}")
                return

    with serve(repository) as served, ThreadPoolExecutor(16) as pool:
        for seed in range(16):
            pool.submit(drive, served, seed)
        time.sleep(0.5)
        told.set()
        served.process.terminate()
        begin = time.monotonic()
        served.process.wait(30)
        took_s = time.monotonic() - begin
    assert not broken
    assert len(answered) > (10 if TSAN else 100), "so many fit into the time"
    assert took_s < 5
    lost = [text for text in refused if "RemoteDisconnected" in text or "Connection reset" in text]
    assert not lost, "a request that was taken has no answer"


def test_a_model_that_is_loaded_anew_drops_no_request(serve, repository):
    with serve(repository) as served, Bystander(served, pause_s=0), Bystander(served, pause_s=0):
        client = tritonclient.grpc.InferenceServerClient(served.grpc)
        for _ in range(60):  # each is tried in a process of its own first
            client.load_model("identity")
        client.close()
