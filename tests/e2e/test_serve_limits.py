"""What a client cannot take from `neph serve`, and the rules of HTTP that its replies keep (docs/PROTOCOL.md)."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import time
import zlib
from pathlib import Path

import pytest
from paths import BUILD
from raw_http import ask, connect, error_of, post, read_reply

MIB = 1 << 20
INPUT = b'{"inputs":[{"name":"x","shape":[2],"datatype":"%s","data":['

BOMBS = {  # name: (what begins a body, what fills it, what ends it, bytes of tensors that a byte of it becomes)
    "parameters": (b'{"inputs":[],"parameters":{', b'"":0,', b'"":0}}', 0),
    "parameters of a tensor": (b'{"inputs":[{"parameters":{', b'"":0,', b'"":0}}]}', 0),
    "inputs": (b'{"inputs":[', b"{},", b"{}]}", 0),
    "unknown keys": (b'{"inputs":[],"x":{', b'"":0,', b'"":0}}', 0),
    "lists in lists": (b'{"inputs":[],"x":[', b"[],", b"[]]}", 0),
    "nested": (b'{"inputs":[],"x":', b"[", b"]}", 0),
    "a name": (b'{"inputs":[{"name":"', b"x", b'"}]}', 0),
    "an id with escapes": (b'{"id":"', b"\\n", b'"}', 0),
    "a parameter's text": (b'{"inputs":[],"parameters":{"a":"', b"x", b'"}}', 0),
    "numbers": (INPUT % b"FP64", b"0,", b"0]}]}", 4),
    "numbers before their type": (b'{"inputs":[{"data":[', b"0,", b'0],"datatype":"FP64","shape":[1]}]}', 4),
    "elements of BYTES": (INPUT % b"BYTES", b'"",', b'""]}]}', 4 / 3),
    "a long element": (INPUT % b"BYTES" + b'"', b"\\u0041bcdefghij", b'"]}]}', 10 / 15),
}


def packed(begin, fill, end, size):
    packer = zlib.compressobj(1)
    piece = fill * (MIB // len(fill))
    parts = [packer.compress(begin), *(packer.compress(piece) for _ in range(size // len(piece)))]
    return b"".join([*parts, packer.compress(end), packer.flush()])


def memory_of(pid, name):
    return int(Path(f"/proc/{pid}/status").read_text().partition(f"{name}:")[2].split()[0]) * 1024


def growth(served, requests):
    """The replies, and how many bytes the server grew by meanwhile, at its largest."""
    Path(f"/proc/{served.pid}/clear_refs").write_text("5")  # VmHWM begins anew
    before = memory_of(served.pid, "VmRSS")
    replies = []
    for request in requests:
        with connect(served, timeout_s=120) as stream:
            try:
                stream.sendall(request)
            except OSError:
                pass  # the reply came first
            replies.append(read_reply(stream))
    return replies, memory_of(served.pid, "VmHWM") - before


@pytest.mark.skipif(BUILD.name in ("asan", "tsan"), reason="the sanitizer's memory would be counted")
@pytest.mark.parametrize("limit", [None, 16 * MIB], ids=["default limit", "16 MiB"])
def test_bodies_grow_memory_by_what_counts(serve, repository, limit):
    size = 32 * MIB if limit is None else 15 * MIB
    names = ("parameters", "lists in lists", "numbers", "a long element") if limit is None else BOMBS
    with serve(repository, *([] if limit is None else ["--max-body-bytes", limit])) as served:
        for name in names:
            begin, fill, end, tensors = BOMBS[name]
            body = packed(begin, fill, end, size)
            [(status, _, reply)], grown = growth(served, [post(body=body, headers=["Content-Encoding: deflate"])])
            assert 400 <= status < 500, f"{name}: {reply[:300]}"
            counted = size + size * tensors if limit is None else limit
            assert grown < counted + 64 * MIB, f"{name}: {grown / MIB:.0f} MiB for {counted / MIB:.0f}"
            assert len(reply) < 2000, name
        assert ask(served, b"GET /v2 HTTP/1.1\r\nHost: h\r\n\r\n")[0] == 200


@pytest.mark.skipif(BUILD.name in ("asan", "tsan"), reason="the sanitizer's memory would be counted")
@pytest.mark.parametrize("coding", ["chunked", "deflate"])
def test_a_large_body_is_not_there_twice(serve, repository, coding):
    size = 150 * MIB
    with serve(repository) as served:
        if coding == "deflate":
            request = post(body=packed(b"", b" ", b"", size), headers=["Content-Encoding: deflate"])
        else:
            chunk = b"100000\r\n" + b" " * MIB + b"\r\n"
            head = post().replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
            request = head + chunk * (size // MIB) + b"0\r\n\r\n"
        [(status, _, reply)], grown = growth(served, [request])
        assert (status, "not JSON" in error_of(reply)) == (400, True)
        assert grown < size + 64 * MIB


def test_what_counts_against_the_limit_of_a_body(serve, repository):
    def numbers(count):
        return (INPUT % b"FP32" + b"0," * (count - 1) + b"0]}]}").replace(b"[2]", b"[%d,16]" % (count // 16))

    with serve(repository, "--max-body-bytes", 60_000) as served:
        assert ask(served, post(body=numbers(9_600)))[0] == 200, "19 KB of text and 38 KB of tensors"
        status, _, reply = ask(served, post(body=numbers(11_200)))
        assert (status, "takes more than is allowed" in error_of(reply)) == (400, True)
        noise = os.urandom(59_000)
        body = zlib.compress(noise, 0)
        headers = ["Content-Encoding: deflate", "Inference-Header-Content-Length: 0"]
        status, _, reply = ask(served, post(body=body, headers=headers))
        assert "59000 bytes are no whole rows" in error_of(reply), "it counts once, packed or unpacked"


@pytest.mark.skipif(BUILD.name in ("asan", "tsan"), reason="the sanitizer's memory would be counted")
def test_without_the_token_a_connection_has_a_megabyte(serve, repository, tmp_path):
    (tmp_path / "token").write_text("sesame")
    bomb = packed(*BOMBS["parameters"][:3], 32 * MIB)
    health = b"GET /v2/health/live HTTP/1.1\r\nHost: h\r\nContent-Encoding: deflate\r\nContent-Length: %d\r\n\r\n%s"
    unfinished = post(headers=["X: " + "x" * 15_000])[:-4]
    with serve(repository, "--token-file", tmp_path / "token") as served:
        held = []
        Path(f"/proc/{served.pid}/clear_refs").write_text("5")
        before = memory_of(served.pid, "VmRSS")
        for _ in range(20):
            for request, expected in (
                (post(body=bomb, headers=["Content-Encoding: deflate"]), 401),
                (post(headers=[]).replace(b"Content-Length: 0", b"Content-Length: 1000000000"), 401),
                (health % (len(bomb), bomb), 413),
                (health % (3000, zlib.compress(b" " * 3_000_000, 9)[:3000].ljust(3000)), 400),
                (unfinished, None),
            ):
                stream = connect(served, timeout_s=60)
                held.append(stream)
                try:
                    stream.sendall(request)
                except OSError:
                    pass  # refused before it was sent
                if expected:
                    assert read_reply(stream)[0] == expected
        assert memory_of(served.pid, "VmHWM") - before < len(held) * MIB
        for stream in held:
            stream.close()


def test_replies_to_head_have_no_body(served):
    connection = http.client.HTTPConnection(served.http, timeout=20)
    for path in ("/v2/health/ready", "/v2", "/metrics", "/v2/models/none", "/v2/models/identity/config"):
        connection.request("GET", path)
        reply = connection.getresponse()
        body, length = reply.read(), reply.getheader("Content-Length")
        for _ in range(2):
            connection.request("HEAD", path)
            head = connection.getresponse()
            assert (head.status, head.read()) == (reply.status, b""), path
            if path != "/metrics":  # whose numbers grow
                assert head.getheader("Content-Length") == length == str(len(body))
    connection.close()
    with connect(served) as stream:
        stream.sendall(b"HEAD /v2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        everything = b"".join(iter(lambda: stream.recv(1 << 16), b""))
        assert everything.endswith(b"\r\n\r\n")


def test_methods_and_hosts(served):
    status, headers, _ = ask(served, b"GET /v2/models/identity/infer HTTP/1.1\r\nHost: h\r\n\r\n")
    assert (status, headers["allow"]) == (405, "post")
    status, headers, _ = ask(served, b"DELETE /v2/models/identity HTTP/1.1\r\nHost: h\r\n\r\n")
    assert (status, headers["allow"]) == (405, "get, head")
    assert ask(served, b"GET /v2 HTTP/1.1\r\n\r\n")[0] == 400
    assert ask(served, b"GET /v2 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")[0] == 400
    assert ask(served, b"GET /v2 HTTP/1.0\r\n\r\n")[0] == 200


def test_pages_of_other_origins_load_nothing(serve, repository):
    def load(served, *headers):
        lines = ["POST /v2/repository/models/identity/load HTTP/1.1", f"Host: {served.http}", "Content-Length: 0", *headers]
        return ask(served, "\r\n".join(lines).encode() + b"\r\n\r\n")[0]

    with serve(repository) as served:
        for header in ("Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"):
            assert load(served, header) == 403, header
        assert load(served) == load(served, f"Origin: http://{served.http}") == 200


@pytest.mark.parametrize("body", ["Content-Length: 10\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"])
def test_half_a_request_does_not_hold_the_end(serve, repository, body):
    with serve(repository) as served:
        half = connect(served, timeout_s=25)
        half.sendall(b"POST /v2/models/identity/infer HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n" + body.encode())
        assert half.recv(100).startswith(b"HTTP/1.1 100"), "it has come"
        os.kill(served.pid, signal.SIGTERM)
        begin = time.monotonic()
        status, headers, reply = read_reply(half)
        assert (status, "the server is stopping" in error_of(reply)) == (503, True)
        assert headers["connection"] == "close"
        assert served.process.wait(25) == 0, "30 s is what requests that were accepted have"
        assert time.monotonic() - begin < 25


@pytest.mark.parametrize("head", ["Content-Length: 10000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nffffff\r\n"])
@pytest.mark.parametrize("repeat", range(3))
def test_a_request_that_still_drips_does_not_hold_the_end(serve, repository, head, repeat):
    with serve(repository) as served:
        half = connect(served, timeout_s=25)
        half.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        half.sendall(b"POST /v2/models/identity/infer HTTP/1.1\r\nHost: h\r\n" + head.encode())
        end, killed = time.monotonic() + 0.4, False
        with contextlib.suppress(OSError):  # the server may have closed it
            while time.monotonic() < end:
                half.sendall(b" ")
                if not killed and time.monotonic() > end - 0.2:
                    os.kill(served.pid, signal.SIGTERM)
                    killed = True
        assert served.process.wait(15) == 0


def test_names_of_folders_that_are_not_text(serve, repository, tmp_path):
    models = tmp_path / "models"
    shutil.copytree(repository / "identity", models / "identity")
    for name in ("caf\udce9", "two\nlines", 'quote"\\'):
        shutil.copytree(repository / "identity", models / name)
    with serve(models) as served:
        metrics = ask(served, b"GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n")[2].decode()
        assert 'model="quote\\"\\\\"' in metrics and "caf" not in metrics
        body = ask(served, b"POST /v2/repository/index HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")[2]
        states = {each["name"]: each["state"] for each in json.loads(body.decode())}
        assert states == {"identity": "READY", 'quote"\\': "READY", "caf\ufffd": "UNAVAILABLE", "two lines": "UNAVAILABLE"}
        assert ask(served, b"POST /v2/repository/models/caf%E9/load HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")[0] == 404
        assert ask(served, b"GET /v2/models/caf%E9 HTTP/1.1\r\nHost: h\r\n\r\n")[2].decode().startswith('{"error"')


def test_clients_get_no_folders_of_the_server(serve, repository, tmp_path):
    models = tmp_path / "my models"
    shutil.copytree(repository / "identity", models / "identity")
    (models / "broken" / "1").mkdir(parents=True)
    (models / "broken" / "1" / "model.onnx").write_text("no model")
    (models / "empty").mkdir()
    with serve(models) as served:
        index = ask(served, b"POST /v2/repository/index HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")[2].decode()
        replies = [index]
        for name in ("broken", "empty", "none"):
            request = f"POST /v2/repository/models/{name}/load HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
            status, _, reply = ask(served, request.encode())
            assert status >= 400
            replies += [reply.decode(), ask(served, post(name))[2].decode()]
        for reply in replies:
            assert str(tmp_path) not in reply and tmp_path.name not in reply, reply
        assert "empty is empty" in index and "broken/1/model.onnx" in index
        logged = [line for line in log_of(served).splitlines() if "broken" in line]
        assert f"{models}/broken/1/model.onnx" in logged[0], logged


def log_of(served):
    """What a running server wrote on stderr."""
    return (Path(f"/proc/{served.pid}/cwd").resolve() / "neph-serve.log").read_text()


@pytest.mark.parametrize("address, options, warned", [("0.0.0.0", [], True), ("127.0.0.1", [], False), ("0.0.0.0", ["token"], False)])
def test_a_port_open_to_all_without_a_token_is_warned_of(serve, repository, tmp_path, address, options, warned):
    (tmp_path / "token").write_text("sesame")
    token = ["--token-file", tmp_path / "token"] if options else []
    with serve(repository, "--listen", address, *token) as served:
        assert ("warning: 0.0.0.0 is open to other machines" in log_of(served)) == warned
