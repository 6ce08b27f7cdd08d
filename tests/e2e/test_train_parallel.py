"""`neph train --processes N`: data parallel training as one run of several processes, on a training engine of known
step times, and on libtorch where it is: what is learnt, how fast, what it costs, how it fails."""

import os
import pathlib
import signal
import struct
import time

import pytest
from cells import TRAINED, only_cell, value
from waiting import wait_for

HERE = ("--engine", "identity", "--data", "synth", "--synth-samples", 650, "--batch", 32, "--repeat", 1)

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two processes need two cores")


@pytest.fixture
def network(tmp_path):
    def write(training="", words="service_ms = 4"):
        (tmp_path / "known.identity").write_text(f"{words}\n[training]\n{training}\n{TRAINED}")
        return "known.identity"

    return write


def weights(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return struct.unpack(f"<{(len(data) - 8 - length) // 4}f", data[8 + length :])


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


def ranks_of(running, count):
    """The worker, which is rank 0, and those that it has started, once all learn."""
    wait_for(lambda: len(children_of(running.pid)) == count)
    time.sleep(1.5)
    ranks = children_of(running.pid)
    assert len(ranks) == count
    return ranks


def is_there(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.smoke
def test_processes_learn_from_what_one_learns_from(neph, network):
    """The engine's second weight remembers labels and pixels of the last steps, whoever had them."""
    model = network(words="")
    for processes in (1, 2):
        neph("train", model, *HERE, "--epochs", 2, "--processes", processes, "--save", f"{processes}.safetensors")
    one, two = (weights(neph.folder / f"{processes}.safetensors") for processes in (1, 2))
    assert two == pytest.approx(one, rel=1e-6) and len(one) == 1000
    assert one[1] > 1


def test_a_run_of_processes_tells_what_it_took(neph, network):
    model = network(training="parameters = 1000000")
    document = neph.json("train", model, *HERE, "--epochs", 4, "--processes", "1,2")
    one, two = document["cells"]
    assert "processes" not in one["facts"] and "exchange" not in one["stages_ms"]
    assert two["facts"]["processes"] == "2" and two["facts"]["exchange"] == "shared memory"
    assert two["facts"]["cores"] == str(len(os.sched_getaffinity(0)))
    assert two["stages_ms"]["exchange"]["value"] > 0
    for figure in ("train_loss", "test_loss"):
        assert value(two, figure) == pytest.approx(value(one, figure), rel=1e-6), figure
    # This engine rounds what it says is right to whole samples of each batch, and batches have become smaller.
    assert value(two, "test_accuracy") == pytest.approx(value(one, "test_accuracy"), abs=0.05)
    assert two["facts"]["steps_per_epoch"] == one["facts"]["steps_per_epoch"] == "21"
    assert value(two, "epoch_s") > 0 and value(two, "training_s") > 0


@pytest.mark.timing
def test_all_processes_are_watched(neph, network):
    model = network(words="busy = true\nservice_ms = 10")
    cells = neph.json("train", model, *HERE, "--epochs", 10, "--processes", "1,2", "--telemetry-hz", 20)["cells"]
    cpu = [cell["telemetry"]["process.cpu"]["mean"] for cell in cells]
    assert cpu[0] == pytest.approx(1, abs=0.15) and cpu[1] == pytest.approx(2, abs=0.25)


@pytest.mark.timing
def test_two_processes_are_faster(neph, network):
    model = network(words="per_item_ms = 1")
    one, two = neph.json("train", model, *HERE, "--epochs", 4, "--steps", 40, "--processes", "1,2")["cells"]
    assert value(two, "samples_per_s") / value(one, "samples_per_s") == pytest.approx(2, rel=0.15)
    assert value(two, "verify_s") / value(one, "verify_s") == pytest.approx(0.5, rel=0.2)


@pytest.mark.parametrize("victim", [0, 1])
def test_a_killed_process_ends_the_run_and_leaves_nothing(neph, network, victim):
    running = neph.start("train", network(), *HERE, "--epochs", 5000, "--processes", 2)
    ranks = ranks_of(running, 2)
    os.kill(ranks[victim], signal.SIGKILL)
    begin = time.monotonic()
    _, said = running.communicate(timeout=20)
    assert time.monotonic() - begin < 10
    assert running.returncode != 0
    assert ("rank 1 was killed by SIGKILL" if victim == 1 else "killed by SIGKILL") in said
    wait_for(lambda: not any(map(is_there, ranks)))
    assert neph.json("show", "1")["cells"][0]["runs_failed"] == 1


@pytest.mark.parametrize("victim", [0, pytest.param(1, marks=pytest.mark.slow)])  # it waits for the other, and ends 10 s later
def test_a_process_that_a_scheduler_ends_interrupts_the_run(neph, network, victim):
    running = neph.start("train", network(), *HERE, "--epochs", 5000, "--processes", 2)
    os.kill(ranks_of(running, 2)[victim], signal.SIGTERM)
    _, said = running.communicate(timeout=60)
    assert "stopped by a SIGTERM from elsewhere" in said and "--resume goes on" in said
    assert neph.json("show", "1")["runs"][0]["status"] == "interrupted"


def test_the_users_interrupt_ends_all_processes(neph, network):
    running = neph.start("train", network(training="verify_share = 0"), *HERE, "--epochs", 5000, "--processes", 2)
    ranks = ranks_of(running, 2)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=20)
    wait_for(lambda: not any(map(is_there, ranks)))
    cell = neph.json("show", "1")["cells"][0]
    assert cell["runs_ok"] == 1 and int(cell["facts"]["epochs_learnt"]) >= 1


@pytest.mark.slow
def test_a_process_that_stalls_is_named(neph, network):
    running = neph.start("train", network(), *HERE, "--epochs", 50000, "--processes", 2)
    ranks = ranks_of(running, 2)
    os.kill(ranks[1], signal.SIGSTOP)
    _, said = running.communicate(timeout=120)
    assert "rank 1 did not come to exchange its numbers for 60.0 s" in said
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
def test_what_cannot_be_divided_is_refused_before_anything_runs(neph, network, arguments, complaint):
    said = neph("train", network(), *HERE, *arguments, code=2)
    assert complaint in said.stderr and len(said.stderr.strip().splitlines()) == 1


def test_gpus_that_are_not_there_are_one_line_and_the_others_go_on(neph, network):
    document = neph.json("train", network(), *HERE, "--steps", 20, "--epochs", 3, "--device", "cpu,cuda", "--gpus", "1,2", code=None)
    assert [cell["runs_ok"] for cell in document["cells"]] == [1, 0, 0] and document["cells"][2]["runs_failed"] == 0, "on the CPU the number of GPUs means nothing"
    assert "unknown device 'CUDA:0'" in document["cells"][2]["failures"][0]


def test_an_error_of_another_process_is_told_once(neph, network):
    said = neph("train", network(training="most_batch = 8"), *HERE, "--processes", 2, code=None)
    assert said.stderr.count("not enough memory for a step of 16 examples") == 1 and "rank" not in said.stderr


def test_processes_need_a_core_each(neph, network):
    core = min(os.sched_getaffinity(0))
    said = neph("train", network(), *HERE, "--processes", 2, code=4, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    assert said.stderr == "neph: 2 processes need 2 cores, and there are 1\n", "before any run"


def need_torch(neph):
    if not any(engine["name"] == "torch" and engine["usable"] for engine in neph.json("engines")):
        pytest.skip("no torch; ./dev setup train")


def losses(neph, network, *arguments):
    """Of both numbers of processes: (training loss, test loss, test accuracy) after the last epoch."""
    cells = neph.json("train", network, "--data", "synth", "--synth-samples", 250, "--batch", 16, "--repeat", 1, "--threads", 2,
                      "--processes", "1,2", *arguments)["cells"]
    assert [cell["runs_failed"] for cell in cells] == [0, 0], cells
    return [[value(cell, figure) for figure in ("train_loss", "test_loss", "test_accuracy")] for cell in cells]


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_two_processes_learn_on_torch_what_one_learns(neph, optimizer):
    """lenet5 has neither dropout nor batch norm; 250 samples leave 5 to each process in the last step."""
    need_torch(neph)
    one, two = losses(neph, "lenet5", "--epochs", 3, "--optimizer", optimizer, "--learning-rate", 0.002)
    assert two == pytest.approx(one, rel=1e-3)


@pytest.mark.parametrize("network", ["mnist-cnn", "resnet18"])
def test_dropouts_and_batch_norms_end_with_the_same_bits_in_both_processes(neph, network):
    """Every run compares them, and fails where they differ."""
    need_torch(neph)
    cell = only_cell(neph.json("train", network, "--data", "synth", "--synth-samples", 24, "--batch", 4, "--repeat", 1, "--steps", 4,
                               "--threads", 2, "--processes", 2, code=None))
    assert cell["failures"] == [] and cell["stages_ms"]["exchange"]["value"] > 0
