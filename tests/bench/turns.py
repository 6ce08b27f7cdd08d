"""Programs that take as many training steps as they are told, so that two of them can take turns: train_rate_bench, and
train_reference.py with the frameworks' own Python.
"""

import atexit
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import programs
from frame import Unavailable
from train_reference import FASHION

FRAMEWORKS = Path(os.environ.get("NEPH_FRAMEWORKS", programs.REPOSITORY / ".venv-frameworks")) / "bin/python"
WARM_UP = 5  # steps; torch.compile compiles in the first


@dataclass(frozen=True)
class Trainer:
    """Who trains: of ours `kind` is the build's folder, else as train_reference.py has it. threads 0: its own default."""

    kind: str
    network: str
    batch: int
    threads: int

    def command(self):
        if "/" in self.kind:
            data = "fashion-mnist" if self.network == "mnist-cnn" and FASHION.is_dir() else "synth"
            return [programs.program("train_rate_bench"), self.network, "--data", data, "--batch", self.batch,
                    "--threads", self.threads]
        if not FRAMEWORKS.exists():
            raise Unavailable("no frameworks in .venv-frameworks; ./dev setup frameworks")
        return [FRAMEWORKS, programs.HERE / "train_reference.py", self.kind, self.network, self.batch, self.threads]


class Turns:
    """A trainer's process, which waits between its turns."""

    def __init__(self, trainer):
        self.said = tempfile.TemporaryFile()  # on standard error
        self.process = subprocess.Popen([*map(str, trainer.command())], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.said, text=True)
        atexit.register(self.end)
        self.hear()
        self.take(WARM_UP)

    def hear(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        self.said.seek(0)
        words = self.said.read().decode(errors="replace").strip().splitlines() or ["nothing"]
        name = Path(self.process.args[0]).name
        raise Unavailable(f"{name} ended with exit code {self.process.returncode} and said: {words[-1]}")

    def take(self, steps):
        try:
            print(steps, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass  # hear() tells why
        return self.hear()

    def end(self):
        if self.process.stdin.closed:
            return
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


_open = {}  # at most two, the last used behind: those that take turns


def turns_of(trainer):
    turns = _open.pop(trainer, None)
    if not turns:
        while len(_open) > 1:
            _open.pop(next(iter(_open))).end()
        turns = Turns(trainer)
    _open[trainer] = turns
    return turns


def ours(network, batch, threads):
    return Trainer(str(programs.measured.resolve()), network, batch, threads)


def images_per_s(trainer, steps, clock):
    took = turns_of(trainer).take(steps)
    return took["images"] / took[clock]
