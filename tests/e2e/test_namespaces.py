"""The script that stands in for two machines and a cable: its rate is what it says, and nothing of it stays."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from two_machines import SCRIPT


def network_namespaces():
    """The numbers of all that processes of this machine are in."""
    numbers = set()
    for process in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            numbers.add(os.readlink(process))
        except OSError:
            pass  # it has just ended
    return numbers


def namespaces_in(prefixes):
    """The numbers of those that prefixes of commands enter by a path as /proc/PID/ns/net."""
    return {os.readlink(path) for path in re.findall(r"/proc/\d+/ns/net", prefixes) if os.path.lexists(path)}


@pytest.mark.timing
@pytest.mark.parametrize("gbit", [0.1, 1, 5])
def test_a_stream_has_the_cables_rate(two_machines, gbit):
    """Never more than that, and as much where the machine has the time to send and receive it: one of three tries."""
    machines = two_machines(gbit)
    tries = []
    while len(tries) < 3 and (not tries or tries[-1] < 0.9 * gbit):
        tries.append(machines.stream_gbit_per_s())
        assert tries[-1] < 1.1 * gbit
    assert tries[-1] == pytest.approx(gbit, rel=0.1), f"{tries}; headers take 4.5 % of it"


def test_each_namespace_has_only_its_own_end(two_machines):
    machines = two_machines(1)
    for start, own in (
        (machines.start_in_server, machines.server_address), (machines.start_in_client, machines.client_address)
    ):
        addresses = start("ip", "-brief", "-4", "address").communicate()[0]
        assert own in addresses
        assert len(addresses.splitlines()) == 2, "the loopback and the cable"


LEAVE_SOMETHING = "$IN_SERVER sleep 1000 & $IN_CLIENT sleep 1000 & echo $IN_SERVER $IN_CLIENT; exec sleep 1000"


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL, None], ids=["SIGTERM", "SIGKILL", "its command's end"])
def test_nothing_is_left_however_it_ends(two_machines, by):
    two_machines(1)  # skips where there can be none
    command = LEAVE_SOMETHING if by else LEAVE_SOMETHING.replace("exec sleep 1000", "exit 3")
    script = subprocess.Popen([SCRIPT, "1", "bash", "-c", command], stdout=subprocess.PIPE, text=True)
    made = namespaces_in(script.stdout.readline())
    if by:
        assert len(made & network_namespaces()) == 2
        script.send_signal(by)
    assert script.wait(10) == {signal.SIGTERM: 143, signal.SIGKILL: -9, None: 3}[by]
    end = time.monotonic() + 10
    while network_namespaces() & made:
        assert time.monotonic() < end, "a namespace is left"
        time.sleep(0.05)


def test_bad_usage_is_said():
    done = subprocess.run([SCRIPT, "1"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "usage: namespaces GBIT_PER_S COMMAND...\n"
