"""`neph load` against the servers of others, and beside the load generator of others."""

import itertools
import statistics

import pytest

SERVERS = [pytest.param(server, protocol, id=f"{server}, {protocol}") for server, protocol in
           itertools.product(("triton", "mlserver", "kserve"), ("http", "grpc"))]
SHORT = ("--duration", "2s", "--warmup", "0.5s")


def load(neph, served, protocol, model, *options, window=SHORT):
    """The figures of one cell, and the cell."""
    document = neph.json("load", f"{protocol}://{getattr(served, protocol)}", "--model", model, *window, *options)
    (cell,) = document["cells"]
    return {name: figure["value"] for name, figure in cell["figures"].items()}, cell


@pytest.mark.parametrize("server, protocol", SERVERS)
def test_every_request_is_answered(request, neph, server, protocol):
    served = request.getfixturevalue(server)
    figures, cell = load(neph, served, protocol, "identity", "--clients", 4, "--batch", 3)
    assert figures["requests_answered"] > 10
    assert figures["requests_failed"] == figures["requests_unavailable"] == figures["requests_timed_out"] == 0
    assert figures["inferences_per_s"] == pytest.approx(3 * figures["requests_per_s"], rel=0.01)
    assert cell["failures"] == []


@pytest.mark.parametrize("server, protocol", SERVERS)
def test_a_known_time_is_measured(request, neph, server, protocol):
    served = request.getfixturevalue(server)
    figures, _ = load(neph, served, protocol, "ten_ms", "--rate", 20, "--arrival", "constant")
    assert figures["requests_answered"] == pytest.approx(40, abs=1)
    assert 10 <= figures["service_min_ms"] < 25
    assert figures["response_min_ms"] >= figures["service_min_ms"], "it counts from the schedule"


def test_the_servers_own_mistakes_are_told(neph, triton):
    done = neph("load", f"grpc://{triton.grpc}", "--model", "nobody", *SHORT, code=None)
    assert done.returncode != 0
    assert "nobody" in done.stderr


PAIRS = 7  # always: to stop at the first few that agree would favour agreement
BRIEF = ("--duration", "0.7s", "--warmup", "0.4s")  # 32 in flight stay 0.32 s


def agree(ratios):
    return statistics.median(ratios) == pytest.approx(1, rel=0.05)


@pytest.mark.timing
@pytest.mark.parametrize("in_flight", [1, pytest.param(8, marks=pytest.mark.slow), 32])
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_it_agrees_with_perf_analyzer(neph, triton, perf_analyzer, protocol, in_flight):
    """Closed loop against a server that is the bottleneck: throughput and median latency within 5 %, over pairs in turn."""

    def ours():
        figures, _ = load(neph, triton, protocol, "ten_ms", "--clients", in_flight, window=BRIEF)
        return figures["requests_per_s"], figures["response_p50_ms"] * 1e-3

    def theirs():
        measured = perf_analyzer(getattr(triton, protocol), "ten_ms", protocol, in_flight, window_s=0.3)
        return measured.per_s, measured.p50_s

    rates, medians = [], []
    for number in range(PAIRS):
        first, second = (ours, theirs) if number % 2 else (theirs, ours)
        results = {first: first(), second: second()}
        rates.append(results[ours][0] / results[theirs][0])
        medians.append(results[ours][1] / results[theirs][1])
    assert agree(rates) and agree(medians), (rates, medians)
