"""Throughput of `neph serve` beside the servers of others: one request of 64 bytes, the same load generator, in turn.

The model is `identity`: ours of the engine of that name, Triton's of its Python backend, MLServer's a runtime of one
line. MLServer has no tensors in binary over HTTP: there both are asked in JSON.
"""

from functools import partial

from echo_rows import SMALL
from frame import Goal, Row, Unavailable
from load_tools import ENCODE, SEND, json_request
from servers import counterpart, ours, port_of

LEAST = {"triton": 5, "mlserver": 15}  # times their rate
TRIES = 3


def request_for(name, protocol):
    if (name, protocol) == ("mlserver", "http"):
        return json_request("identity", "x", [1, 16], [0.5] * 16)
    return ENCODE[protocol](*SMALL)


def rate_of_ours(name, protocol, in_flight):
    with ours(protocol) as (_, port):
        return SEND[protocol](port, in_flight, request_for(name, protocol))[0]


def rate_of_theirs(name, protocol, in_flight):
    """Of a server that is still there afterwards: one that falls over under the load (Triton's gRPC has) gave no rate."""
    for _ in range(TRIES):
        served = counterpart(name)
        rate = SEND[protocol](port_of(served, protocol), in_flight, request_for(name, protocol))[0]
        if rate > 0 and served.process.poll() is None:
            return rate
    raise Unavailable(f"{name} answered nothing, or ended under the load, {TRIES} times")


def rows():
    for name, least in LEAST.items():
        for protocol in SEND:
            for in_flight in (8, 64):
                yield Row(f"{name}-{protocol}-{in_flight}", f"64 bytes, {in_flight} in flight, {protocol}: requests/s", name,
                          Goal(least), partial(rate_of_ours, name, protocol, in_flight),
                          partial(rate_of_theirs, name, protocol, in_flight), rounds=7)
