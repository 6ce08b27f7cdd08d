"""Servers of known work for the rows: ours, bare ones that do nothing else, and those of others."""

import atexit
import contextlib
import ctypes
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from frame import Unavailable
from programs import REPOSITORY, program

sys.path[:0] = [str(REPOSITORY / "tests/e2e"), str(REPOSITORY / "tests/e2e/counterparts")]

from identity_repository import write_repository  # noqa: E402 - found by the line above
from mlserver_server import mlserver_server  # noqa: E402
from server_process import serving_neph  # noqa: E402
from triton_server import triton_server  # noqa: E402


def cpu_s(pid):
    """Processor time of another process so far (clock_getcpuclockid, POSIX): in nanoseconds, where /proc has ticks."""
    clock = ctypes.c_int()
    if ctypes.CDLL(None, use_errno=True).clock_getcpuclockid(pid, ctypes.byref(clock)) != 0:
        raise Unavailable("no processor clock of another process")
    return time.clock_gettime(clock.value)


@contextlib.contextmanager
def neph_serving():
    """`neph serve` with the models of known behaviour."""
    with tempfile.TemporaryDirectory() as folder:
        with serving_neph(program("neph"), folder, write_repository(Path(folder) / "models")) as served:
            yield served


@contextlib.contextmanager
def ours(protocol):
    """Its process and the port of one protocol."""
    with neph_serving() as served:
        yield served.pid, port_of(served, protocol)


def answered(served, model):
    """Requests so far, as the server counts them."""
    with urllib.request.urlopen(f"{served.url}/v2/models/{model}/stats") as reply:
        return json.load(reply)["model_stats"][0]["inference_stats"]["success"]["count"]


@contextlib.contextmanager
def bare(protocol, *arguments):
    """An echo server that does nothing else; it ends when its standard input does."""
    command = [program(f"bare_{protocol}_echo"), *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise Unavailable(f"{command[0].name} does not start")
        yield process.pid, int(port)
    finally:
        process.stdin.close()
        process.wait(timeout=20)
        process.stdout.close()


def port_of(served, protocol):
    return int(getattr(served, protocol).rpartition(":")[2])


_counterparts = {}  # what ends them, and the server: they take many seconds to start, and are idle between rows


def counterpart(name):
    """A real tritonserver or MLServer with the model `identity`, until this process ends; started again where it has ended."""
    ending, served = _counterparts.get(name, (None, None))
    if served and served.process.poll() is None:
        return served
    if ending:
        ending.close()  # its children may still be there
    start = {"triton": triton_server, "mlserver": mlserver_server}[name]
    ending = contextlib.ExitStack()
    atexit.register(ending.close)
    try:
        served = ending.enter_context(start(ending.enter_context(tempfile.TemporaryDirectory())))
    except (OSError, RuntimeError) as error:
        raise Unavailable(f"{name} does not start: {error}") from error
    _counterparts[name] = ending, served
    return served
