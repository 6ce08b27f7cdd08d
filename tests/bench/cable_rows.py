"""Pictures over a cable of known rate, from one network namespace to another: what HTTP and gRPC leave of it, beside a bare
stream of TCP."""

import json
import tempfile
from functools import partial
from pathlib import Path

from frame import Goal, Row, Unavailable
from programs import program
from servers import write_repository

from two_machines import NoNamespaces, TwoMachines  # found by what servers.py did

IN_FLIGHT, PICTURE_BITS, SECONDS = 8, 8 * 602_112, 3
GOALS = {0.1: 0.95, 1: 0.95, 5: 0.8}  # by Gbit/s; the last is more than two cores send and receive as well


def cable(gbit):
    try:
        return TwoMachines(gbit)
    except NoNamespaces as reason:
        raise Unavailable(str(reason)) from reason


def streamed_gbit_per_s(gbit):
    with cable(gbit) as machines:
        return machines.stream_gbit_per_s(SECONDS)


def asked_gbit_per_s(protocol, gbit):
    """Of fp32 pictures that a server on the other side has answered."""
    with cable(gbit) as machines, tempfile.TemporaryDirectory() as folder:
        repository = write_repository(Path(folder) / "models")
        serving = machines.start_in_server(program("neph"), "serve", repository, "--listen", machines.server_address, "--json")
        address = json.loads(serving.stdout.readline())[protocol]
        asking = machines.start_in_client(
            program("neph"), "load", address, "--model", "picture", "--clients", IN_FLIGHT, "--duration", f"{SECONDS}s",
            "--json", cwd=folder,
        )  # fmt: skip
        said, words = asking.communicate(timeout=60)
        serving.terminate()
        serving.communicate(timeout=60)
    if asking.returncode != 0:
        raise Unavailable(words.strip())
    return json.loads(said)["cells"][0]["figures"]["requests_per_s"]["value"] * PICTURE_BITS / 1e9


def rows():
    return [
        Row(f"cable-{gbit:g}-{protocol}", f"fp32 pictures over {gbit:g} Gbit/s, {IN_FLIGHT} in flight, {protocol}: bits/s",
            "a bare TCP stream", Goal(goal), partial(asked_gbit_per_s, protocol, gbit), partial(streamed_gbit_per_s, gbit),
            rounds=7)
        for gbit, goal in GOALS.items() for protocol in ("http", "grpc")
    ]  # fmt: skip
