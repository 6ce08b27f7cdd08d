"""What goes wrong, or happens seldom, in an hour on a network: each a function that does it once to a server."""

import json
import random
import socket
import struct
import time
import zlib
from collections import deque

import numpy
import tritonclient.grpc
import tritonclient.utils.shared_memory as shared_memory
from bystander import BODY
from raw_http import connect, post, read_reply
from raw_http2 import DATA, END_HEADERS, END_STREAM, HEADERS, continuation, frame, greet, header, message, pings, rapid_reset

REQUEST = post(body=BODY.encode())
WRONG_BODIES = [
    b"hello", b"{", b"[]", b'{"inputs": []}', b'{"extra": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [2**31, 2**31], "data": []}]}).encode(),
]


def reset_in_mid_body(served, chance):
    stream = connect(served)
    stream.sendall(REQUEST[: chance.randrange(1, len(REQUEST))])
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.close()


def half_close(served, chance):
    with connect(served) as stream:
        stream.sendall(REQUEST)
        stream.shutdown(socket.SHUT_WR)
        read_reply(stream)


def send_slowly(served, chance):
    with connect(served) as stream:
        for at in range(0, len(REQUEST), 16):
            stream.sendall(REQUEST[at : at + 16])
            time.sleep(0.05)
        read_reply(stream)


def never_read(served, chance):
    with connect(served, timeout_s=0.2) as stream:
        try:
            while True:
                stream.sendall(REQUEST * 64)
        except TimeoutError:
            time.sleep(1)


def send_what_makes_no_sense(served, chance):
    with connect(served) as stream:
        stream.sendall(post(body=chance.choice(WRONG_BODIES)))
        read_reply(stream)


def send_no_http(served, chance):
    with connect(served) as stream:
        try:
            stream.sendall(chance.randbytes(2000))
            read_reply(stream)
        except ConnectionError:
            pass  # it may close before it has read it all


def lose_patience(served, chance):
    client = tritonclient.grpc.InferenceServerClient(served.grpc)
    tensor = tritonclient.grpc.InferInput("x", [1, 16], "FP32")
    tensor.set_data_from_numpy(numpy.zeros((1, 16), "float32"))
    try:
        client.infer("ten_ms", [tensor], client_timeout=chance.choice([1e-4, 2e-3, 8e-3]))
    except tritonclient.grpc.InferenceServerException:
        pass
    client.close()


def hang_up_on_a_stream(served, chance):
    client = tritonclient.grpc.InferenceServerClient(served.grpc)
    tensor = tritonclient.grpc.InferInput("x", [1, 16], "FP32")
    tensor.set_data_from_numpy(numpy.zeros((1, 16), "float32"))
    client.start_stream(lambda result, error: None)
    for _ in range(10):
        client.async_stream_infer("ten_ms", [tensor])
    client.stop_stream(cancel_requests=True)
    client.close()


def load_anew(served, chance):
    client = tritonclient.grpc.InferenceServerClient(served.grpc)
    client.load_model("picture")
    client.close()


def load_what_is_not_there(served, chance):
    client = tritonclient.grpc.InferenceServerClient(served.grpc)
    try:
        client.load_model("nobody")
    except tritonclient.grpc.InferenceServerException:
        pass
    finally:
        client.close()


def pass_shared_memory(served, chance):
    """Registers a piece, has it read and written, and takes it back."""
    name, values = f"soak-{chance.getrandbits(64):x}", numpy.zeros((1, 16), "float32")
    region = shared_memory.create_shared_memory_region(name, f"/{name}", 2 * values.nbytes)
    client = tritonclient.grpc.InferenceServerClient(served.grpc)
    try:
        client.register_system_shared_memory(name, f"/{name}", 2 * values.nbytes)
        tensor = tritonclient.grpc.InferInput("x", values.shape, "FP32")
        tensor.set_shared_memory(name, values.nbytes)
        output = tritonclient.grpc.InferRequestedOutput("y")
        output.set_shared_memory(name, values.nbytes, offset=values.nbytes)
        client.infer("identity", [tensor], outputs=[output])
        client.unregister_system_shared_memory(name)
    finally:
        shared_memory.destroy_shared_memory_region(region)
        client.close()


def flood_with_frames(served, chance):
    """Until the server ends it, or has had a few thousand."""
    flood, stream = chance.choice([rapid_reset, continuation, pings]), 1
    with greet(served.grpc) as connection:
        try:
            for _ in range(20):
                stream = flood(connection, stream)
        except OSError:
            pass


def gzipped(content):
    packer = zlib.compressobj(wbits=31)
    return packer.compress(content) + packer.flush()


BOMBS = [gzipped(b"\x0a\x08identity" + part * (4 << 20)) for part in (b"\x2a\0", b"\x22\0", b"\x3a\0")]
JSON_BOMB = gzipped(b'{"inputs":[' + b"{}," * (4 << 20) + b"{}]}")


def bomb_over_grpc(served, chance):
    """Some kilobytes that are 8 MiB of empty parts."""
    sent = message(chance.choice(BOMBS), packed=True)
    frames = [frame(DATA, 0, 1, sent[at : at + 16384]) for at in range(0, len(sent), 16384)]
    with greet(served.grpc) as connection:
        connection.sendall(frame(HEADERS, END_HEADERS, 1, header(extra=[("grpc-encoding", "gzip")])) + b"".join(frames) + frame(DATA, END_STREAM, 1))
        with connection.makefile("rb") as received:
            while len(head := received.read(9)) == 9 and head[3] != HEADERS:
                received.read(int.from_bytes(head[:3], "big"))


def bomb_over_http(served, chance):
    with connect(served) as stream:
        stream.sendall(post(body=JSON_BOMB, headers=["Content-Encoding: gzip"]))
        read_reply(stream)


def read_slowly(served, chance):
    with connect(served) as stream:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.sendall(REQUEST * 32)
        for _ in range(40):
            stream.recv(128)
            time.sleep(0.05)


STAYING = deque(maxlen=200)


def stay(served, chance):
    """A connection without end, silent or with the beginning of a request."""
    connection = greet(served.grpc) if chance.random() < 0.5 else connect(served)
    STAYING.append(connection)
    if chance.random() < 0.5:
        connection.sendall(frame(HEADERS, END_HEADERS, 1, header()) if connection.getpeername()[1] == int(served.grpc.rpartition(":")[2])
                           else REQUEST[: chance.randrange(1, len(REQUEST))])


ALL = [
    reset_in_mid_body, half_close, send_slowly, never_read, send_what_makes_no_sense, send_no_http, lose_patience,
    hang_up_on_a_stream, load_anew, load_what_is_not_there, pass_shared_memory, flood_with_frames, bomb_over_grpc, bomb_over_http,
    read_slowly, stay,
]


def misbehave(served, stop, seed, counts):
    """One after the other in random order, until told to stop. What the server does to them is not their concern: whether
    others are served is judged elsewhere."""
    chance = random.Random(seed)
    while not stop.is_set():
        act = chance.choice(ALL)
        try:
            act(served, chance)
            counts[act.__name__] += 1
        except (OSError, tritonclient.grpc.InferenceServerException) as error:
            counts[f"{act.__name__}: {type(error).__name__}"] += 1
        stop.wait(chance.uniform(0, 0.2))
    STAYING.clear()
