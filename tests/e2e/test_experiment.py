"""Experiments that are interrupted: nothing that ended is lost, nothing that ended is repeated."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

CELLS = ("--batch", "1,2,4", "--count", 48, "--warmup", 1, "--warmup-max-s", 0.1, "--repeat", 3, "--seed", 9)


def ended_runs(folder):
    """(cell, repeat, id) of the runs in the store that ended well."""
    store = folder / "neph.db"
    if not store.exists():
        return []
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        try:
            return connection.execute("SELECT cell, repeat, id FROM run WHERE status = 'ok' ORDER BY id").fetchall()
        except sqlite3.OperationalError:  # the store is being made
            return []


def wait_for_runs(folder, count, timeout_s=300):  # a sanitizer takes ten times as long
    end = time.monotonic() + timeout_s
    while len(ended_runs(folder)) < count:
        assert time.monotonic() < end, "the experiment makes no progress"
        time.sleep(0.05)


def processes_of(folder):
    """Process ids that work in this folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd") == str(folder):
                found.append(int(pid))
        except OSError:
            continue
    return found


def test_killing_the_controller_loses_at_most_the_run_in_progress(neph, tmp_path, small_model, pictures):
    running = neph.start("infer", small_model, "--images", pictures, *CELLS)
    wait_for_runs(tmp_path, 3)
    running.kill()
    running.communicate()
    before = ended_runs(tmp_path)
    assert 3 <= len(before) < 9
    for _ in range(100):
        if not processes_of(tmp_path):
            break
        time.sleep(0.05)
    assert not processes_of(tmp_path), "the worker outlived its controller"

    document = neph.json("infer", small_model, "--images", pictures, *CELLS, "--resume")
    after = ended_runs(tmp_path)
    assert after[: len(before)] == before, "a run that had ended was touched"
    assert len(after) == 9 and len({(cell, repeat) for cell, repeat, _ in after}) == 9
    assert [cell["images_per_s"]["n"] for cell in document["cells"]] == [3, 3, 3]
    assert document["experiment"]["id"] == 1


def test_a_complete_experiment_has_nothing_to_resume(neph, tmp_path, small_model, pictures):
    neph("infer", small_model, "--images", pictures, *CELLS)
    before = ended_runs(tmp_path)
    neph("infer", small_model, "--images", pictures, *CELLS, "--resume")
    assert ended_runs(tmp_path) == before


def test_resuming_runs_as_many_repeats_as_are_asked_for(neph, tmp_path, small_model, pictures):
    few = ("infer", small_model, "--images", pictures, "--batch", "1,2", "--count", 16, "--warmup", 1, "--warmup-max-s", 0.1)
    repeats = lambda: [cell["images_per_s"]["n"] for cell in neph.json("show", 1)["cells"]]  # noqa: E731
    neph(*few, "--repeat", 3)
    before = ended_runs(tmp_path)
    said = neph(*few, "--repeat", 2, "--resume").stderr
    assert ended_runs(tmp_path) == before and repeats() == [3, 3]
    assert "6 runs are stored already, none is left to run; more are stored than --repeat asks for, and the results below use all" in said
    neph(*few, "--repeat", 4, "--resume")
    assert ended_runs(tmp_path)[:6] == before and repeats() == [4, 4]
    with sqlite3.connect(tmp_path / "neph.db") as connection:  # as an experiment of nine repeats that was stopped in the third
        connection.execute("UPDATE run SET status = 'interrupted' WHERE repeat > 2 OR repeat = 2 AND cell = 1")
        connection.execute("UPDATE experiment SET repeat = 9")
    neph(*few, "--repeat", 3, "--resume")
    assert sorted((cell, repeat) for cell, repeat, _ in ended_runs(tmp_path)) == [(cell, repeat) for cell in range(2) for repeat in range(3)]
    assert neph.json("show", 1)["experiment"]["repeat"] == 3


def test_resuming_without_repeat_runs_as_many_as_were_last_asked_for(neph, tmp_path, small_model, pictures):
    few = ("infer", small_model, "--images", pictures, "--batch", "1,2", "--count", 16, "--warmup", 1, "--warmup-max-s", 0.1)
    neph(*few, "--repeat", 2)
    said = neph(*few, "--resume").stderr
    assert len(ended_runs(tmp_path)) == 4 and "4 runs are stored already, none is left to run\n" in said
    neph(*few, "--repeat", 3, "--resume")
    neph(*few, "--resume")
    assert len(ended_runs(tmp_path)) == 6


def test_resuming_with_a_seed_goes_on_with_the_experiment_of_that_seed(neph, tmp_path, small_model, pictures):
    few = ("infer", small_model, "--images", pictures, "--count", 16, "--warmup", 1, "--warmup-max-s", 0.1)
    for seed in (11, 22):
        neph(*few, "--seed", seed, "--repeat", 1)
    assert "going on with experiment 1 of" in neph(*few, "--seed", 11, "--repeat", 2, "--resume").stderr
    said = neph(*few, "--seed", 33, "--repeat", 2, "--resume", code=2).stderr
    assert "--seed 33: experiment 2 of neph.db measures the same in the order of seed 22" in said
    assert "going on with experiment 2 of" in neph(*few, "--resume").stderr


