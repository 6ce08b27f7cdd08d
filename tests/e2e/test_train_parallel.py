"""`neph train --processes N`: data parallel training by torchrun as one run: what is learnt, what it costs, how it fails."""

import json
import os
import pathlib
import signal
import time

import pytest
from cells import TRAINED, value
from paths import REPOSITORY
from waiting import wait_for

HERE = ("lenet5", "--framework", "pytorch", "--data", "synth", "--synth-samples", 640, "--batch", 32, "--repeat", 1)
VENV = {"VIRTUAL_ENV": str(REPOSITORY / ".venv-train")}

pytestmark = [
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two processes need two cores"),
    pytest.mark.skipif(not (REPOSITORY / ".venv-train").exists(), reason="no PyTorch in .venv-train; ./dev setup"),
]


def children_of(pid):
    """Those of the process and of theirs, oldest first."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in task.read_text().split():
                found += [int(child), *children_of(int(child))]
        except OSError:
            pass  # it has ended
    return sorted(found)


def ranks_of(running):
    """The two processes that learn, once both have steps behind them."""

    def ranks():
        return [pid for pid in children_of(running.pid) if is_rank(pid)]

    wait_for(lambda: len(ranks()) == 2, limit_s=60)
    time.sleep(4)
    return ranks()


def is_rank(pid):
    try:
        return b"LOCAL_RANK=" in pathlib.Path(f"/proc/{pid}/environ").read_bytes() and is_there(pid)
    except OSError:
        return False


def is_there(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_two_processes_learn_what_one_learns(neph):
    """lenet5 has neither dropout nor batch norm, and every step the same examples."""
    one, two = neph.json("train", *HERE, "--epochs", 2, "--processes", "1,2", env=os.environ | VENV, timeout_s=300)["cells"]
    assert [one["failures"], two["failures"]] == [[], []]
    assert "processes" not in one["facts"] and two["facts"]["processes"] == "2"
    assert value(two, "test_loss") == pytest.approx(value(one, "test_loss"), rel=1e-3)
    assert two["facts"]["steps_per_epoch"] == one["facts"]["steps_per_epoch"] == "20"
    assert value(two, "samples_per_s") > 0 and value(two, "training_s") > 0


def test_a_killed_process_ends_the_run_and_leaves_nothing(neph):
    running = neph.start("train", *HERE, "--epochs", 5000, "--processes", 2, env=os.environ | VENV)
    ranks = ranks_of(running)
    os.kill(ranks[1], signal.SIGKILL)
    _, said = running.communicate(timeout=60)
    assert running.returncode != 0 and "Signal 9 (SIGKILL)" in said, said
    wait_for(lambda: not any(map(is_there, ranks)))
    assert neph.json("show", "1")["cells"][0]["runs_failed"] == 1


def test_the_users_interrupts_end_all_processes(neph):
    running = neph.start("train", *HERE, "--epochs", 5000, "--processes", 2, env=os.environ | VENV)
    ranks = ranks_of(running)
    running.send_signal(signal.SIGINT)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    wait_for(lambda: not any(map(is_there, ranks)))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--processes", 3), "a batch of 32 cannot be divided evenly among 3 processes; take a multiple of 3"),
        (("--processes", 2, "--threads", 1), "threads 1 cannot be divided among 2 processes"),
        (("--gpus", 2), "gpus 2 means nothing with device cpu; it goes with cuda"),
        (("--processes", 2, "--device", "cuda"), "processes 2 means nothing with device cuda"),
        (("--processes", 0), "processes"),
    ],
)
def test_what_cannot_be_divided_is_refused_before_anything_runs(neph, arguments, complaint):
    said = neph("train", *HERE, *arguments, code=2, env=os.environ | VENV)
    assert complaint in said.stderr and len(said.stderr.strip().splitlines()) == 1


def test_a_script_of_the_users_own_runs_in_several_processes(neph, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(neph("train", *HERE[:-2], "--epochs", 2, "--print-script", env=os.environ | VENV).stdout)
    said = neph("train", "--json", "--processes", "1,2", "--threads", 2, "--", script, env=os.environ | VENV, timeout_s=300)
    one, two = json.loads(said.stdout)["cells"]
    assert "processes" not in one["facts"] and two["facts"]["processes"] == "2"
    assert one["facts"]["steps_measured"] == "40" and int(two["facts"]["steps_measured"]) == 40
    assert value(one, "test_loss") == pytest.approx(value(two, "test_loss"), rel=1e-3)


@pytest.mark.parametrize("command", [("make", "train"), ("python3", "-c", "1"), ("python3",)])
def test_only_a_script_is_started_in_several_processes(neph, command):
    said = neph("train", "--processes", 2, "--", *command, code=2)
    assert f"--processes 2 starts a script of Python, and '{command[0]}' is not one" in said.stderr


def test_a_script_that_is_not_there_is_refused_before_anything_runs(neph):
    assert "there is no script nowhere.py" in neph("train", "--", "nowhere.py", code=None).stderr


def test_steps_of_known_time_are_made_by_one_process(neph, tmp_path):
    (tmp_path / "known.identity").write_text(f"service_ms = 4\n{TRAINED}")
    said = neph("train", "known.identity", "--data", "synth", "--processes", 2, code=None)
    assert "take --framework pytorch" in said.stderr
