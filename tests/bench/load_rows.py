"""The load generator: what it costs a request beside wrk and perf_analyzer, and how often its stated intervals hold the
truth."""

import json
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy
from echo_rows import of_wrk
from frame import Goal, Row, Unavailable
from load_tools import SECONDS, used_s
from perf_analyzer import run_perf_analyzer
from programs import program
from servers import answered, neph_serving, ours

BEHAVIOUR = {"service": 0.005, "stall": 0.5, "stall_every": 5}
RATE, MEASURED_S, AT_ONCE = 120, 20, 10


def loaded(folder, *arguments):
    """The one cell of `neph load`."""
    done = subprocess.run([program("neph"), "load", *map(str, arguments), "--json"], cwd=folder, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Unavailable(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)["cells"][0]


def of_neph(protocol, in_flight):
    """Microseconds of the generator's processor time a request, of a server that answers at once."""
    with ours(protocol) as (_, port), tempfile.TemporaryDirectory() as folder:
        cell = loaded(folder, f"{protocol}://127.0.0.1:{port}", "--model", "identity", "--clients", in_flight,
                      "--duration", f"{SECONDS}s", "--warmup", "200ms", "--deadline", "0s")  # fmt: skip
    return cell["figures"]["generator_cpu_us"]["value"]


def of_perf_analyzer(in_flight):
    """The same of Triton's: all of its processor time, over what the server has answered it."""
    with neph_serving() as served:
        begin_s = used_s()
        try:
            run_perf_analyzer(served.grpc, "identity", "grpc", in_flight, window_s=SECONDS / 2)
        except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"perf_analyzer: {error}") from error
        return (used_s() - begin_s) / answered(served, "identity") * 1e6


def share_inside():
    """Of the stated intervals of p50, p90 and p99 of ten runs, each of a server and a seed of its own."""
    from known import KnownServer, arrivals, waited  # needs pytest, as the tests do

    times = arrivals("poisson", RATE, 20_000, 1)
    stays = waited(times, [BEHAVIOUR["service"]] * len(times), BEHAVIOUR["stall"], BEHAVIOUR["stall_every"])
    truth_ms = {q: 1e3 * numpy.quantile(stays, q / 100) for q in (50, 90, 99)}

    def inside(number):
        with tempfile.TemporaryDirectory() as folder, KnownServer(Path(folder), **BEHAVIOUR) as known:
            cell = loaded(folder, known.http, "--model", "known", "--rate", RATE, "--duration", f"{MEASURED_S}s")
        figures = {q: cell["figures"][f"response_p{q}_ms"] for q in truth_ms}
        return [figures[q]["low"] - 0.3 <= true <= figures[q]["high"] for q, true in truth_ms.items()]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return numpy.mean([held for run in pool.map(inside, range(AT_ONCE)) for held in run])


def rows():
    for in_flight in (8, 64):
        yield Row(f"load-http-{in_flight}", f"64 bytes, {in_flight} clients, http: load generator's CPU a request", "wrk",
                  Goal(1.2, at_least=False), partial(of_neph, "http", in_flight), partial(of_wrk, ours, in_flight))
        yield Row(f"load-grpc-{in_flight}", f"64 bytes, {in_flight} clients, grpc: load generator's CPU a request",
                  "perf_analyzer", Goal(0.3, at_least=False), partial(of_neph, "grpc", in_flight),
                  partial(of_perf_analyzer, in_flight))
    yield Row("load-truth", f"5 ms at {RATE}/s with stalls: stated intervals that hold the simulated truth", "",
              Goal(0.9), share_inside, unit="of 1", rounds=7)
