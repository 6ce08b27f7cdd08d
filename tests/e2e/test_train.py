"""`neph train` of known step times: figures, extrapolation, checkpoints, faults, the report."""

import json
import math
import signal
import statistics
import time

import pytest
from cells import TRAINED, codes, only_cell, value

SAMPLES, BATCH, STEP_S = 640, 32, 0.02
EPOCH_STEPS = SAMPLES // BATCH
HERE = ("--framework", "identity", "--data", "synth", "--synth-samples", SAMPLES, "--batch", BATCH, "--repeat", 1)


@pytest.fixture
def network(tmp_path):
    """Writes NAME.identity with steps of 20 ms and these words of its training, and gives its name."""

    def write(name="known", training="", words=f"service_ms = {1e3 * STEP_S}"):
        (tmp_path / f"{name}.identity").write_text(f"{words}\n[training]\n{training}\n{TRAINED}")
        return f"{name}.identity"

    return write


def holds(estimate, truth):
    return estimate["low"] <= truth <= estimate["high"]


@pytest.mark.timing
def test_a_whole_training_is_measured(neph, network):
    cell = only_cell(neph.json("train", network(training="verify_share = 0.5"), *HERE, "--epochs", 2))
    assert value(cell, "step_s") == pytest.approx(STEP_S, rel=0.1)
    assert value(cell, "samples_per_s") == pytest.approx(BATCH / STEP_S, rel=0.1)
    assert value(cell, "epoch_s") == pytest.approx(EPOCH_STEPS * STEP_S, rel=0.1)
    assert value(cell, "training_s") == pytest.approx(2 * (EPOCH_STEPS + 5 * 0.5) * STEP_S, rel=0.1)
    assert cell["figures"]["training_s"]["low"] is None, "measured, not told from a part"
    loss = math.log(10) * 0.99 ** (2 * EPOCH_STEPS)
    assert value(cell, "test_loss") == pytest.approx(loss, rel=1e-3)
    assert value(cell, "test_accuracy") == pytest.approx(1 - 0.9 * 0.99 ** (2 * EPOCH_STEPS), abs=0.02)
    assert value(cell, "checkpoint_bytes") == 4000
    facts = cell["facts"]
    assert facts["training_time"] == "measured" and facts["epochs_learnt"] == "2" and facts["steps_per_epoch"] == "20"
    assert {"process_start", "first_step", "learn", "verify", "save"} <= set(cell["phases"])
    phases = {name: phase["value"] for name, phase in cell["phases"].items()}
    learning = phases["first_step"] + phases["learn"] + phases["verify"]
    assert learning == pytest.approx(value(cell, "training_s"), rel=0.02)


@pytest.mark.timing
def test_some_steps_tell_the_whole_training(neph, network):
    cell = only_cell(neph.json("train", network(training="wander = 0.1"), *HERE, "--epochs", 20, "--steps", 50))
    training = cell["figures"]["training_s"]
    truth = 20 * (EPOCH_STEPS + 5 * 0.3) * STEP_S * math.exp(0.1**2 / 2)
    assert training["value"] == pytest.approx(truth, rel=0.1)
    assert training["low"] < training["value"] < training["high"]
    # Of 50 steps after the warm-up two are the first of an epoch, which begin in the epoch before.
    assert cell["facts"]["training_time"].startswith("extrapolated from 48 steps and ")
    assert cell["facts"]["epochs_learnt"] == "0"
    assert "test_accuracy" not in cell["figures"], "of a training that is not over nothing is said"
    assert "few_steps" not in codes(cell)


def test_too_few_steps_have_no_interval_and_say_so(neph, network):
    cell = only_cell(neph.json("train", network(), *HERE, "--epochs", 20, "--steps", 8))
    assert cell["figures"]["training_s"]["low"] is None and "few_steps" in codes(cell)


def test_more_threads_than_cores_are_refused_and_the_others_go_on(neph, network):
    one, many = neph.json("train", network(), *HERE, "--steps", 8, "--threads", "1,2000", code=1)["cells"]
    assert one["runs_ok"] == 1 and many["runs_ok"] == 0
    assert many["failures"][0].startswith("--threads 2000: a run here may use ")


@pytest.mark.slow
@pytest.mark.timing
def test_intervals_hold_nine_of_ten_whole_trainings(neph, network):
    """Ten trainings of 3 epochs of 200 steps each, whose steps are alike in time, against 50 steps each."""
    model = network(training="wander = 0.15\ncorrelation = 0.5", words="service_ms = 4")
    arguments = ("--framework", "identity", "--data", "synth", "--synth-samples", 200 * 8, "--batch", 8, "--repeat", 1, "--epochs", 3)
    whole = neph.json("train", model, *arguments, "--train-seed", "1..10")["cells"]
    part = neph.json("train", model, *arguments, "--train-seed", "101..110", "--steps", 50)["cells"]
    pairs = [(one["figures"]["training_s"], value(other, "training_s")) for one, other in zip(part, whole)]
    assert len(pairs) == 10
    assert sum(holds(said, came) for said, came in pairs) >= 9, pairs
    assert statistics.median(abs(said["value"] / came - 1) for said, came in pairs) <= 0.05


