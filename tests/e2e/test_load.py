"""`neph load` against a server whose times are known: figures, truth, promises, formats, faults."""

import csv
import json
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import tritonclient.grpc
import tritonclient.http
from cells import codes, only_cell, value
from conftest import Neph
from known import CASES, TIMER_MS, KnownServer, arrivals, waited

QUICK = ("--warmup", "100ms")


@pytest.fixture
def server(tmp_path):
    with KnownServer(tmp_path, service=0.01) as known:
        yield known


@pytest.mark.timing
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_closed_loop_has_its_clients_in_flight(neph, server, protocol):
    document = neph.json("load", server.url(protocol), "--model", "known", "--clients", "1,4", "--duration", "2s", "--warmup", "200ms")
    for cell, clients in zip(document["cells"], (1, 4)):
        assert cell["factors"] == {"clients": clients}
        assert value(cell, "requests_per_s") == pytest.approx(100, rel=0.1)
        assert value(cell, "response_p50_ms") == pytest.approx(10 * clients, rel=0.1)
        assert value(cell, "in_flight_max") == clients
        assert "closed_loop" in codes(cell) and cell["facts"]["loop"] == ("closed, 1 client" if clients == 1 else f"closed, {clients} clients")
        stages = {name: stage["value"] for name, stage in cell["stages_ms"].items()}
        assert sum(stages.values()) == pytest.approx(value(cell, "response_mean_ms"), rel=1e-3), "they close"
        assert stages["server_infer"] == pytest.approx(10, rel=0.01)
        assert value(cell, "unexplained_share") < (0.02 if protocol == "http" else 0.1), "gRPC does not tell of its sockets"


@pytest.mark.timing
def test_times_of_a_saturated_server_are_explained(neph, served):
    """Requests and replies then wait in sockets for most of their time, where no program's own clock sees them."""
    (cell,) = neph.json(
        "load", served.url, "--model", "identity", "--clients", 32, "--duration", "2s", "--warmup", "200ms"
    )["cells"]
    waiting = cell["stages_ms"]["server_socket"]["value"] + cell["stages_ms"]["receive"]["value"]
    assert waiting > 0.5 * value(cell, "response_mean_ms")
    assert value(cell, "unexplained_share") < 0.05


@pytest.mark.smoke
def test_each_run_is_stored_shown_and_exported(neph, server):
    arguments = ("load", server.http, "--model", "known", "--rate", "20,40", "--duration", "1s", "--repeat", 2, *QUICK)
    shown = neph(*arguments)
    assert "answered/s" in shown.stdout and "offered/s" in shown.stdout
    assert neph("runs", "1").stdout.count("requests/s") == 4
    assert "response_p50_ms" in neph("show", "1", "--run", "1").stdout
    assert "\nrepeat: 1\n" in neph("show", "1", "--run", "1").stdout, "counted as neph runs does"
    assert "| offered/s | answered/s | errors |" in neph("export", "--format", "markdown").stdout
    cells = json.loads(neph("export", "--format", "json").stdout)["cells"]
    assert [cell["factors"]["rate"] for cell in cells] == [20, 40]
    assert cells[0]["repro"].startswith(f"neph load {server.http} --model known --rate 20")
    assert "</html>" in (neph.folder / neph("report", "1").stdout.strip()).read_text()
    assert "going on with experiment 1" in neph(*arguments, "--resume").stderr


def test_a_run_that_takes_too_long_says_so_once(neph, server):
    done = neph("load", server.http, "--model", "known", "--duration", "20s", "--timeout-s", 0.5, code=4)
    assert done.stdout.count("took longer than --timeout 500ms") == done.stderr.count("took longer than") == 1
    assert "of the runs that did well" not in done.stdout


def test_a_file_says_it_all(neph, server):
    (neph.folder / "load.toml").write_text(
        f'repeat = 1\n[load]\nurl = "{server.http}"\nmodel = "known"\nrate = [30, 50]\nduration = "500ms"\nwarmup = "100ms"\n'
    )
    document = neph.json("run", "load.toml")
    assert [cell["factors"] for cell in document["cells"]] == [{"rate": 30}, {"rate": 50}]


def test_no_phase_ends_before_it_begins(neph, server):
    """All is answered long before the schedule's last gap is over, which is measured too: nothing is left to drain."""
    arguments = ("--rate", 1.5, "--arrival", "constant", "--duration", "1s", *QUICK)
    neph("load", server.http, "--model", "known", *arguments)
    phases = {phase["name"]: phase for phase in neph.json("show", "--run", 1)["result"]["phases"]}
    assert all(phase["end_s"] >= phase["begin_s"] for phase in phases.values()), phases
    assert phases["drain"]["begin_s"] == phases["measure"]["end_s"]


