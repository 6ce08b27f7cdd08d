"""A system that refuses what the program asks for: the k-th start of a thread, the k-th allocation above 1 MiB (refusing.c).

Whatever is refused, each process ends in time, by itself, with a reason and an exit code, and leaves nothing behind.
"""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections import namedtuple
from pathlib import Path

import pytest
from cells import TRAINED
from identity_repository import PICTURE, ports, write_repository
from paths import BUILD
from server_process import free_ports, is_ready

pytestmark = pytest.mark.skipif(BUILD.name in ("asan", "tsan"), reason="a sanitizer has an allocator of its own")

LIMIT_S = 60  # on a busy machine; alone each takes less than a second
MANY = 200  # more than any verb starts or allocates
KINDS = ("thread", "memory")
WIDE = 500_000  # values in a row: 2 MB

Ended = namedtuple("Ended", "was_refused code said")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    wide = (ports({"x": ("f32", [WIDE])}, {"y": "x"}), ["max_batch = 1"])
    return write_repository(tmp_path_factory.mktemp("models"), {"wide": wide, "picture": (PICTURE, ["max_batch = 8"])})


@pytest.fixture(scope="module")
def server(models, serve):
    with serve(models) as served:
        yield served


@pytest.fixture
def refused(tmp_path):
    """`refused.run("thread", 3, *ARGUMENTS)` runs the program with the third start of a thread refused in each of its
    processes, and checks how it ends."""
    program = Refused(tmp_path)
    yield program
    for process in program.started:
        process.kill()


class Refused:
    def __init__(self, folder):
        self.folder, self.notes, self.temporary = folder, folder / "refusals", folder / "temporary"
        self.temporary.mkdir()
        self.started = []

    def start(self, kind, number, *arguments):
        self.notes.unlink(missing_ok=True)
        own = {"LD_PRELOAD": str(BUILD / "bin/refusing.so"), "NEPH_REFUSED": f"{kind} {number}", "NEPH_REFUSALS": str(self.notes)}
        process = subprocess.Popen(
            list(map(str, [BUILD / "bin/neph", *arguments])), cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
            stdout=open(self.folder / "stdout", "w"), stderr=open(self.folder / "stderr", "w"),
            env={**os.environ, **own, "TMPDIR": str(self.temporary)},
        )
        self.started.append(process)
        return process

    def ended(self, process):
        try:
            process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail(f"hangs: {self.account(process)}")
        account = self.account(process)
        assert process.returncode in range(10), f"ended by a signal: {account}"
        assert "signal" not in account[-1], f"a process of it ended by a signal: {account}"
        assert process.returncode == 0 or "neph: " in account[-1] or "failed" in account[-1], f"no reason: {account}"
        assert not list(self.temporary.iterdir()), f"left behind: {list(self.temporary.iterdir())}, {account}"
        end = time.monotonic() + 5
        while left := [*self.left_running(), *Path("/dev/shm").glob(f"neph-*{process.pid}*")]:
            assert time.monotonic() < end, f"still there: {left}, {account}"
            time.sleep(0.02)
        return Ended(self.notes.exists(), process.returncode, account[-1])

    def account(self, process):
        notes = self.notes.read_text() if self.notes.exists() else ""
        return process.args[1:], process.returncode, notes, (self.folder / "stderr").read_text()[-2000:]

    def left_running(self):
        """Processes with our surroundings."""
        for environment in Path("/proc").glob("[0-9]*/environ"):
            try:
                if f"NEPH_REFUSALS={self.notes}".encode() in environment.read_bytes():
                    yield environment.parent.name
            except OSError:
                continue  # it has just ended

    def run(self, kind, number, *arguments):
        return self.ended(self.start(kind, number, *arguments))

    def serve(self, kind, number, *arguments):
        """Sends large requests to the server, if it becomes ready, and ends it. What is refused costs it one request at most."""
        (port,) = free_ports(1)
        process = self.start(kind, number, "serve", *arguments, "--http-port", port, "--grpc-port", 0, "--metrics-port", 0)
        here, end = f"http://127.0.0.1:{port}/v2", time.monotonic() + LIMIT_S
        while process.poll() is None and not is_ready(f"{here}/health/ready") and time.monotonic() < end:
            time.sleep(0.02)
        if process.poll() is None:
            numbers = ",".join(["0.25"] * WIDE)
            large = '{"inputs":[{"name":"x","datatype":"FP32","shape":[1,%d],"data":[%s]}]}' % (WIDE, numbers)
            answers = [answer(f"{here}/models/wide/infer", large) for _ in range(3)]
            lives = process.poll() is None and "was not loaded: " not in self.account(process)[-1]
            assert not lives or answers.count(200) >= 2, f"{answers}, {self.account(process)}"
            process.send_signal(signal.SIGTERM)
        return self.ended(process)


def answer(url, body):
    """The status, or what became of the connection."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body.encode()), timeout=LIMIT_S) as reply:
            reply.read()
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return str(error)


def infer(models, pictures, *more):
    return ("infer", models / "picture/1/model.identity", "--engine", "identity", "--images", pictures, "--batch", 8, "--count", 16,
            "--loaders", 2, "--repeat", 1, "--warmup-max-s", 0.1, *more)


@pytest.fixture
def training(tmp_path):
    (tmp_path / "known.identity").write_text(f"service_ms = 1\n{TRAINED}")
    return ("train", "known.identity", "--framework", "identity", "--data", "synth", "--synth-samples", 12800, "--batch", 128,
            "--steps", 10, "--repeat", 1)


@pytest.fixture
def runs(models, server, pictures, training):
    load = lambda url: ("load", url, "--model", "wide", "--clients", 2, "--threads", 2, "--duration", "300ms", "--warmup", "0s", "--repeat", 1)  # noqa: E731
    return {
        "infer": infer(models, pictures), "train": training, "command": ("train", "--repeat", 1, "--", "true"),
        "load": load(server.url), "load over gRPC": load(f"grpc://{server.grpc}"),
        "infer a server": infer(models, pictures, "--architecture", "local"),
        "infer with streams": infer(models, pictures, "--mode", "async", "--streams", 3, "--depth", 3),
    }


@pytest.mark.parametrize("verb, second", [("infer", 5), ("train", 2), ("command", 2), ("load", 4), ("load over gRPC", 5)])
def test_a_run_without_a_thread_or_memory_ends_with_its_reason(refused, runs, verb, second):
    """`second`: of several threads that do the same; the first of them waits for it."""
    assert refused.run("thread", 1, *runs[verb]).code != 0
    assert refused.run("thread", second, *runs[verb]).was_refused
    refused.run("memory", 1, *runs[verb])


def test_a_server_without_a_thread_ends_with_its_reason(refused, models):
    assert refused.serve("thread", 4, models).code != 0
    refused.serve("memory", 5, models)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", ["infer", "train", "command", "load", "load over gRPC", "infer a server", "infer with streams"])
def test_whatever_is_refused_each_run_ends(refused, runs, verb, kind):
    for number in range(1, MANY):
        if not refused.run(kind, number, *runs[verb]).was_refused:
            return
    pytest.fail(f"{MANY} of kind {kind} are refused")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_refused_a_server_answers_or_ends(refused, models, kind):
    for number in range(1, MANY):
        if not refused.serve(kind, number, models).was_refused:
            return
    pytest.fail(f"{MANY} of kind {kind} are refused")
