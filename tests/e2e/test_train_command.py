"""`neph train -- COMMAND`: any command, measured from its start to its end, with what it tells of itself."""

import json
import re
import signal
import sys
import time
from pathlib import Path

import pytest

PYTHON = sys.executable

LEARNS = """
import json, os, sys, time
pipe = open(os.environ["NEPH_EVENTS"], "w")
def tell(**event): print(json.dumps(event), file=pipe, flush=True)
for epoch in range(2):
    begin = time.monotonic()
    for step in range(5):
        time.sleep(0.02)
        tell(event="step")
    tell(event="span", phase="epoch", begin_s=begin, end_s=time.monotonic(), steps=5, samples=160)
    tell(event="begin", phase="verify")
    time.sleep(0.05)
    tell(event="end", phase="verify")
    tell(event="value", name="test_accuracy", value=0.25 * (epoch + 1))
print("done", epoch)
"""


@pytest.fixture
def script(tmp_path):
    def write(text, name="train.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        return name

    return write


# What the hooks need of the frameworks, which are not installed here: test_train_frameworks.py has them.
TORCH = {
    "torch/optim/optimizer.py": """
hooks = []
register_optimizer_step_post_hook = hooks.append
class Optimizer:
    def step(self):
        for hook in hooks: hook(self, (), {})
""",
    "torch/utils/data/dataloader.py": """
class _BaseDataLoaderIter:
    def __init__(self, loader): self.loader, self._num_yielded = loader, 0
    def __iter__(self): return self
    def __next__(self):
        if self._num_yielded == len(self.loader): raise StopIteration
        self._num_yielded += 1
        return self._num_yielded
class _SingleProcessDataLoaderIter(_BaseDataLoaderIter): pass
class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter): pass
class DataLoader:
    def __init__(self, samples, batch_size, drop_last=False):
        self.sampler, self.batch_size, self.drop_last = range(samples), batch_size, drop_last
    def __len__(self): return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size
    def __iter__(self): return _SingleProcessDataLoaderIter(self)
""",
}
KERAS = {
    "keras/src/callbacks/callback_list.py": """
class CallbackList:
    def on_train_begin(self, logs=None): pass
    def on_train_batch_end(self, batch, logs=None): pass
    def on_epoch_begin(self, epoch, logs=None): pass
    def on_epoch_end(self, epoch, logs=None): pass
    def on_test_begin(self, logs=None): pass
    def on_test_end(self, logs=None): pass
"""
}


def measured(neph, *words, code=0):
    """What is behind `--` is the command's, also a --json."""
    return json.loads(neph("train", "--json", *words, code=code).stdout)


def cell_of(document):
    (cell,) = document["cells"]
    return cell


def figures(document):
    return {name: figure["value"] for name, figure in cell_of(document)["figures"].items()}


def seconds(document):
    """Of each phase, summed."""
    return {name: phase["value"] for name, phase in cell_of(document)["phases"].items()}


def warnings(document):
    return {warning["code"]: warning for warning in cell_of(document)["warnings"]}


def has_ended(pid):
    """Also where nobody has asked for its exit code yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def failed(neph, *command):
    """The table of an experiment whose run failed, and what was said."""
    done = neph("train", "--repeat", 1, "--", *command, code=None)
    assert done.returncode not in (0, 1), done.stdout
    return done.stdout + done.stderr


@pytest.mark.smoke
def test_events_make_steps_and_phases(neph, script):
    document = measured(neph, "--", PYTHON, script(LEARNS))
    values, phases = figures(document), seconds(document)
    assert values["command_s"] >= 0.3
    assert 0.02 <= values["step_s"] < 0.2
    assert values["test_accuracy"] == 0.5
    assert values["samples_per_s"] > 0
    assert phases["verify"] >= 0.099  # two clocks
    assert 0.1 <= phases["learn"] < values["command_s"]
    assert cell_of(document)["facts"]["steps_measured"] == "10"
    assert cell_of(document)["facts"]["epochs_learnt"] == "2"
    assert "no_steps" not in warnings(document)
    assert document["experiment"]["command"].endswith(f" -- {PYTHON} train.py")


def test_output_is_shown_and_mllog_lines_are_read(neph, script):
    name = script("""
import json, time
def log(key, value=None):
    print(":::MLLOG", json.dumps({"namespace": "", "time_ms": int(time.time() * 1000), "event_type": "POINT_IN_TIME", "key": key,
                                  "value": value, "metadata": {}}))
log("init_start"); log("init_stop")
for epoch in range(3):
    log("epoch_start"); time.sleep(0.1); log("epoch_stop")
    log("eval_start"); time.sleep(0.05); log("eval_stop"); log("eval_accuracy", 0.7)
""")
    done = neph("train", "--json", "--", PYTHON, name)
    document = json.loads(done.stdout)
    assert ":::MLLOG" in done.stderr
    assert figures(document)["test_accuracy"] == 0.7
    assert 0.29 <= seconds(document)["learn"] < 0.6
    assert 0.09 <= figures(document)["epoch_s"] < 0.2
    assert "no_steps" in warnings(document)


def test_threads_and_variables_are_factors(neph, script, tmp_path):
    name = script("""
import os
print(os.environ["OMP_NUM_THREADS"], os.environ["WORD"], len(os.sched_getaffinity(0)), file=open("seen", "a"))
""")
    document = measured(neph, "--threads", 1, "--env", "WORD=a,WORD=b", "--", PYTHON, name)
    assert len(document["runs"]) == 2
    assert sorted((tmp_path / "seen").read_text().split("\n")) == ["", "1 a 1", "1 b 1"]


@pytest.mark.parametrize(
    "iteration",
    [
        "sleep(0.1); a.step(); b.step()",
        "sleep(0.1); a.step(); b.step(); c.step()",
        "sleep(0.05); a.step(); sleep(0.05); b.step()",
        "sleep(0.1); a.step(); i % 2 and b.step()",
        "sleep(0.05); a.step(); sleep(0.05); a.step(); b.step()",
        "sleep(0.1); i in (1, 3) and a.step()",  # the fifth batch is not learnt from
    ],
)
def test_samples_are_those_of_the_loader_however_often_optimizers_step(neph, script, tmp_path, iteration):
    for name, text in TORCH.items():
        script(text, name)
    name = script(f"""
from time import monotonic, sleep
from torch.optim.optimizer import Optimizer
from torch.utils.data.dataloader import DataLoader
a, b, c = Optimizer(), Optimizer(), Optimizer()
begin = monotonic()
for i, _ in enumerate(DataLoader(47, 8, drop_last=True)):
    {iteration}
open("truth", "w").write(str(5 * 8 / (monotonic() - begin)))
""")
    values = figures(measured(neph, "--", PYTHON, name))
    assert values["samples_per_s"] == pytest.approx(float((tmp_path / "truth").read_text()), rel=0.05)


def test_two_loaders_side_by_side_are_no_verifying(neph, script):
    for name, text in TORCH.items():
        script(text, name)
    name = script("""
from time import sleep
from torch.optim.optimizer import Optimizer
from torch.utils.data.dataloader import DataLoader
step = Optimizer().step
for epoch in range(2):
    for _ in zip(DataLoader(32, 8), DataLoader(32, 8)): sleep(0.02); step()
""")
    assert "verify" not in seconds(measured(neph, "--", PYTHON, name))


def test_keras_evaluates_on_the_test_samples(neph, script):
    for name, text in KERAS.items():
        script(text, name)
    fit = """
from keras.src.callbacks.callback_list import CallbackList
fit = CallbackList()
fit.on_train_begin()
for epoch in range(2):
    fit.on_epoch_begin(epoch)
    for batch in range(3): fit.on_train_batch_end(batch)
    fit.on_test_begin(); fit.on_test_end({"loss": 2, "accuracy": 0.25})
    fit.on_epoch_end(epoch, {"loss": 1, "accuracy": 0.5, "val_loss": 2, "val_accuracy": 0.25})
"""
    evaluate = 'test = CallbackList(); test.on_test_begin(); test.on_test_end({"loss": 3, "accuracy": 0.75})'
    values = figures(measured(neph, "--", PYTHON, script(fit + evaluate)))
    assert (values["train_loss"], values["test_loss"], values["test_accuracy"]) == (1, 3, 0.75)
    assert figures(measured(neph, "--", PYTHON, script(fit)))["test_accuracy"] == 0.25, "all that there is"


def test_an_own_sitecustomize_still_runs(neph, script, tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/sitecustomize.py").write_text("import builtins\nbuiltins.chained = 'yes'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "own"))
    name = script("import sys; print('chained', chained, sys.modules['sitecustomize'].__file__)")
    assert f"chained yes {tmp_path}/own/sitecustomize.py" in neph("train", "--", PYTHON, name).stderr


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("sh", "-c", "echo before; echo no such layer >&2; exit 3"), "ended with exit code 3: no such layer"),
        (("sh", "-c", "kill -9 $$"), "was killed by SIGKILL"),
        (("no-such-program-here",), "no program 'no-such-program-here' in PATH"),
        (("./missing",), "./missing is no program that can be run"),
    ],
)
def test_a_command_that_fails_is_one_clear_line(neph, command, words):
    assert words in failed(neph, *command)


REASONS = [
    ("import atexit\natexit.register(print, 'bye')\nraise ValueError('two things\\nfirst\\nsecond')", "ValueError: two things"),
    ("try: {}['a']\nexcept KeyError as e: raise RuntimeError('no batch') from e\nfinally: print('bye')", "RuntimeError: no batch"),
    ("print('bye'\n", "SyntaxError: '(' was never closed"),
    ("raise ExceptionGroup('both', [ValueError('a'), TypeError('b')])", "ExceptionGroup: both (2 sub-exceptions)"),
    ("import atexit\n@atexit.register\ndef end(): raise OSError('closed')\nraise ValueError('boom')", "ValueError: boom"),
]


@pytest.mark.parametrize("hooks", ["on", "off"])
def test_the_reason_of_a_python_that_fails_is_its_exception(neph, script, hooks):
    for text, reason in REASONS:
        done = neph("train", "--repeat", 1, "--hooks", hooks, "--", PYTHON, script(text), code=None)
        assert re.search(f"ended with exit code 1: {re.escape(reason)}( \\(.*)?$", done.stderr, re.M), done.stderr


def test_an_exception_that_was_caught_is_no_reason(neph, script):
    text = "import sys, traceback\ntry: {}['a']\nexcept KeyError: traceback.print_exc()\nsys.exit('no data')"
    assert "ended with exit code 1: no data\n" in failed(neph, PYTHON, script(text))


def test_other_runs_go_on_after_one_that_fails(neph):
    document = measured(neph, "--env", "CODE=0,CODE=1", "--", "sh", "-c", "exit $CODE", code=1)
    assert sorted(run["status"] for run in document["runs"]) == ["failed", "ok"]


def test_a_command_that_never_steps_is_told_why_and_what_to_do(neph, script):
    for command, why in [
        (("sleep", "0.1"), "no Python"),
        ((PYTHON, "-c", "pass"), "imported neither PyTorch nor Keras"),
        ((PYTHON, "-I", "-c", "pass"), "no Python"),
    ]:
        document = measured(neph, "--", *command)
        assert why in warnings(document)["no_steps"]["message"]
        assert "NEPH_EVENTS" in warnings(document)["no_steps"]["advice"]
        assert seconds(document)["command"] > 0
    document = measured(neph, "--hooks", "off", "--", PYTHON, "-c", "pass")
    assert "hooks are off" in warnings(document)["no_steps"]["message"]


def test_garbage_in_the_pipe_is_counted(neph, script):
    name = script("""
import os, time
pipe = os.open(os.environ["NEPH_EVENTS"], os.O_WRONLY)
os.write(pipe, b'{"event":"step"}\\n\\xff\\x00garbage\\n{"event":"step","at_s":1e18}\\n')
for _ in range(300): os.write(pipe, b"x" * 4000)
os.write(pipe, b'\\n{"event":"step"}\\n{"event":"st')
""")
    document = measured(neph, "--", PYTHON, name)
    refused = warnings(document)["events_refused"]["message"]
    assert "made no sense; the first: " in refused
    assert cell_of(document)["facts"]["steps_measured"] == "2"


def test_what_outlives_the_command_is_ended_and_named(neph, tmp_path):
    begin = time.monotonic()
    document = measured(neph, "--", "sh", "-c", "setsid sleep 300 & echo $! > pid; exit 0")
    assert time.monotonic() - begin < 60
    assert "sleep (" in warnings(document)["left_behind"]["message"]
    assert has_ended(int((tmp_path / "pid").read_text()))


def test_ctrl_c_ends_the_command_in_order(neph, script, tmp_path):
    name = script("""
import time
try:
    open("running", "w").close()
    time.sleep(300)
except KeyboardInterrupt:
    open("ended", "w").close()
""")
    running = neph.start("train", "--", PYTHON, name)
    for _ in range(600):
        if (tmp_path / "running").exists():
            break
        time.sleep(0.05)
    for _ in range(2):  # the second stops the run in progress
        running.send_signal(signal.SIGINT)
        time.sleep(0.2)
    running.communicate(timeout=30)
    assert (tmp_path / "ended").exists()


def test_a_file_of_an_experiment_runs_commands(neph, script, tmp_path):
    (tmp_path / "study.toml").write_text(
        f'repeat = 1\n[command]\ncommand = ["{PYTHON} -c pass", "{PYTHON} -c \\"import json\\""]\n'
    )
    document = neph.json("run", "study.toml")
    assert [run["status"] for run in document["runs"]] == ["ok", "ok"]
