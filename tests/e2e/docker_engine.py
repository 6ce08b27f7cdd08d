"""A Docker engine of the tests' own: it lives in a network and a mount namespace and in two folders, and is gone with them.

Where an engine answers already ($DOCKER_HOST, or the usual socket), that one is used and left as it is.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager


class Unavailable(Exception):
    """No engine runs here and none can be started; the text says why."""


class Docker:
    """`docker("run", "--rm", image)` gives the standard output. Ports that containers publish are on the loopback as `inside`
    sees it: a prefix of commands that runs them beside the engine."""

    def __init__(self, host=None, inside=()):
        self.env = {**os.environ, **({"DOCKER_HOST": host} if host else {})}
        self.inside = list(inside)

    def __call__(self, *arguments, code=0, timeout_s=120, **options):
        done = subprocess.run(
            ["docker", *map(str, arguments)], env=self.env, capture_output=True, timeout=timeout_s, **options
        )
        shown = f"docker {' '.join(map(str, arguments))}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        assert code is None or done.returncode == code, shown
        return done.stdout.decode()

    def answers(self):
        done = subprocess.run(["docker", "version"], env=self.env, capture_output=True, timeout=30)
        return done.returncode == 0

    def logs(self, container):
        """Both streams."""
        done = subprocess.run(["docker", "logs", container], env=self.env, capture_output=True, timeout=30)
        return (done.stdout + done.stderr).decode()

    def inspect(self, container):
        return json.loads(self("inspect", container))[0]

    @contextmanager
    def running(self, image, *command, options=()):
        """A container in the background for the length of the block: its name."""
        name = self("run", "--detach", *options, image, *command).strip()
        try:
            yield name
        finally:
            self("rm", "--force", name)


def start_engine(folder):
    if os.geteuid() != 0:
        raise Unavailable("only root may start dockerd")
    if missing := [name for name in ("dockerd", "unshare", "setpriv") if shutil.which(name) is None]:
        raise Unavailable(f"there is no {', '.join(missing)} here")
    short = tempfile.mkdtemp(prefix="neph-docker-")  # paths of sockets have at most 104 characters: pytest's folders are too long
    socket = f"unix://{short}/docker.sock"
    begin = ["setpriv", "--pdeathsig", "TERM", "unshare", "--net", "--mount", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    engine = ["dockerd", "--data-root", f"{folder}/data", "--exec-root", f"{short}/exec", "--host", socket,
              "--pidfile", f"{folder}/pid"]
    with open(folder / "dockerd.log", "w") as log:
        process = subprocess.Popen([*begin, *engine], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    docker = Docker(socket, ["nsenter", f"--net=/proc/{process.pid}/ns/net", "--"])
    end = time.monotonic() + 60
    while not docker.answers():
        if process.poll() is not None or time.monotonic() > end:
            stop_engine(process, short)
            raise Unavailable("dockerd does not run here: " + (folder / "dockerd.log").read_text()[-300:])
        time.sleep(0.2)
    return docker, process, short


def stop_engine(process, short):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    shutil.rmtree(short, ignore_errors=True)


@contextmanager
def docker_engine(folder):
    """A Docker engine for the length of the block. Raises Unavailable."""
    if shutil.which("docker") is None:
        raise Unavailable("there is no docker here")
    usual = Docker()
    if usual.answers():
        yield usual
        return
    docker, process, short = start_engine(folder)
    try:
        yield docker
    finally:
        stop_engine(process, short)
        shutil.rmtree(folder / "data", ignore_errors=True)