WARMUP_S, MEASURED_S, SEED, MOST_TRIALS = 1, 20, 11, 3


class Trial:
    """One measurement of a known server: the cell, and two truths about it, percentiles in ms. `simulated` has the arrivals
    and service times as planned; `recorded` has the answers as the server gave them, who may have woken up late."""

    def __init__(self, folder, protocol, behaviour, kind, rate):
        self.protocol = protocol
        neph = Neph(folder)
        with KnownServer(folder, **behaviour) as server:
            self.cell = only_cell(neph.json(
                "load", server.url(protocol), "--model", "known", "--rate", rate, "--arrival", kind, "--arrival-seed", SEED,
                "--duration", f"{MEASURED_S}s", "--warmup", f"{WARMUP_S}s",
            ))  # fmt: skip
        seen = server.seen()[1:]  # the first is the request that tries the server
        times = arrivals(kind, rate, WARMUP_S + MEASURED_S, SEED)
        assert len(seen) == len(times), "every arrival of the schedule, and none besides"
        start = min(at - planned for (at, _, _), planned in zip(seen, times))
        services, stalls = [service for _, service, _ in seen], (behaviour.get("stall", 0), behaviour.get("stall_every", 0))
        self.simulated = percentiles_ms(times, waited(times, services, *stalls, start))
        self.recorded = percentiles_ms(times, [end - start - planned for (_, _, end), planned in zip(seen, times)])
        self.sent_late = percentiles_ms(times, [at - start - planned for (at, _, _), planned in zip(seen, times)])

    def untruths(self, true_ms):
        """What was measured further from the truth than 3 %, or outside its own stated interval."""
        found, tick = [], TIMER_MS[self.protocol]
        for q, true in true_ms.items():
            estimate = self.cell["figures"][f"response_p{q}_ms"]  # what repeats exactly has an interval of no width
            inside = 0.97 * estimate["low"] - tick <= true <= 1.03 * estimate["high"] + tick
            if abs(estimate["value"] - true) > 0.03 * true + tick or not inside:
                found.append(f"p{q}: measured {estimate['value']}, true {true}")
        return found


def percentiles_ms(times, stays):
    """Of what came after the warm-up."""
    measured = [1e3 * stay for stay, at in zip(stays, times) if at >= WARMUP_S]
    return {q: numpy.quantile(measured, q / 100) for q in (50, 90, 99)}


JOBS = [(name, protocol) for name in CASES for protocol in ("http", "grpc") if protocol == "http" or "stalls" in name]


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """Two cases at once: they sleep most of the time, and one more would wake up late for them."""
    with ThreadPoolExecutor(2) as pool:
        running = {job: pool.submit(Trial, tmp_path_factory.mktemp("truth"), job[1], *CASES[job[0]]) for job in JOBS}
        return {job: result.result() for job, result in running.items()}


@pytest.mark.timing
@pytest.mark.slow  # a minute and a half of arrivals; ./dev bench has more of them
@pytest.mark.parametrize("name, protocol", JOBS)
def test_percentiles_are_those_of_the_simulated_truth(truth, tmp_path, name, protocol):
    """What is off must be off each time, alone: a machine that others use is late now and then, a wrong clock always. Where
    the server itself was late, what it really did must be what was measured."""
    trial, told = truth[name, protocol], []
    for _ in range(MOST_TRIALS):
        if not trial.untruths(trial.simulated):
            return
        trial = Trial(tmp_path, protocol, *CASES[name])
        if not trial.untruths(trial.recorded) and trial.sent_late[99] < TIMER_MS[protocol]:
            return
        told.append((trial.untruths(trial.simulated), trial.sent_late))
    assert not trial.untruths(trial.simulated), told


@pytest.mark.smoke
def test_arrivals_of_a_trace_and_bursts(neph, server):
    (neph.folder / "trace.csv").write_text("at_s,what\n" + "".join(f"{10 + 0.05 * i},x\n" for i in range(30)))
    trace = only_cell(neph.json("load", server.http, "--model", "known", "--trace", "trace.csv", "--warmup", "0s"))
    assert value(trace, "requests_answered") == 30
    assert value(trace, "offered_per_s") == pytest.approx(20), "over its own length"
    burst = only_cell(neph.json(
        "load", server.http, "--model", "known", "--arrival", "burst", "--burst", 8, "--rate", 40, "--duration", "1s", "--warmup", "0s"
    ))  # fmt: skip
    assert value(burst, "requests_answered") == 40 and value(burst, "in_flight_max") >= 8


