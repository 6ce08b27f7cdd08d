"""How quickly the program starts: without an engine, and with the plugins loaded."""

import subprocess
import time

from frame import Goal, Row
from programs import program


def wall_ms(*arguments):
    """Milliseconds from before fork to after wait, for one run of neph."""
    command = [program("neph"), *arguments]
    begin = time.monotonic_ns()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.monotonic_ns() - begin) / 1e6


def rows():
    return [
        Row("start-version", "neph --version, process start to end", "", Goal(20, at_least=False),
            lambda: wall_ms("--version"), unit="ms", rounds=21),
        Row("start-engines", "process start to plugin loaded (neph engines, to its end)", "", Goal(150, at_least=False),
            lambda: wall_ms("engines"), unit="ms", rounds=21),
    ]