@pytest.mark.timing
def test_more_cores_are_faster_and_the_report_says_which_pay(neph, network):
    model = network(training="parallel = 0.9")
    document = neph.json("train", model, *HERE[:-2], "--steps", 25, "--threads", "1,2", "--epochs", 5, "--repeat", 2)
    one, two = document["cells"]
    if two["facts"]["cores"] == "1":
        pytest.skip("there is one core")
    assert value(two, "samples_per_s") / value(one, "samples_per_s") == pytest.approx(1 / 0.55, rel=0.1)
    findings = " ".join(document["findings"])
    assert "2 cores are" in findings and "all of them pay" in findings and "5 epochs of training and verifying would take" in findings
    neph("report", "1", "--out", "page.html")
    page = (neph.folder / "page.html").read_text()
    for title in ("What more cores do", "Where a run's time goes", "What the machine did meanwhile"):
        assert title in page or title.replace("'", "&#39;") in page


def test_the_table_predicts_an_epoch(neph, network):
    neph("train", network(words="per_item_ms = 0.5\nservice_ms = 2"), *HERE[:-4], "--batch", "8,16,24,32,48,64", "--steps", 20, "--repeat", 2)
    heading = neph("export", "--format", "csv").stdout.splitlines()[0].split(",")
    assert {"batch", "samples_per_s", "epoch_s", "epoch_s_low", "training_s", "phase_learn_s"} <= set(heading)
    assert "epoch_s" in neph("fit", "neph.db", "--target", "epoch_s", "--explain").stdout


@pytest.mark.smoke
def test_a_file_says_the_same(neph, network):
    network()
    (neph.folder / "study.toml").write_text(
        'repeat = 1\n[train]\nmodel = "known.identity"\ndata = "synth"\nengine = "identity"\nsynth_samples = 640\n'
        "batch = [32, 64]\nsteps = 20\n"
    )
    cells = neph.json("run", "study.toml")["cells"]
    assert [cell["factors"] for cell in cells] == [{"batch": 32}, {"batch": 64}]
    assert all(value(cell, "step_s") > 0 for cell in cells)


def test_a_checkpoint_is_where_it_is_asked_for(neph, network):
    neph("train", network(), *HERE, "--save", "trained.bin")
    assert (neph.folder / "trained.bin").stat().st_size == 4 * 1000
    assert "identity saves .bin files" in neph("train", "known.identity", *HERE, "--save", "x.pt", code=None).stderr


def test_a_loss_that_is_no_number_is_a_warning(neph, network):
    cell = only_cell(neph.json("train", network(training="nan_at_step = 7"), *HERE))
    (warning,) = [warning for warning in cell["warnings"] if warning["code"] == "nan_loss"]
    assert "the loss of the training is no number" in warning["message"]
    assert cell["verdict"] == "doubtful" and value(cell, "samples_per_s") > 0


def test_what_fails_is_one_line_and_the_others_go_on(neph, network):
    model = network(training="most_batch = 64")
    document = neph.json("train", model, *HERE[:-4], "--batch", "32,128", "--steps", 20, "--repeat", 1, code=1)
    fits, too_large = document["cells"]
    assert fits["runs_ok"] == 1 and too_large["runs_failed"] == 1
    (failure,) = too_large["failures"]
    assert failure.endswith("MemoryError: not enough memory for a step of 128 examples; take a smaller --batch")
    both = neph.json("train", model, *HERE, "--steps", 20, "--device", "cpu,cuda", code=1)["cells"]
    assert both[0]["runs_ok"] == 1 and "no device but cpu" in both[1]["failures"][0] and both[1]["runs_failed"] == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "no network given"),
        (("known.identity",), "no data given"),
        (("known.identity", "--data", "synth", "--framework", "idenity"), "did you mean 'identity'?"),
        (("nowhere.identity", "--data", "synth", "--framework", "identity"), "no model file nowhere.identity"),
        (("known.identity", "--data", "synth", "--framework", "identity", "--momentum", "0.5"), "--momentum means nothing with --optimizer adam"),
        (("known.identity", "--data", "synth", "--framework", "identity", "--classes", "3"), "known.identity is a file"),
        (("known.identity", "--data", "synth", "--framework", "identity", "--device", "cuda"), "no device but cpu"),
    ],
)
def test_nonsense_is_refused_before_anything_runs(neph, network, arguments, complaint):
    network()
    said = neph("train", *arguments, code=None)
    assert said.returncode != 0 and complaint in said.stderr, said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


@pytest.mark.timing
def test_the_second_interrupt_ends_the_run_with_what_was_measured(neph, network):
    running = neph.start("train", network(training="verify_share = 0"), *HERE, "--epochs", 500)
    time.sleep(4)
    running.send_signal(signal.SIGINT)
    time.sleep(1)
    assert running.poll() is None, "the first lets the run in progress end"
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=20)
    cell = neph.json("show", "1")["cells"][0]
    assert cell["runs_ok"] == 1 and "stopped_early" in codes(cell)
    assert 1 <= int(cell["facts"]["epochs_learnt"]) < 500
    assert value(cell, "training_s") == pytest.approx(500 * EPOCH_STEPS * STEP_S, rel=0.1)


def test_an_earlier_name_of_an_option_is_taken_with_a_note(neph, network):
    said = neph("train", network(), "--engine", "identity", *HERE[2:], "--dry-run")
    assert "note: --engine is called --framework now" in said.stderr
