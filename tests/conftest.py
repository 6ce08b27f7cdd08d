"""How tests share the processes of `./dev test`, and the lines at its end about what was skipped. One process runs all tests of
a file, and all tests that use the same server or engine that starts slowly.

A scheduler of our own, as xdist 3.8 cannot mark groups of pytest 9.2 (`--dist loadgroup` gives each test to any idle process).
"""

import os
import signal
from collections import Counter

import pytest
from xdist.scheduler import LoadScopeScheduling

# What starts the tests may ignore signals (nohup: SIGHUP, a shell's background: SIGINT), and processes would inherit that.
# A handler is not inherited: what tests start has each signal's default. The tests' own processes, xdist's too, keep
# ignoring them.
ignored = {number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
           if signal.getsignal(number) == signal.SIG_IGN or str(int(number)) in os.environ.get("NEPH_TESTS_IGNORE", "").split()}
os.environ["NEPH_TESTS_IGNORE"] = " ".join(str(int(number)) for number in ignored)
for number in ignored:
    signal.signal(number, lambda *_: None)

MOST_SKIPPED = 0.05  # of all tests; more is a failure
outcomes = Counter()

DEAR = {
    "docker": ("test_docker_engine", "test_image", "test_server_in_docker"),
    "servers": ("test_fixtures", "test_neph_infer", "test_neph_load", "test_perf_analyzer"),
}
# Begun first, whatever the order of the rest: what begins last keeps the other processes waiting.
LONG = ("test_script_runs", "test_onnx_nodes", "docker", "test_report_in_browser", "test_architectures", "test_wheel", "servers",
        "test_infer", "test_profile", "test_experiment", "test_predict")


def scope_of(nodeid):
    """The tests of one scope run in one process: those of a file, of a class where a file shares nothing, of an engine."""
    file, _, name = nodeid.partition("::")
    stem = file.rpartition("/")[2].removesuffix(".py")
    if stem == "test_script_runs":
        return f"{stem} {name.partition('::')[0]}"
    if stem == "test_onnx_nodes":
        return f"{stem} {name.partition('[')[2]}"
    return next((dear for dear, files in DEAR.items() if stem in files), stem)


class ByScope(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        return scope_of(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return ByScope(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    rank = {scope: place for place, scope in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(scope_of(item.nodeid).partition(" ")[0], len(LONG)))


def pytest_runtest_logreport(report):
    if report.when == "call" or report.skipped:
        outcomes[report.outcome] += 1


def pytest_sessionfinish(session, exitstatus):
    """Only of a whole suite: a few selected tests may all be skipped."""
    run = sum(outcomes.values())
    if exitstatus == 0 and run >= 100 and outcomes["skipped"] > MOST_SKIPPED * run:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    """One line with the number of skipped tests by reason, and one that names timing tests of which every attempt was disturbed."""
    reasons, unshown = Counter(), []
    for report in terminalreporter.stats.get("skipped", []):
        reason = " ".join(report.longrepr[2].removeprefix("Skipped: ").split())
        if reason.startswith("disturbed: "):
            unshown.append(report.nodeid)
        else:
            reasons[reason] += 1
    if reasons:
        listed = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"skipped: {sum(reasons.values())} tests: {listed}")
    if unshown:
        terminalreporter.write_line(f"not shown: {len(unshown)} tests of times, the machine was disturbed: {', '.join(unshown)}")
    if (skipped := outcomes["skipped"]) > MOST_SKIPPED * (run := max(100, sum(outcomes.values()))):
        terminalreporter.write_line(f"{skipped} of {run} tests were skipped: more than {MOST_SKIPPED:.0%} is a failure")
