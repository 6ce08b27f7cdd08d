"""`neph load --find-max-rate`: the truth of what it finds, what it tells meanwhile, and what is left of it when it is ended."""

import json
import re
import signal
import time
from itertools import takewhile

import numpy
import pytest
from cells import codes
from known import KnownServer, arrivals, waited

QUICK = ("--warmup", "100ms")


@pytest.fixture
def server(tmp_path):
    with KnownServer(tmp_path, service=0.01) as known:
        yield known


@pytest.mark.timing
def test_the_highest_rate_that_keeps_a_promise_is_found(neph, tmp_path):
    with KnownServer(tmp_path, service=0.005) as server:
        arguments = ("--find-max-rate", "--limit", "30ms", "--percentile", "90", "--duration", "2s", "--warmup", "200ms")
        (cell,) = neph.json("load", server.http, "--model", "known", *arguments)["cells"]
    times = {rate: arrivals("poisson", rate, 20000 / rate, 3) for rate in range(60, 200, 5)}
    kept = [rate for rate, at in times.items() if numpy.quantile(waited(at, [0.005] * len(at)), 0.9) <= 0.03]
    found = cell["figures"]["sustained_per_s"]
    assert 0.7 * max(kept) < found["value"] < 1.1 * max(kept), cell["facts"]["search"]
    assert found["low"] == found["value"] < found["high"]


SEARCH = ("--find-max-rate", "--limit", "200ms", "--percentile", "50", "--duration", "300ms", "--rate", 20, *QUICK)


TOLD = re.compile(r"  20\.0/s met \(\d+ of \d+ late, p50 [\d.]+ ms \([\d.]+ to [\d.]+\)\) · [\d.]+ m?s elapsed, at least [\d.]+ m?s left\n")


def test_a_search_tells_each_probe_and_ends_after_one_when_asked(neph, server):
    running = neph.start("load", server.http, "--model", "known", *SEARCH, "--json")
    told = next(line for line in running.stderr if " late" in line)
    assert TOLD.fullmatch(told), told
    running.send_signal(signal.SIGTERM)
    output, talk = running.communicate(timeout=20)
    assert talk.count("finishing this run; once more to stop now\n") == 1
    assert talk.count(" late,") <= 1, "at most the probe that had begun"
    document = json.loads(output)
    (cell,) = document["cells"]
    voided = codes(cell) & {"schedule_missed", "generator_saturated"}  # by a machine that is held up, not by the stop
    assert "stopped_early" in codes(cell) and cell["verdict"] == ("invalid" if voided else "doubtful")
    first = cell["probes"][0]
    assert first["outcome"] == "met" and first["rate_per_s"] == 20 and first["response_ms"]["low"]
    if not voided:
        assert "met at " in document["findings"][0] and "not confirmed by a fresh probe" in document["findings"][0]


def test_a_search_that_is_stopped_at_once_keeps_what_it_knows(neph, server):
    running = neph.start("load", server.http, "--model", "known", *SEARCH, "--arrival-seed", 7, "--json")
    before = list(takewhile(lambda line: " late" not in line, running.stderr))
    for _ in range(2):
        running.send_signal(signal.SIGINT)
        time.sleep(0.1)
    output, talk = running.communicate(timeout=20)
    (cell,) = json.loads(output)["cells"]
    assert "ended: met at " in talk, talk
    assert cell["probes"][0]["outcome"] == "met" and len(cell["probes"]) <= 2, "the one that was stopped does not count"
    (warning,) = [warning for warning in cell["warnings"] if warning["code"] == "stopped_early"]
    assert "ended by the user: met at " in warning["message"] and "sustained_per_s" not in cell["figures"]
    if "does not count" not in "".join([*before, talk]):  # each probe has arrivals of its own
        assert cell["facts"]["arrival_seed"] == str(7 + sum(probe["measurements"] for probe in cell["probes"]))


def test_an_slo_that_the_idle_server_misses_is_said_after_a_look(neph, server):
    begin = time.monotonic()
    document = neph.json("load", server.http, "--model", "known", "--find-max-rate", "--p99", "5ms", "--duration", "20s", *QUICK)
    (cell,) = document["cells"]
    assert time.monotonic() - begin < 15, "a look takes a second, a probe 20"
    assert "within 5 ms: missed by the idle server: of one client" in document["findings"][0], document["findings"]
    assert "probes" not in cell and "no_rate_found" in codes(cell) and "sustained_per_s" not in cell["figures"]


def test_a_search_begins_no_probe_beyond_its_budget(neph, server):
    arguments = ("--find-max-rate", "--p99", "100ms", "--budget", "3s", *QUICK)  # 1045 requests take longer
    (cell,) = neph.json("load", server.http, "--model", "known", *arguments)["cells"]
    assert "search_limited" in codes(cell) and "probes" not in cell and cell["facts"]["search"] == "no rate was probed"
    assert "--budget is of --find-max-rate" in neph("load", server.http, "--model", "known", "--budget", "3s", code=2).stderr


def test_ctrl_c_ends_a_probe_at_once_and_keeps_what_was_measured(neph, server):
    long = ("100s" if word == "300ms" else word for word in SEARCH)
    running = neph.start("load", server.http, "--model", "known", *long, "--json")
    time.sleep(4)
    running.send_signal(signal.SIGINT)
    output, talk = running.communicate(timeout=20)
    (cell,) = json.loads(output)["cells"]
    assert running.returncode == 0 and "stopped_early" in codes(cell), talk
    assert 10 < cell["figures"]["requests_answered"]["value"] < 200
