"""The bundle of the build under test, unpacked, and other root folders in which it runs."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from identity_repository import write_repository
from paths import REPOSITORY

IDENTITY = """[[inputs]]
name = "picture"
element = "f32"
shape = [-1, 3, 64, 64]
[[outputs]]
name = "y"
from = "picture"
"""
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


def write_workplace(folder, pictures):
    """What a measurement needs: pictures, a model of the identity engine for them, and a repository. Returns the folder."""
    shutil.copytree(pictures, folder / "pictures")
    (folder / "model.identity").write_text(IDENTITY)
    write_repository(folder / "repository")
    return folder


def measure(root, neph="/neph/bin/neph"):
    """What its users do, in a root that has no environment and is lent /work (write_workplace): a measurement, a store and a
    page, a server and its load."""
    assert root(neph, "--version").strip()
    assert json.loads(root(neph, "host", "--json"))
    assert '"identity"' in root(neph, "engines", "--json")
    store = ["--store", "/tmp/runs.db"]
    out = root(neph, "infer", "/work/model.identity", "--engine", "identity", "--images", "/work/pictures", "--count",
               200, *store, "--json")
    (cell,) = json.loads(out)["cells"]
    assert cell["figures"]["images_per_s"]["value"] > 0
    server = root.start(neph, "serve", "/work/repository", "--http-port", "0", "--grpc-port", "0", "--metrics-port", "0",
                        "--json", "--end-with-stdin")
    try:
        where = json.loads(server.stdout.readline())
        for url in (where["http"], where["grpc"]):
            out = root(neph, "load", url, "--model", "identity", "--clients", 2, "--duration", "1s", "--warmup", "0s",
                       *store, "--json")
            (cell,) = json.loads(out)["cells"]
            assert cell["figures"]["requests_per_s"]["value"] > 0, url
    finally:
        server.communicate(timeout=20)
    root(neph, "report", *store, "--out", "/tmp/report.html")
    assert "</html>" in (root.folder / "tmp/report.html").read_text()


class NoSuchSuite(Exception):
    """That Debian cannot be had here."""


def debian(suite, folder, *packages):
    """Makes an empty Debian in the folder, with these packages, in about a minute."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise NoSuchSuite("only root with debootstrap may make another Debian")
    made = subprocess.run([REPOSITORY / "tools/bare-root", suite, folder, *packages], capture_output=True, text=True, timeout=900)
    if made.returncode == 3:
        raise NoSuchSuite(f"the mirror has no {suite}")
    assert made.returncode == 0, made.stderr
    return folder