@pytest.mark.timing
def test_all_requests_at_once_are_answered_as_fast_as_the_server_can(neph, server):
    offline = only_cell(neph.json("load", server.http, "--model", "known", "--scenario", "offline", "--count", 50))
    assert offline["verdict"] != "invalid"
    server.stop()
    arrived, _, answered = zip(*server.seen()[-50:])
    assert all(next_arrival < answer for next_arrival, answer in zip(arrived[1:], answered)), "the server never waits"
    truth = 50 / (max(answered) - min(arrived))
    assert truth < 101, "a machine that is held up may serve fewer, never more"
    assert value(offline, "requests_per_s") == pytest.approx(truth, rel=0.1)


def test_it_ends_when_the_interval_is_narrow_enough(neph, server):
    begin = time.monotonic()
    cell = only_cell(neph.json("load", server.http, "--model", "known", "--ci-width", 0.2, "--percentile", 50, "--duration", "60s"))
    assert time.monotonic() - begin < 30
    assert cell["facts"]["ended"] == "the interval was narrow enough"


def test_a_limit_in_flight_is_told(neph, server):
    cell = only_cell(neph.json(
        "load", server.http, "--model", "known", "--rate", 150, "--arrival", "constant", "--in-flight", 2, "--duration", "1s", *QUICK
    ))  # fmt: skip
    assert "in_flight_reached" in codes(cell) and cell["facts"]["in_flight"] == "at most 2"
    assert value(cell, "in_flight_max") == 2


@pytest.mark.timing
def test_more_than_the_server_can_do_is_told(neph, server):
    cell = only_cell(neph.json("load", server.http, "--model", "known", "--rate", 200, "--duration", "2s", "--threads", 2))
    assert "overloaded" in codes(cell) and cell["facts"]["workers"] == "2"
    assert value(cell, "requests_per_s") == pytest.approx(100, rel=0.1)
    assert value(cell, "offered_per_s") == pytest.approx(200, rel=0.2)


@pytest.mark.timing
def test_a_generator_that_is_the_bottleneck_says_invalid(neph, tmp_path):
    with KnownServer(tmp_path) as server:
        arguments = ("--rate", 200_000, "--arrival", "constant", "--duration", "20ms", "--warmup", "0s")
        cell = only_cell(neph.json("load", server.http, "--model", "known", *arguments))
    assert cell["verdict"] == "invalid"
    assert {"schedule_missed", "generator_saturated"} & codes(cell)


def test_a_schedule_that_cannot_be_sent_ends_near_its_time(neph, server):
    begin = time.monotonic()
    arguments = ("--rate", 100_000, "--duration", "1s", "--in-flight", 4, "--request-timeout", "1s")
    cell = only_cell(neph.json("load", server.http, "--model", "known", *arguments))
    assert time.monotonic() - begin < 15, "100 requests a second: the whole schedule would take half an hour"
    (warning,) = [warning for warning in cell["warnings"] if warning["code"] == "schedule_missed"]
    unsent, scheduled = map(int, re.fullmatch(r"(\d+) of (\d+) requests of the schedule were never sent", warning["message"]).groups())
    assert 0.9 * scheduled < unsent < scheduled and scheduled == pytest.approx(100_000, rel=0.02)
    assert cell["verdict"] == "invalid" and value(cell, "requests_answered") > 20


@pytest.mark.timing
def test_tables_of_other_tools(neph, server):
    neph("load", server.http, "--model", "known", "--clients", "1,2", "--duration", "500ms", *QUICK, "--perf-analyzer-csv", "pa.csv")
    rows = list(csv.DictReader((neph.folder / "pa.csv").open()))
    assert {row["Concurrency"] for row in rows} == {"1", "2"}
    assert float(rows[0]["Inferences/Second"]) == pytest.approx(100, rel=0.2)
    assert float(rows[0]["Server Compute Infer"]) == pytest.approx(10_000, rel=0.05)
    for scenario, more in {"single-stream": (), "server": ("--rate", 50, "--p99", "1s"), "multi-stream": (), "offline": ("--count", 70)}.items():
        neph("load", server.grpc, "--model", "known", "--scenario", scenario, *more, "--duration", "1s", *QUICK, "--mlperf-summary", "ml.txt")
        text = (neph.folder / "ml.txt").read_text()
        assert f"Scenario : {scenario.title().replace('-', '')}\n" in text and "Result is : " in text


