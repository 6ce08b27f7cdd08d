"""What `neph serve` adds to HTTP and gRPC: processor time a request, against bare echo servers that do nothing else; and
what wire's clients take, against wrk.

The bare servers keep their heap, as ours does (os/memory.hpp). Load comes from programs that cost the servers nothing.
Each figure is from a server of its own.
"""

from functools import partial

from frame import Goal, Row, Unavailable
from load_tools import ENCODE, SECONDS, SEND, wrk
from programs import json_of, program
from servers import bare, cpu_s, ours

SMALL = ("identity", "x", [1, 16], 64)  # model, tensor, shape, bytes
PICTURE = ("picture", "picture", [1, 3, 224, 224], 602112)


def of_server(server, protocol, in_flight, request):
    """Microseconds of the server's processor time for each request."""
    with server as (pid, port):
        before_s = cpu_s(pid)
        requests, _ = SEND[protocol](port, in_flight, ENCODE[protocol](*request))
        return (cpu_s(pid) - before_s) / requests * 1e6


def of_ours(protocol, in_flight, request):
    return of_server(ours(protocol), protocol, in_flight, request)


def of_bare(protocol, in_flight, request):
    return of_server(bare(protocol, *["sink"] * (request is PICTURE)), protocol, in_flight, request)


def of_our_client(protocol, in_flight, size):
    """Microseconds of our client's processor time for each request, of the bare server."""
    with bare(protocol) as (_, port):
        said = json_of(program("closed_loop"), f"{protocol}://127.0.0.1:{port}", in_flight, size, SECONDS)
    if said["failed"]:
        raise Unavailable(f"{said['failed']} of {said['requests']} requests failed")
    return said["cpu_us"]


def of_wrk(server, in_flight):
    with server("http") as (_, port):
        requests, used_s = wrk(port, in_flight, ENCODE["http"](*SMALL))
    return used_s / requests * 1e6


def server_row(name, what, protocol, in_flight, request, goal):
    return Row(f"echo-{protocol}-{name}", f"{what}, {in_flight} in flight, {protocol}: server CPU a request", "bare echo",
               Goal(goal, at_least=False), partial(of_ours, protocol, in_flight, request),
               partial(of_bare, protocol, in_flight, request))


def rows():
    for protocol in SEND:
        for in_flight in (8, 64):
            yield server_row(in_flight, "64 bytes", protocol, in_flight, SMALL, 1.4)
        yield server_row("picture", "602,112 bytes in, 4 KB out", protocol, 8, PICTURE, 1.3)
    for in_flight in (8, 64):
        yield Row(f"client-http-{in_flight}", f"64 bytes, {in_flight} in flight, http: client CPU a request", "wrk",
                  Goal(1.2, at_least=False), partial(of_our_client, "http", in_flight, 64), partial(of_wrk, bare, in_flight))
