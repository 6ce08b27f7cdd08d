"""The load generator: what it costs a request beside wrk and perf_analyzer, and how often its stated intervals hold the
truth."""

import json
import random
import subprocess
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy
from echo_rows import of_wrk
from frame import Goal, Row, Unavailable
from load_tools import SECONDS, used_s
from perf_analyzer import run_perf_analyzer
from programs import program
from servers import answered, neph_serving, ours

MEASURED_S = 60  # of what happens every 5 s, as the stalls, a run must see ten times before its intervals can tell
LONG_RUN = 1_000_000
ARRIVALS_SEED, SERVICES_SEED = 1, 2  # two streams: of one, long gaps would go with long services


TRUTHS = {
    "fixed": "fixed, constant",
    "poisson": "fixed, poisson",
    "stalls-60": "10 ms with stalls, constant",
    "stalls-120": "5 ms with stalls, poisson",
    "tail": "heavy tail, poisson",
}


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


@cache
def long_run_stays_ms(name):
    """Of a simulation as long as it takes for percentiles to settle."""
    from known import CASES, arrivals, services, waited  # needs pytest, as the tests do

    behaviour, kind, rate = CASES[name]
    times = arrivals(kind, rate, LONG_RUN / rate, ARRIVALS_SEED)
    stalls = behaviour.get("stall", 0), behaviour.get("stall_every", 0)
    return 1e3 * numpy.array(waited(times, services(behaviour, len(times), SERVICES_SEED), *stalls))


def share_inside(name):
    """Of the stated intervals of p50, p90 and p99 of a run, against a server of its own."""
    from known import CASES, TIMER_MS, KnownServer

    behaviour, kind, rate = CASES[name]
    own = {"tail": random.randrange(1, 2**32)} if "tail" in behaviour else {}
    with tempfile.TemporaryDirectory() as folder, KnownServer(Path(folder), **behaviour | own) as known:
        cell = loaded(folder, known.http, "--model", "known", "--rate", rate, "--arrival", kind, "--duration",
                      f"{MEASURED_S}s")  # fmt: skip
    inside = []
    for q in (50, 90, 99):
        figure, true = cell["figures"][f"response_p{q}_ms"], numpy.quantile(long_run_stays_ms(name), q / 100)
        inside.append(figure["low"] - TIMER_MS["http"] <= true <= figure["high"])
    return numpy.mean(inside)


def rows():
    for in_flight in (8, 64):
        yield Row(f"load-http-{in_flight}", f"64 bytes, {in_flight} clients, http: load generator's CPU a request", "wrk",
                  Goal(1.2, at_least=False), partial(of_neph, "http", in_flight), partial(of_wrk, ours, in_flight))
        yield Row(f"load-grpc-{in_flight}", f"64 bytes, {in_flight} clients, grpc: load generator's CPU a request",
                  "perf_analyzer", Goal(0.3, at_least=False), partial(of_neph, "grpc", in_flight),
                  partial(of_perf_analyzer, in_flight))
    for short, name in TRUTHS.items():
        yield Row(f"load-truth-{short}", f"{name}: stated intervals that hold the simulated truth", "", Goal(0.9),
                  partial(share_inside, name), unit="of 1", rounds=7)