def test_resuming_on_another_machine_goes_on_and_says_so(neph, tmp_path, small_model, pictures):
    few = ("infer", small_model, "--images", pictures, "--batch", "1,2", "--count", 16, "--warmup", 1, "--warmup-max-s", 0.1)
    said = neph(*few, "--repeat", 1).stderr
    said += neph(*few, "--repeat", 2, "--resume").stderr
    assert "another machine" not in said
    with sqlite3.connect(tmp_path / "neph.db") as connection:  # as if all this had been elsewhere
        connection.execute("UPDATE machine SET provider = 'Hetzner', instance_type = 'cx42', processor = 'EPYC'")
    said = neph(*few, "--repeat", 3, "--resume").stderr
    assert said.count("another machine than before") == 1 and "earlier runs were made on Hetzner cx42, EPYC" in said
    with sqlite3.connect(tmp_path / "neph.db") as connection:
        made = connection.execute("SELECT machine_id, count(*), min(ended >= started), min(host_end_s - host_begin_s) FROM run GROUP BY 1").fetchall()
    assert [(machine, runs) for machine, runs, *_ in made] == [(1, 4), (2, 2)]
    assert all(in_order and 0 < took for *_, in_order, took in made)


def began(neph, clock, started_s):
    """Second 0 of a worker that was told it was started then, by that clock."""
    order = {"workload": "infer", "spec": {"model": "nothing.onnx"}, "started_s": started_s, "clock": clock}
    said = neph("worker", stdin=None, input=json.dumps(order), code=None).stdout
    event = json.loads(said.splitlines()[0])
    assert event["event"] == "began" and event["machine"]["effective_cores"] > 0
    return event["at_s"]


def test_a_worker_takes_its_start_from_no_clock_but_its_own(neph):
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    own = f"{boot} {os.readlink('/proc/self/ns/time')}"
    now = time.monotonic()
    assert now - 30 <= began(neph, own, now - 30) < now - 25, "what looking at the machine takes is no part of the run"
    for other in ("", f"another {own}"):
        assert now - 0.1 <= began(neph, other, now - 30)


def test_a_worker_without_an_order_says_so(neph):
    (said,) = neph("worker", code=2).stdout.splitlines()
    assert json.loads(said)["event"] == "error" and "no order on standard input" in said


def test_a_parent_that_ignores_its_children_does_not_keep_us_from_ours(neph, small_model, pictures):
    ignoring = ("sh", "-c", "trap '' CHLD; exec \"$@\"", "sh")
    few = ("--batch", 1, "--count", 16, "--warmup", 1, "--warmup-max-s", 0.1, "--repeat", 1)
    running = neph.start("infer", small_model, "--images", pictures, *few, before=ignoring)
    _, said = running.communicate(timeout=300)
    assert running.returncode == 0, said


@pytest.mark.parametrize("by", ["stop", "its end", signal.SIGTERM, signal.SIGINT])
def test_a_worker_heeds_its_standard_input_and_a_user(neph, small_model, pictures, by):
    spec = {"model": str(small_model), "images": str(pictures), "count": 10**6}
    worker = neph.start("worker", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    worker.stdin.write(json.dumps({"workload": "infer", "spec": spec}) + "\n")
    worker.stdin.flush()
    while '"phase":"measure"' not in worker.stdout.readline():
        assert worker.poll() is None, worker.stderr.read()
    if by == "stop":
        worker.stdin.write("stop\n")
        worker.stdin.flush()
    elif by == "its end":
        worker.stdin.close()
    else:
        worker.send_signal(by)
    last = worker.stdout.read().splitlines()[-1]
    assert json.loads(last)["event"] == "error" and "stopped" in last
    assert worker.wait(20) == 4


@pytest.mark.smoke
def test_the_order_of_runs_is_the_seeds(neph, tmp_path, small_model, pictures):
    neph("infer", small_model, "--images", pictures, *CELLS)
    first = [(cell, repeat) for cell, repeat, _ in ended_runs(tmp_path)]
    (tmp_path / "neph.db").unlink()
    neph("infer", small_model, "--images", pictures, *CELLS)
    assert [(cell, repeat) for cell, repeat, _ in ended_runs(tmp_path)] == first
    blocks = [sorted(first[i : i + 3]) for i in range(0, 9, 3)]
    assert blocks == [[(cell, repeat) for cell in range(3)] for repeat in range(3)]


@pytest.mark.parametrize("signals", [1, 2], ids=["once", "twice"])
def test_ctrl_c_keeps_what_was_measured(neph, tmp_path, small_model, pictures, signals):
    cells = ("--batch", "1,2", "--count", 1000, "--warmup", 1, "--warmup-max-s", 0.1, "--repeat", 2)
    running = neph.start("infer", small_model, "--images", pictures, *cells)
    wait_for_runs(tmp_path, 1)
    time.sleep(1)
    begin = time.monotonic()
    for _ in range(signals):
        running.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _, err = running.communicate(timeout=120)
    assert "stopped:" in err and "--resume" in err
    ended = ended_runs(tmp_path)
    if signals == 1:
        assert len(ended) == 2, "the run in progress was finished, and no other begun"
    else:
        assert len(ended) == 1 and time.monotonic() - begin < 5, "stopped at once"
    assert "images/s" in neph("show", "1").stdout