@pytest.mark.timing
@pytest.mark.parametrize("protocol", ["http", "grpc"])
@pytest.mark.parametrize("fault, figure", [("reject_every", "requests_unavailable"), ("fail_every", "requests_failed")])
def test_refused_and_failed_requests_are_counted_apart(neph, tmp_path, protocol, fault, figure):
    with KnownServer(tmp_path, service=0.002, **{fault: 4}) as server:
        cell = only_cell(neph.json("load", server.url(protocol), "--model", "known", "--rate", 80, "--duration", "1s", "--p99", "1s", *QUICK))
    sent = sum(value(cell, f"requests_{kind}") for kind in ("answered", "unavailable", "failed", "timed_out", "abandoned"))
    assert value(cell, figure) == pytest.approx(sent / 4, abs=2)
    assert value(cell, "late_share") == pytest.approx(0.25, abs=0.05), "what is not answered breaks the promise"
    assert figure.replace("requests_", "") + "_p50_ms" in cell["figures"]
    assert "requests_failed" in codes(cell) and cell["verdict"] != "valid"


@pytest.mark.timing
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_requests_without_an_answer_time_out(neph, tmp_path, protocol):
    with KnownServer(tmp_path, service=0.002, forget_every=5) as server:
        cell = only_cell(neph.json(
            "load", server.url(protocol), "--model", "known", "--rate", 50, "--duration", "1s", "--request-timeout", "300ms", *QUICK
        ))  # fmt: skip
    assert value(cell, "requests_timed_out") == pytest.approx(10, abs=4)
    assert value(cell, "timed_out_p50_ms") == pytest.approx(300, abs=60)


@pytest.mark.parametrize("protocol", ["http", "grpc"])
@pytest.mark.parametrize("loop", [("--clients", 4), ("--rate", 60)])
def test_a_server_killed_under_load_fails_the_run_which_keeps_its_figures(neph, tmp_path, protocol, loop):
    with KnownServer(tmp_path, service=0.01) as server:
        running = neph.start("load", server.url(protocol), "--model", "known", *loop, "--duration", "3s", "--request-timeout", "1s", "--json")
        time.sleep(2.5)
        server.kill()
        output, talk = running.communicate(timeout=40)
    assert running.returncode == 4, talk
    (run,) = json.loads(output)["runs"]
    assert run["status"] == "failed" and "was no longer there" in run["reason"]
    kept = neph.json("show", "--run", 1)["result"]
    figures = {each["name"]: each["estimate"]["value"] for each in kept["figures"]}
    assert figures["requests_answered"] > 20 and figures["requests_unavailable"] > 10
    assert {"requests_failed", "server_lost"} <= {each["code"] for each in kept["warnings"]}


@pytest.mark.timing
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_stall_of_two_seconds_is_in_the_percentiles(neph, tmp_path, protocol):
    with KnownServer(tmp_path, service=0.005) as server:
        witness = getattr(tritonclient, protocol).InferenceServerClient(server.url(protocol).split("//")[1])
        assert witness.is_server_live()
        running = neph.start("load", server.url(protocol), "--model", "known", "--rate", 50, "--duration", "6s", "--json")
        time.sleep(2.5)
        began = time.monotonic()
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(2)
        server.process.send_signal(signal.SIGCONT)
        assert witness.is_server_live()
        stall_ms = 1000 * (time.monotonic() - began)
        output, talk = running.communicate(timeout=40)
    assert running.returncode == 0, talk
    cell = only_cell(json.loads(output))
    assert value(cell, "response_max_ms") == pytest.approx(stall_ms, rel=0.1), "as an independent client saw it"
    assert value(cell, "response_p90_ms") > 1000, "a third of the requests came in it"
    assert value(cell, "requests_answered") == pytest.approx(300, rel=0.25)


def test_ctrl_c_keeps_what_was_measured(neph, server):
    running = neph.start("load", server.http, "--model", "known", "--rate", 50, "--duration", "60s", "--json")
    time.sleep(3)
    running.send_signal(signal.SIGINT)  # finish the run in progress
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)  # stop it now
    output, talk = running.communicate(timeout=20)
    cell = only_cell(json.loads(output))
    assert "stopped_early" in codes(cell), talk
    assert 20 < value(cell, "requests_answered") < 200
    assert value(cell, "requests_abandoned") == 0, "what the user gave up is not the server's"


