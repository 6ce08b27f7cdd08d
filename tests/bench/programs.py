"""Where the measured programs and pictures are, and how one of them is run for a figure."""

import json
import os
import subprocess
import sys
from pathlib import Path

from frame import Unavailable

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
BUILD = Path(os.environ.get("NEPH_BUILD", REPOSITORY / "build/release"))
PHOTOGRAPHS = REPOSITORY.parent / "shared/data/images"


measured = BUILD  # whose programs the rows run: with_build() changes it


def with_build(build, figure):
    """Calls `figure` while the rows' programs are those of another build."""
    global measured
    measured = build
    try:
        return figure()
    finally:
        measured = BUILD


def program(name):
    path = measured / "bin" / name
    if not path.is_file():
        raise Unavailable(f"{path.name} is not built")
    return path


def photographs():
    if not PHOTOGRAPHS.is_dir():
        raise Unavailable(f"no photographs in {PHOTOGRAPHS}")
    return PHOTOGRAPHS


def resnet50():
    """ResNet-50 with weights from the program's seed, as an ONNX file; written once."""
    path = REPOSITORY / "build/bench/resnet50.onnx"
    if not path.is_file():
        output_of(program("neph"), "net", "resnet50", "--onnx", path)
    return path


def output_of(*command):
    """Standard output of a command; a failure is Unavailable with the last line it said."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["nothing"]
        raise Unavailable(f"{Path(command[0]).name} ended with exit code {done.returncode} and said: {said[-1]}")
    return done.stdout


def json_of(*command):
    """A command's standard output, as JSON."""
    return json.loads(output_of(*command))


def python(script, *arguments):
    """The command that runs a script beside this file."""
    return [sys.executable, HERE / script, *arguments]
