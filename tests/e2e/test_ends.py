"""Ends from elsewhere: models that hang their engine, schedulers that end workers, terminals that are closed, controllers that
are killed, stores that are locked."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import time

import onnx
import pytest
from onnx import TensorProto, helper
from waiting import wait_for

UNAVAILABLE, WRONG = 4, 2
LONG = 60  # seconds: what a busy machine may take for what takes one


@pytest.fixture(scope="module")
def hang(tmp_path_factory):
    """A model of opset 2^62: engines that convert models count up to there."""
    relu = helper.make_node("Relu", ["x"], ["y"])
    sides = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 4]) for name in "xy"]
    graph = helper.make_graph([relu], "g", sides[:1], sides[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 2**62)], ir_version=8)
    path = tmp_path_factory.mktemp("hang") / "m.onnx"
    onnx.save(model, path)
    return path


def processes(variable):
    """Those that have it in their environment, without zombies."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{entry}/environ", "rb") as environment, open(f"/proc/{entry}/cmdline", "rb") as command:
                if variable.encode() in environment.read().split(b"\0") and (words := command.read()):
                    found.append((int(entry), words.replace(b"\0", b" ").decode().strip()))
    return found


def workers_of(process):
    children = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in children.splitlines() if line.endswith(" worker")]


def runs(folder):
    with contextlib.closing(sqlite3.connect(folder / "neph.db")) as store:
        return store.execute("SELECT status, reason FROM run ORDER BY id").fetchall()


# ---- models that hang


def test_timeout_reaches_a_model_that_hangs_its_engine(neph, hang):
    done = neph("infer", hang, "--count", 2, "--repeat", 1, "--timeout-s", 1, code=UNAVAILABLE, timeout_s=LONG)
    assert "preparing the run: took longer than --timeout 5s" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_one_signal_ends_what_waits_for_a_model_that_hangs(neph, hang, number):
    running = neph.start("infer", hang, "--count", 2, "--repeat", 1)
    wait_for(lambda: workers_of(running), LONG)
    (worker,) = workers_of(running)
    running.send_signal(number)
    _, said = running.communicate(timeout=LONG)
    assert running.returncode == UNAVAILABLE and "stopped before the first run" in said
    assert not os.path.exists(f"/proc/{worker}")


def test_a_profile_ends_at_the_second_signal(neph, hang):
    running = neph.start("profile", hang)
    with open(f"/proc/{running.pid}/maps") as maps:  # it has begun to load: signals are caught
        wait_for(lambda: maps.seek(0) == 0 and "engine" in maps.read(), LONG)
    for _ in range(2):
        running.send_signal(signal.SIGINT)
        time.sleep(0.1)
    running.wait(LONG)
    assert running.returncode != 0


def test_a_pipe_or_a_device_is_no_model(neph, tmp_path):
    os.mkfifo(tmp_path / "pipe.onnx")
    for path in ("pipe.onnx", "/dev/zero"):
        for verb in ("infer", "profile", "serve"):
            said = neph(verb, path, code=WRONG, timeout_s=LONG).stderr
            assert f"{path}: a pipe or a device, where a model's file should be" in said


# ---- workers that others end


@pytest.mark.parametrize("whom", ["worker", "command"])
def test_a_run_that_others_end_is_interrupted_and_repeated(neph, tmp_path, whom):
    command = ("train", "--repeat", 1, "--", "sh", "-c", "echo $$ > pid.new; mv pid.new pid; [ -e go ] || exec sleep 60")
    running = neph.start(*command)
    wait_for((tmp_path / "pid").exists, LONG)
    (worker,) = workers_of(running)
    os.kill(worker if whom == "worker" else int((tmp_path / "pid").read_text()), signal.SIGTERM)
    _, said = running.communicate(timeout=LONG)
    assert running.returncode == UNAVAILABLE and "0 of 1 runs are stored; the same command with --resume goes on" in said
    ((status, reason),) = runs(tmp_path)
    assert status == "interrupted" and reason.startswith("stopped by a SIGTERM from elsewhere")
    (tmp_path / "go").touch()
    neph(command[0], "--resume", *command[1:])
    assert [status for status, _ in runs(tmp_path)] == ["interrupted", "ok"]


def test_an_inference_that_others_end_is_interrupted_and_repeated(neph, tmp_path, small_model):
    running = neph.start("infer", small_model, "--count", 20000, "--repeat", 1, "--warmup-max-s", 0.1)
    wait_for(lambda: (tmp_path / "neph.db").exists() and workers_of(running), LONG)
    time.sleep(0.5)
    os.kill(workers_of(running)[0], signal.SIGTERM)
    running.communicate(timeout=LONG)
    assert [status for status, _ in runs(tmp_path)] == ["interrupted"]


# ---- controllers that others end


@pytest.mark.parametrize(
    "number, whom",
    [(signal.SIGHUP, "controller"), (signal.SIGQUIT, "controller"), (signal.SIGKILL, "controller"), (signal.SIGKILL, "worker")],
    ids=lambda each: getattr(each, "name", each),
)
def test_nothing_that_a_command_started_goes_on_without_its_controller(neph, tmp_path, number, whom):
    tag, temporary = f"ENDS={os.getpid()}-{number}-{whom}", tmp_path / "tmp"
    temporary.mkdir()
    environment = os.environ | dict([tag.split("=")]) | {"TMPDIR": str(temporary)}
    script = "setsid sleep 77 & (trap '' INT TERM; sleep 78; sleep 79) & sleep 80 & wait"
    running = neph.start("train", "--repeat", 1, "--", "sh", "-c", script, env=environment, start_new_session=True)
    wait_for(lambda: sum("sleep" in words and "sh" not in words for _, words in processes(tag)) == 3, LONG)
    assert list(temporary.iterdir())
    os.kill(running.pid if whom == "controller" else workers_of(running)[0], number)
    running.wait(LONG)
    wait_for(lambda: not processes(tag), LONG)
    wait_for(lambda: not list(temporary.iterdir()), LONG)
    if number != signal.SIGKILL:
        assert [status for status, _ in runs(tmp_path)] == ["interrupted"]


def test_nohup_is_heeded(neph, tmp_path):
    running = neph.start("train", "--repeat", 1, "--", "sh", "-c", "touch begun; sleep 1", before=("nohup",))
    wait_for((tmp_path / "begun").exists, LONG)
    for process in (running.pid, *workers_of(running)):
        os.kill(process, signal.SIGHUP)
    running.communicate(timeout=LONG)
    assert running.returncode == 0


# ---- stores that are locked


def test_a_run_that_ends_while_the_store_is_locked_is_kept_and_stored_by_the_next(neph, tmp_path):
    command = ("train", "--repeat", 1, "--", "sh", "-c", "touch begun; while ! [ -e end ]; do sleep 0.05; done")
    running = neph.start(*command)
    wait_for((tmp_path / "begun").exists, LONG)
    kept = tmp_path / "neph.db.run-1-0-1.json"
    with contextlib.closing(sqlite3.connect(tmp_path / "neph.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        (tmp_path / "end").touch()
        wait_for(kept.exists, LONG)
        running.kill()
        assert f"locked by another process; try again when it has finished; until then the run is kept in {kept}" in running.communicate()[1]
    assert runs(tmp_path) == []
    said = neph(*command).stderr
    assert said.count("stored 1 run kept beside neph.db until it could be written") == 1
    assert [status for status, _ in runs(tmp_path)] == ["ok", "ok"] and not kept.exists()
    neph("show", "1")
