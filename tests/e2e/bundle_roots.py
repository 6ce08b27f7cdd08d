"""The bundle of the build under test, unpacked, and other root folders in which it runs."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from paths import REPOSITORY

# The mounts live in a namespace of their own and are gone with its last process.
INSIDE = """
root=$1; shift
/bin/mount -t proc proc "$root/proc" &&
while [ "$1" != -- ]; do /bin/mount --bind "$1" "$root$2" && /bin/mount -o remount,bind,ro "$root$2" && shift 2 || exit; done &&
shift && exec /usr/bin/env -i HOME=/tmp /usr/sbin/chroot "$root" "$@"
"""


def unpack(archive, folder):
    """The folder of the bundle, below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)
    (unpacked,) = folder.iterdir()
    return unpacked


@dataclass(frozen=True)
class Root:
    """A root folder with /proc, an empty environment, and folders of this machine lent to it, which it may only read."""

    folder: Path
    lent: dict  # {absolute path inside: folder of this machine}

    def __post_init__(self):
        for place in ("/proc", "/tmp", *self.lent):
            (self.folder / place.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def command(self, *arguments):
        unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        mounts = [str(word) for place, folder in self.lent.items() for word in (folder, place)]
        return [*unshare, "sh", "-c", INSIDE, "root", str(self.folder), *mounts, "--", *map(str, arguments)]

    def __call__(self, *arguments, code=0, timeout_s=120):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=timeout_s, cwd="/")
        assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def start(self, *arguments):
        """Its standard input is a pipe, too."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(self.command(*arguments), text=True, cwd="/", **pipes)


def can_have_roots():
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", *([] if os.geteuid() == 0 else ["--map-root-user"]), "true"],
                          capture_output=True, check=False)
    return done.returncode == 0


class NoSuchSuite(Exception):
    """That Debian cannot be had here."""


def debian(suite, folder):
    """Makes an empty Debian in the folder, in about a minute."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise NoSuchSuite("only root with debootstrap may make another Debian")
    made = subprocess.run([REPOSITORY / "tools/bare-root", suite, folder], capture_output=True, text=True, timeout=900)
    if made.returncode == 3:
        raise NoSuchSuite(f"the mirror has no {suite}")
    assert made.returncode == 0, made.stderr
    return folder
