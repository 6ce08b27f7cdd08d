"""Load generators that cost a server nothing: wrk over HTTP, h2load with one pre-framed message over gRPC."""

import json
import re
import resource
import shutil
import struct
import subprocess

from frame import Unavailable
from programs import BUILD

SECONDS = 2  # of load a side
FOLDER = BUILD / "bench"


def used_s():
    """Processor time of the children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(tool, *arguments):
    """What a load generator says, and its own processor time in seconds."""
    if not shutil.which(tool):
        raise Unavailable(f"{tool} is not installed")
    before_s = used_s()
    said = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if said.returncode != 0:
        raise Unavailable(f"{tool}: {said.stderr.strip() or said.stdout.strip()}")
    return said.stdout, used_s() - before_s


def tensor_head(tensor, shape, **parameters):
    return json.dumps({"inputs": [{"name": tensor, "datatype": "FP32", "shape": shape, **parameters}],
                       "parameters": {"binary_data_output": True}})


def binary_request(model, tensor, shape, size):
    """wrk's words for one tensor in binary: of so many bytes."""
    head = tensor_head(tensor, shape, parameters={"binary_data_size": size})
    return f"""wrk.method = "POST"
wrk.path = "/v2/models/{model}/infer"
wrk.body = '{head}' .. string.rep("x", {size})
wrk.headers["Content-Type"] = "application/octet-stream"
wrk.headers["Inference-Header-Content-Length"] = "{len(head)}"
"""


def json_request(model, tensor, shape, values):
    """wrk's words for one tensor as JSON."""
    body = json.dumps({"inputs": [{"name": tensor, "datatype": "FP32", "shape": shape, "data": values}]})
    return f"""wrk.method = "POST"
wrk.path = "/v2/models/{model}/infer"
wrk.body = '{body}'
wrk.headers["Content-Type"] = "application/json"
"""


def wrk(port, in_flight, words, seconds=SECONDS):
    """Requests answered, and wrk's processor time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    script = FOLDER / "request.lua"
    script.write_text(words)
    said, cpu_s = run("wrk", "-t1", f"-c{in_flight}", f"-d{seconds}s", "-s", script, f"http://127.0.0.1:{port}")
    if "Non-2xx" in said or "Socket errors" in said:
        raise Unavailable(f"wrk was refused: {said.strip().splitlines()[-1]}")
    return int(re.search(r"(\d+) requests in", said)[1]), cpu_s


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def framed_request(model, tensor, shape, size):
    """A ModelInferRequest behind the five bytes that gRPC puts before a message (PROTOCOL-HTTP2.md)."""
    def field(number, data):
        return varint(number << 3 | 2) + varint(len(data)) + data
    dimensions = b"".join(map(varint, shape))
    message = field(1, model.encode()) + field(7, b"x" * size)
    message += field(5, field(1, tensor.encode()) + field(2, b"FP32") + field(3, dimensions))
    return struct.pack(">BI", 0, len(message)) + message


def h2load(port, in_flight, message, seconds=SECONDS):
    """Requests answered, and h2load's processor time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    body = FOLDER / "request.grpc"
    body.write_bytes(message)
    said, cpu_s = run("h2load", "-c1", f"-m{in_flight}", "-t1", f"-D{seconds}", "-d", body,
                      "-H", "content-type: application/grpc", "-H", "te: trailers",
                      f"http://127.0.0.1:{port}/inference.GRPCInferenceService/ModelInfer")
    return int(re.search(r"(\d+) succeeded", said)[1]), cpu_s


SEND = {"http": wrk, "grpc": h2load}
ENCODE = {"http": binary_request, "grpc": framed_request}
