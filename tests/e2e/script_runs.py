"""A place where scripts of `neph script` run: a home, programs of providers that only write down what they were asked, and a
server of files that can keep its clients waiting."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from paths import REPOSITORY
from picture_files import write_pictures

# Writes down how it was called, waits where it is told to, and fails as often as it is told to.
RECORDER = """#!/bin/sh
echo "${0##*/} $*" >>"{record}"
if read -r left <"{record}.failures" && [ "$left" -gt 0 ]; then
  echo "$((left - 1))" >"{record}.failures"
  exit 1
fi 2>/dev/null
while [ -e "{record}.wait" ]; do sleep 0.1; done
exit 0
"""
# neph, which can be kept waiting before it does what it is asked.
WAITING_NEPH = """#!/bin/sh
echo "neph $1" >>"{calls}"
while [ -e "{calls}.$1.wait" ]; do sleep 0.1; done
exec "{program}" "$@"
"""


IDENTITY = """[[inputs]]
name = "picture"
element = "f32"
shape = [-1, 3, 64, 64]
[[outputs]]
name = "y"
from = "picture"
"""
STUDY = """repeat = 1
[infer]
model = "model.identity"
images = "pictures"
engine = "identity"
count = 30
warmup_max_s = 0.1
"""
RELEASES = sorted(file.stem for file in (REPOSITORY / "src/script/releases").glob("*.sh"))


def write_study(folder):
    """An experiment's file, with the pictures and the model that it reads beside it."""
    (folder / "study.toml").write_text(STUDY)
    (folder / "model.identity").write_text(IDENTITY)
    (folder / "pictures").mkdir()
    write_pictures(folder / "pictures")


def script(neph, *options, offer="own/here", results="/srv/results"):
    """The script of that experiment."""
    return neph("script", "study.toml", "--offer", offer, "--results", results, *options).stdout


def block(text, key):
    """The lines of YAML's literal block of that key, without their indentation."""
    indent, block = re.search(rf"^( *)(?:- )?{key}: \|\n((?:\1 +.*\n|\n)+)", text, re.MULTILINE).groups()
    columns = len(block) - len(block.lstrip(" "))
    return [line[columns:] for line in block.splitlines()]


def spec_in(text):
    """The specification that a script writes."""
    words = re.search(r"printf '%s\\n' \\\n(.*?) *>\"\$home/experiment.toml\"", text, re.DOTALL)[1]
    return "\n".join(shlex.split(words.replace("\\\n", "\n"))) + "\n"


def need(program):
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")


class Files(BaseHTTPRequestHandler):
    """GET and PUT of files; a request of a name in `held` waits until it is none any more."""

    def answer(self, code, body=b""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hold(self, name):
        self.server.seen.append((self.command, name))
        self.server.authorizations.add(self.headers.get("Authorization"))
        while (self.command, name, self.server.seen.count((self.command, name))) in self.server.held:
            time.sleep(0.05)

    def do_GET(self):
        name = self.path.lstrip("/")
        self.hold(name)
        file = self.server.folder / name
        self.answer(200, file.read_bytes()) if file.is_file() else self.answer(404)

    def do_PUT(self):
        name = self.path.partition("?")[0].lstrip("/")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.hold(name)
        if self.server.refuses:
            self.answer(507)
            return
        (self.server.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.server.folder / name).write_bytes(body)
        self.answer(201)

    def log_message(self, *_):
        pass


class FileServer:
    def __init__(self, folder):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
        self.server.daemon_threads = True
        self.server.folder, self.server.held, self.server.seen, self.server.refuses = folder, set(), [], False
        self.server.authorizations = set()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.held.clear()
        self.server.shutdown()
        self.server.server_close()


class RentedMachine:
    """Where a script runs: `start()` it, kill it, and see what the provider was asked."""

    def __init__(self, folder, program, providers=("fakecloud", "poweroff", "systemctl", "shutdown")):
        self.folder = folder
        self.home = folder / "home"
        self.record, self.calls = folder / "asked", folder / "calls"
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self.home.mkdir()
        for name in providers:
            self.add(name, RECORDER.replace("{record}", str(self.record)))
        self.add("neph", WAITING_NEPH.replace("{calls}", str(self.calls)).replace("{program}", str(program)))
        self.env = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        self.script = folder / "run.sh"
        self.shell = ["sh"]

    def add(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def start(self, *arguments, **env):
        self.running = subprocess.Popen([*self.shell, self.script, *arguments], cwd=self.folder, env=self.env | env, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return self.running

    def run(self, *arguments, code=0, timeout_s=60, **env):
        out = self.start(*arguments, **env).communicate(timeout=timeout_s)[0]
        assert self.running.returncode == code, f"exit code {self.running.returncode}\n{out}\n{self.log()}"
        return out

    def asked(self):
        return self.record.read_text().splitlines() if self.record.exists() else []

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    @property
    def kept(self):
        (folder,) = self.home.glob("neph-*")
        return folder

    def log(self):
        return "".join(file.read_text() for file in self.home.glob("neph-*/run.log"))[-4000:]

    def ended(self):
        return {file.stem for file in self.kept.glob("done/*.step")}

    def wait_until(self, condition, what, timeout_s=30):
        end = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < end, f"{what} did not come true\nasked {self.asked()}, called {self.called()}\n{self.log()}"
            time.sleep(0.02)

    def wait_for_release(self, times=1, timeout_s=30):
        self.wait_until(lambda: len(self.asked()) >= times, "the release", timeout_s)

    def processes(self):
        """All that has this machine's home in its environment."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if f"HOME={self.home}\0".encode() in (process / "environ").read_bytes():
                    found.append((int(process.name), (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()))
            except OSError:
                continue  # it has ended
        return found

    def clear(self):
        for waiting in self.folder.glob("*.wait"):
            waiting.unlink()
        for process, _ in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


def marks_in(file):
    return [json.loads(line) for line in file.read_text().splitlines()]
