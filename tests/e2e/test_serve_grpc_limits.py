"""What a client of gRPC can take of `neph serve` before its request is with the model: little."""

import threading
import time
from pathlib import Path

import grpc
import numpy
import onnx
import pytest
from bystander import Bystander
from onnx import TensorProto, helper, numpy_helper
from paths import BUILD, SHADOW
from raw_http2 import DATA, END_HEADERS, HEADERS, INFER, continuation, frame, greet, header, pings, rapid_reset, until_closed

MIB = 1 << 20
GROWTH = 64 * MIB * SHADOW


def peak_bytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def call(served, content, token=None, compression=None):
    """The status of a ModelInfer with these bytes."""
    with grpc.insecure_channel(served.grpc, options=[("grpc.max_send_message_length", -1)]) as channel:
        infer = channel.unary_unary(INFER, request_serializer=bytes, response_deserializer=bytes)
        metadata = [("authorization", f"Bearer {token}")] if token else None
        try:
            infer(content, timeout=60, compression=compression, metadata=metadata)
        except grpc.RpcError as error:
            return error.code(), error.details()
    return grpc.StatusCode.OK, ""


MODEL = b"\x0a\x08identity"
BOMBS = {
    "empty inputs": MODEL + b"\x2a\0" * (16 * MIB),
    "empty outputs": MODEL + b"\x32\0" * (16 * MIB),
    "empty contents": MODEL + b"\x3a\0" * (16 * MIB),
    "empty parameters": MODEL + b"\x22\0" * (16 * MIB),
    "empty shapes": MODEL + b"\x2a\x80\x80\x80\x08" + b"\x1a\0" * (8 * MIB),
    "a group": MODEL + b"\xd3\x05" + b"\x08\x01" * (8 * MIB) + b"\xd4\x05",
    "unknown fields": MODEL + b"\xa2\x06\0" * (10 * MIB),
}


@pytest.fixture(scope="module")
def token_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("token") / "token"
    file.write_text("sesame")
    return file


@pytest.mark.parametrize("limit", [16 * MIB, 64 * MIB])
def test_many_small_parts_of_a_message_stay_small(serve, repository, limit):
    with serve(repository, "--max-body-bytes", str(limit)) as served:
        before = peak_bytes(served.pid)
        with Bystander(served, patience_s=20):
            for name, bomb in BOMBS.items():
                code, _ = call(served, bomb, compression=grpc.Compression.Gzip)
                assert code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED), name
        assert peak_bytes(served.pid) - before < GROWTH + limit


def test_what_is_unpacked_counts(serve, repository):
    with serve(repository, "--max-body-bytes", str(16 * MIB)) as served:
        before = peak_bytes(served.pid)
        with Bystander(served, patience_s=20):
            code, details = call(served, MODEL + b"\x3a\x80\x80\x80\x20" + bytes(64 * MIB), compression=grpc.Compression.Gzip)
        assert (code, "unpacked" in details) == (grpc.StatusCode.INVALID_ARGUMENT, True), details
        assert peak_bytes(served.pid) - before < GROWTH + 16 * MIB


def test_without_the_token_nothing_is_kept(serve, repository, token_file):
    with serve(repository, "--token-file", token_file) as served:
        call(served, MODEL)
        before = peak_bytes(served.pid)
        for bomb in (BOMBS["empty inputs"], bytes(64 * MIB)):
            code, _ = call(served, bomb, compression=grpc.Compression.Gzip)
            assert code == grpc.StatusCode.UNAUTHENTICATED
        connections = [greet(served.grpc) for _ in range(20)]
        for connection in connections:  # half a message each, of one that may be a gigabyte
            connection.sendall(frame(HEADERS, END_HEADERS, 1, header()) + b"".join(frame(DATA, 0, 1, bytes(16384)) for _ in range(3)))
        time.sleep(0.5)
        assert peak_bytes(served.pid) - before < (len(connections) * MIB + 8 * MIB) * SHADOW
        for connection in connections:
            connection.close()


@pytest.mark.skipif(BUILD.name == "asan", reason="that sanitizer keeps for a while what was given back")
@pytest.mark.parametrize("flood", [rapid_reset, continuation, pings])
def test_floods_of_frames_take_little(serve, repository, flood):
    with serve(repository) as served:
        before = peak_bytes(served.pid)
        end = time.monotonic() + 2

        def attack():
            while time.monotonic() < end:
                connection, stream = greet(served.grpc), 1
                try:
                    while time.monotonic() < end:
                        stream = flood(connection, stream)
                except OSError:
                    pass  # the server has ended it
                connection.close()

        attackers = [threading.Thread(target=attack) for _ in range(2)]
        with Bystander(served, patience_s=20):
            for attacker in attackers:
                attacker.start()
            for attacker in attackers:
                attacker.join()
        assert peak_bytes(served.pid) - before < GROWTH


def test_a_client_that_resets_all_its_calls_is_sent_away(serve, repository):
    with serve(repository) as served:
        connection, stream = greet(served.grpc), 1
        try:
            for _ in range(100):
                stream = rapid_reset(connection, stream)
        except OSError:
            pass
        until_closed(connection)  # which it waits for
        connection.close()


@pytest.mark.slow  # 5 GiB of memory
def test_a_reply_that_grpc_cannot_carry_is_refused(serve, tmp_path):
    """8 MiB of rows make over 2 GiB of output."""
    weights = numpy_helper.from_array(numpy.ones((16, 4096), "float32"), "W")
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "W"], ["y"])], "wide", [value("x", TensorProto.FLOAT, ["B", "T", 16])],
        [value("y", TensorProto.FLOAT, ["B", "T", 4096])], [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "wide.onnx")
    rows = 2**31 // (4096 * 4) + 64

    def varint(number):
        out = b""
        while number > 127:
            out, number = out + bytes([number & 127 | 128]), number >> 7
        return out + bytes([number])

    shape = varint(1) + varint(rows) + varint(16)
    tensor = b"\x0a\x01x\x12\x04FP32\x1a" + varint(len(shape)) + shape
    request = b"\x0a\x04wide\x2a" + varint(len(tensor)) + tensor + b"\x3a" + varint(rows * 64) + bytes(rows * 64)
    with serve(tmp_path / "wide.onnx") as served:
        code, details = call(served, request)
        assert code != grpc.StatusCode.OK
        assert "bytes" in details
        small = request[:6] + b"\x2a" + varint(len(tensor)) + tensor
        assert call(served, small)[0] == grpc.StatusCode.INVALID_ARGUMENT, "it is still there"
