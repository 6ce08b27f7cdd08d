"""Two machines and a cable, which are two network namespaces: see tests/e2e/namespaces."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "namespaces"
SINK = """
import socket, sys, time
sink = socket.create_server((sys.argv[1], 5001))
print("ready", flush=True)
stream, _ = sink.accept()
memory, count, begin = bytearray(1 << 20), 0, None
while got := stream.recv_into(memory):
    now = time.monotonic()
    if begin is None: begin = now; continue  # what came with the first bytes waited in no queue
    count += got
print(count * 8 / (now - begin) / 1e9, flush=True)
"""
SOURCE = """
import socket, sys, time
stream = socket.create_connection((sys.argv[1], 5001))
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end: stream.sendall(bytes(1 << 18))
"""


class NoNamespaces(Exception):
    """The kernel allows none; the text says why."""


class TwoMachines:
    """A server's and a client's network namespace, joined by a cable of `gbit` Gbit/s."""

    server_address = "10.77.0.1"
    client_address = "10.77.0.2"

    def __init__(self, gbit):
        say_prefixes = 'echo "$IN_SERVER"; echo "$IN_CLIENT"; exec cat'  # they last until our end of cat's pipe closes
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.script = subprocess.Popen([SCRIPT, str(gbit), "sh", "-c", say_prefixes], **pipes)
        self.in_server = self.script.stdout.readline().split()
        self.in_client = self.script.stdout.readline().split()
        if not self.in_client:
            reason = self.script.communicate()[1]
            assert self.script.returncode == 77, reason
            raise NoNamespaces(reason)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def start_in_server(self, *command, **options):
        return self._start(self.in_server, command, options)

    def start_in_client(self, *command, **options):
        return self._start(self.in_client, command, options)

    def stream_gbit_per_s(self, seconds=2):
        """What one bare stream of TCP gets through the cable, from client to server."""
        sink = self.start_in_server(sys.executable, "-c", SINK, self.server_address)
        assert sink.stdout.readline() == "ready\n"
        self.start_in_client(sys.executable, "-c", SOURCE, self.server_address, seconds).communicate(timeout=10 + seconds)
        return float(sink.communicate(timeout=20)[0])

    def end(self):
        """Ends whatever runs in them."""
        self.script.communicate()

    @staticmethod
    def _start(prefix, command, options):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([*prefix, *map(str, command)], **pipes | options)
