"""What wire adds to HTTP and gRPC: processor time a request of a server, against bare echo servers that do nothing else;
and of wire's clients, against wrk.

The bare servers keep their heap, as ours does (core/heap.hpp). Load comes from programs that cost the servers nothing:
wrk over HTTP, h2load with one pre-framed message over gRPC. Each figure is from a server of its own.
"""

import contextlib
import ctypes
import re
import resource
import shutil
import struct
import subprocess
import time
from functools import partial

from frame import Goal, Row, Unavailable
from programs import BUILD, json_of, program

SECONDS = 2  # of load a side
PICTURE = 602112  # bytes: one of 3 × 224 × 224 in f32
FOLDER = BUILD / "bench"


def cpu_s(pid):
    """Processor time of another process so far (clock_getcpuclockid, POSIX): in nanoseconds, where /proc has ticks."""
    clock = ctypes.c_int()
    if ctypes.CDLL(None, use_errno=True).clock_getcpuclockid(pid, ctypes.byref(clock)) != 0:
        raise Unavailable("no processor clock of another process")
    return time.clock_gettime(clock.value)


@contextlib.contextmanager
def server(name, *arguments):
    """A server of this folder, with its port; it ends when its standard input does."""
    process = subprocess.Popen([program(name), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise Unavailable(f"{name} does not start")
        yield process.pid, int(port)
    finally:
        process.stdin.close()
        process.wait(timeout=20)
        process.stdout.close()


def run(tool, *arguments):
    """What a load generator says, and its own processor time in seconds."""
    if not shutil.which(tool):
        raise Unavailable(f"{tool} is not installed")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if said.returncode != 0:
        raise Unavailable(f"{tool}: {said.stderr.strip() or said.stdout.strip()}")
    return said.stdout, used_s


def wrk(port, in_flight, size):
    """Requests answered, and wrk's processor time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    head = (f'{{"inputs":[{{"name":"x","datatype":"FP32","shape":[1,{size // 4}],"parameters":{{"binary_data_size":{size}}}'
            '}],"parameters":{"binary_data_output":true}}')
    script = FOLDER / f"wrk_{size}.lua"
    script.write_text(f"""wrk.method = "POST"
wrk.body = '{head}' .. string.rep("x", {size})
wrk.headers["Content-Type"] = "application/octet-stream"
wrk.headers["Inference-Header-Content-Length"] = "{len(head)}"
""")
    said, used_s = run("wrk", "-t1", f"-c{in_flight}", f"-d{SECONDS}s", "-s", script,
                       f"http://127.0.0.1:{port}/v2/models/identity/infer")
    if "Non-2xx" in said or "Socket errors" in said:
        raise Unavailable(f"wrk was refused: {said.strip().splitlines()[-1]}")
    return int(re.search(r"(\d+) requests in", said)[1]), used_s


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def framed_request(size):
    """A ModelInferRequest behind the five bytes that gRPC puts before a message (PROTOCOL-HTTP2.md)."""
    def field(number, data):
        return varint(number << 3 | 2) + varint(len(data)) + data
    shape = varint(1) + varint(size // 4)
    tensor = field(1, b"x") + field(2, b"FP32") + field(3, shape)
    message = field(1, b"identity") + field(5, tensor) + field(7, b"x" * size)
    return struct.pack(">BI", 0, len(message)) + message


def h2load(port, in_flight, size):
    FOLDER.mkdir(parents=True, exist_ok=True)
    body = FOLDER / f"grpc_{size}.bin"
    body.write_bytes(framed_request(size))
    said, used_s = run("h2load", "-c1", f"-m{in_flight}", "-t1", f"-D{SECONDS}", "-d", body,
                       "-H", "content-type: application/grpc", "-H", "te: trailers",
                       f"http://127.0.0.1:{port}/inference.GRPCInferenceService/ModelInfer")
    return int(re.search(r"(\d+) succeeded", said)[1]), used_s


LOAD = {"http": wrk, "grpc": h2load}


def of_server(name, arguments, protocol, in_flight, size):
    """Microseconds of the server's processor time for each request."""
    with server(name, *arguments) as (pid, port):
        before_s = cpu_s(pid)
        requests, _ = LOAD[protocol](port, in_flight, size)
        return (cpu_s(pid) - before_s) / requests * 1e6


def of_our_client(protocol, in_flight, size):
    """Microseconds of our client's processor time for each request, of the bare server."""
    with server(f"bare_{protocol}_echo") as (_, port):
        said = json_of(program("closed_loop"), f"{protocol}://127.0.0.1:{port}", in_flight, size, SECONDS)
    if said["failed"]:
        raise Unavailable(f"{said['failed']} of {said['requests']} requests failed")
    return said["cpu_us"]


def of_wrk(in_flight, size):
    with server("bare_http_echo") as (_, port):
        requests, used_s = wrk(port, in_flight, size)
    return used_s / requests * 1e6


def rows():
    for protocol in LOAD:
        for in_flight in (8, 64):
            yield Row(f"echo-{protocol}-{in_flight}", f"64 bytes, {in_flight} in flight, {protocol}: server CPU a request",
                      "bare echo", Goal(1.4, at_least=False),
                      partial(of_server, "identity_server", [protocol], protocol, in_flight, 64),
                      partial(of_server, f"bare_{protocol}_echo", [], protocol, in_flight, 64))
        yield Row(f"echo-{protocol}-picture", f"602,112 bytes in, 4 KB out, {protocol}: server CPU a request",
                  "bare sink", Goal(1.3, at_least=False),
                  partial(of_server, "identity_server", [protocol, "sink"], protocol, 8, PICTURE),
                  partial(of_server, f"bare_{protocol}_echo", ["sink"], protocol, 8, PICTURE))
    for in_flight in (8, 64):
        yield Row(f"client-http-{in_flight}", f"64 bytes, {in_flight} in flight, http: client CPU a request", "wrk",
                  Goal(1.2, at_least=False), partial(of_our_client, "http", in_flight, 64), partial(of_wrk, in_flight, 64))
        # perf_analyzer 2.48 takes 53 to 66 µs there (../shared/peers/README.md); the goal is 0.3 of it.
        yield Row(f"client-grpc-{in_flight}", f"64 bytes, {in_flight} in flight, grpc: client CPU a request", "",
                  Goal(0.3 * 53, at_least=False), partial(of_our_client, "grpc", in_flight, 64), unit="µs")
