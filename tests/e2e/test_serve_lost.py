"""What a measurement says when its server, or the network to it, goes away under it."""

import json
import threading
import time

import pytest


def cell_of(process, limit_s=60):
    out, talk = process.communicate(timeout=limit_s)
    assert process.returncode == 0, talk
    (cell,) = json.loads(out)["cells"]
    return {name: figure["value"] for name, figure in cell["figures"].items()}, cell


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_server_that_is_killed(neph, serve, repository, protocol):
    """Half of the requests find nobody: they are counted, the run ends in time, and its verdict says so."""
    with pytest.raises(AssertionError, match="exit code -9"), serve(repository) as served:
        begin = time.monotonic()
        run = neph.start(
            "load", f"{protocol}://{getattr(served, protocol)}", "--model", "identity", "--rate", 100, "--duration", "4s",
            "--warmup", "0.5s", "--deadline", "2s", "--json",
        )
        time.sleep(2.5)
        served.process.kill()
        figures, cell = cell_of(run)
        took_s = time.monotonic() - begin
    assert figures["requests_answered"] > 50
    assert figures["requests_unavailable"] > 50
    assert "requests_failed" in {warning["code"] for warning in cell["warnings"]}
    assert cell["verdict"] != "valid"
    assert took_s < 15


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_network_that_stalls_for_two_seconds(neph, serve, repository, two_machines, protocol):
    """No request fails; those that waited are in the percentiles with all of their time."""
    machines = two_machines(1)

    def stall():
        time.sleep(3)
        for state in ("down", "up"):
            assert machines.start_in_server("ip", "link", "set", "cable", state).wait(5) == 0
            time.sleep(2)

    with serve(repository, "--listen", machines.server_address, command=machines.in_server) as served:
        staller = threading.Thread(target=stall)
        staller.start()
        run = neph.start(
            "load", f"{protocol}://{getattr(served, protocol)}", "--model", "identity", "--rate", 50, "--arrival", "constant",
            "--duration", "8s", "--warmup", "0.5s", "--deadline", "10s", "--json", before=machines.in_client,
        )
        figures, cell = cell_of(run)
        staller.join()
    assert figures["requests_answered"] > 300
    assert figures["requests_failed"] == figures["requests_unavailable"] == figures["requests_timed_out"] == 0
    assert figures["response_max_ms"] > 1900
    assert figures["response_p50_ms"] < 500
    assert cell["verdict"] != "valid"
