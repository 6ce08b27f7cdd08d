"""Programs for another processor, run here by qemu-user: they themselves and all that they start.

The kernel is told in a namespace of its own which files are meant (binfmt_misc, since Linux 6.7), so that the machine's own table
stays as it is, and is so again with the last process.
"""

import os
import shutil
import subprocess

import pytest

INSIDE = """
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf %s "$1" >/proc/sys/fs/binfmt_misc/register && shift && exec "$@"
"""


def escaped(data):
    return "".join(f"\\x{byte:02x}" for byte in data)


class Emulator:
    """Runs what begins with `header` where `mask` has ones, by an emulator of qemu-user."""

    def __init__(self, program, header, mask, **variables):
        self.rule = f":neph:M::{escaped(header)}:{escaped(mask)}:{shutil.which(program)}:F"
        self.variables = variables
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program}: apt-get install qemu-user")
        tried = subprocess.run(self.command("true"), capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            pytest.skip(f"this kernel lets no namespace have its own binfmt_misc: {tried.stderr.strip()}")

    def command(self, *words):
        return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", INSIDE, "sh", self.rule, *map(str, words)]

    def __call__(self, *words, code=0, timeout_s=600, cwd=None, **variables):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False, timeout=timeout_s, cwd=cwd,
                              env={"PATH": os.environ["PATH"]} | self.variables | variables)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout
