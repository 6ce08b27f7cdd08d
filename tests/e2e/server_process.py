"""A server as a child process: on free ports of the loopback, waited for until it is ready, ended by its pid."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Served:
    """A server that is ready."""

    process: subprocess.Popen
    http: str  # "127.0.0.1:8000"
    grpc: str
    metrics: str

    @property
    def pid(self):
        return self.process.pid

    @property
    def url(self):
        return f"http://{self.http}"

    @property
    def metrics_url(self):
        return f"http://{self.metrics}/metrics"


def free_ports(count):
    """Ports that nobody listens on now. Somebody may take one before it is used; a server then says so and ends."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def is_ready(url):
    try:
        with urllib.request.urlopen(url, timeout=1) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False


def wait_until_ready(process, url, log, limit_s):
    end = time.monotonic() + limit_s
    while not is_ready(url):
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode}:\n{log.read_text()[-3000:]}")
        if time.monotonic() > end:
            raise RuntimeError(f"{process.args[0]} is not ready after {limit_s} s:\n{log.read_text()[-3000:]}")
        time.sleep(0.05)


def stop(process, patience_s=20):
    """Ends the process and those it started, which share its session."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # nobody is left
    process.wait()


@contextmanager
def serving(command, folder, ports, ready_path="/v2/health/ready", env=None, limit_s=120):
    """Runs `command`, whose server listens on `ports` (HTTP, gRPC, metrics), for the length of the block."""
    log = Path(folder) / "server.log"
    with open(log, "w") as out:
        process = subprocess.Popen(
            list(map(str, command)), cwd=folder, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, start_new_session=True,
        )
    try:
        wait_until_ready(process, f"http://127.0.0.1:{ports[0]}{ready_path}", log, limit_s)
        yield Served(process, *(f"127.0.0.1:{port}" for port in ports))
    finally:
        stop(process)


@contextmanager
def serving_neph(program, folder, model, *options, command=(), patience_s=20):
    """Runs `neph serve MODEL` on free ports for the length of the block; `command` goes before it. It must end well."""
    log = Path(folder) / "neph-serve.log"
    ports = [word for name in ("http", "grpc", "metrics") for word in (f"--{name}-port", "0")]
    with open(log, "w") as talk:
        process = subprocess.Popen(
            list(map(str, [*command, program, "serve", model, *ports, "--json", *options])), cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=talk, text=True, start_new_session=True,
        )
    try:
        said = process.stdout.readline()
        if not said:
            raise RuntimeError(f"neph serve ended with {process.wait()}:\n{log.read_text()}")
        where = json.loads(said)
        yield Served(process, *(urlsplit(where[name]).netloc for name in ("http", "grpc", "metrics")))
    finally:
        stop(process, patience_s)
        process.stdout.close()
    assert process.returncode == 0, f"exit code {process.returncode}:\n{log.read_text()}"