@pytest.mark.parametrize(
    "options, words",
    [
        (("--rate", "10,20", "--duration", "5s"), "rate 10: about 6.00 s a run\nrate 20: about 6.00 s a run\n2 runs, about 12.0 s in all"),
        (("--duration", "5s"), "all: about 6.00 s a run\n1 run, about 6.00 s in all"),
        (("--rate", 10, "--count", 20), "about 3.00 s a run"),
        (("--count", 20), "at least 1.00 s a run"),
        (("--duration", "5s", "--ci-width", 0.1), "at most 6.00 s a run"),
        (("--find-max-rate", "--p99", "50ms", "--duration", "5s"), "at least 12.0 s a run"),
    ],
)
def test_a_dry_run_knows_the_time_and_sends_nothing(neph, server, options, words):
    assert words in neph("load", server.http, "--model", "known", *options, "--dry-run").stdout
    server.stop()
    assert server.seen() == []


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (("http://127.0.0.1:1", "--model", "m"), 4, "http://127.0.0.1:1"),
        (("grpc://127.0.0.1:1", "--model", "m"), 4, "grpc://127.0.0.1:1"),
        (("ftp://127.0.0.1", "--model", "m"), 2, "unknown protocol 'ftp'"),
        ((), 2, "no server given"),
        (("SERVER", "--model", "unknown"), 3, "unknown"),
        (("SERVER", "--model", "known", "--rate", 5, "--clients", 3), 2, "--clients are of a closed loop"),
        (("SERVER", "--model", "known", "--rate", 5, "--arrival", "closed"), 2, "a closed loop has no --rate"),
        (("SERVER", "--model", "known", "--arrival", "constant"), 2, "constant arrivals need a --rate"),
        (("SERVER", "--model", "known", "--find-max-rate"), 2, "--p99 50ms"),
        (("SERVER", "--model", "known", "--scenario", "offline"), 2, "--count says how many"),
        (("SERVER", "--model", "known", "--scenario", "single-stream", "--clients", 4), 2, "one request in flight"),
        (("SERVER", "--model", "known", "--duration", "soon"), 2, "'soon' is no length of time"),
        (("SERVER", "--model", "known", "--duration", "0s"), 2, "duration"),
        (("SERVER", "--model", "known", "--rate", "-5"), 2, "rate"),
        (("SERVER", "--model", "known", "--rate", "1e7", "--duration", "1h"), 2, "are more than"),
        (("SERVER", "--model", "known", "--trace", "none.csv"), 3, "none.csv"),
        (("SERVER", "--model", "known", "--input", "none"), 3, "none"),
        (("SERVER", "--model", "known", "--shape", "x:17"), 2, "--shape says 17 for 16"),
        (("SERVER", "--model", "known", "--token-file", "none"), 3, "none"),
        (("SERVER", "--model", "known", "--mlperf-summary", "x"), 2, "--scenario"),
        (("SERVER", "--modle", "known"), 2, "--model"),
        (("SERVER", "--model", "known", "--rate", 5, "--burst", 5), 2, "--burst is of --arrival burst"),
        (("SERVER", "--model", "known", "--p99", "50ms", "--percentile", 95), 2, "--p99 is of 99 % and not of --percentile 95"),
        (("SERVER", "--model", "known", "--batch", 2, "--shape", "x:3x16"), 2, "a batch of 3 and --batch one of 2"),
        (("SERVER", "--model", "known", "--p99", 50), 2, "--p99 50: a time needs its unit: 50ms, 50s"),
        (("SERVER", "--model", "known", "--shape", "nosuch:8"), 2, "unknown input 'nosuch' in the model; known: x"),
        (("HTTP TO GRPC", "--model", "known"), 2, "that port speaks gRPC without TLS; its address is grpc://127.0.0.1:"),
        (("GRPC TO HTTP", "--model", "known"), 2, "that port speaks HTTP without TLS; its address is http://127.0.0.1:"),
        (("HTTPS TO HTTP", "--model", "known"), 2, "that port speaks HTTP without TLS; its address is http://127.0.0.1:"),
    ],
)
def test_bad_input_gets_one_clear_line(neph, server, arguments, code, words):
    addresses = {
        "SERVER": server.http,
        "HTTP TO GRPC": server.grpc.replace("grpc://", "http://"),
        "GRPC TO HTTP": server.http.replace("http://", "grpc://"),
        "HTTPS TO HTTP": server.http.replace("http://", "https://"),
    }
    done = neph("load", *(addresses.get(word, word) for word in arguments), code=code)
    assert words in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""
