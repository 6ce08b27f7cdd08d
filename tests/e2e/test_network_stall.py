"""What a measurement says when the network to its server goes away for a while."""

import json
import threading
import time

import pytest


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_network_that_stalls_for_a_second(neph, serve, repository, two_machines, protocol):
    """No request fails; those that waited are in the percentiles with all of their time.

    After three seconds without a neighbour Linux refuses new connections.
    """
    machines = two_machines(1)

    def stall():
        time.sleep(3)
        for state in ("down", "up"):
            assert machines.start_in_server("ip", "link", "set", "cable", state).wait(5) == 0
            time.sleep(1)

    with serve(repository, "--listen", machines.server_address, command=machines.in_server) as served:
        staller = threading.Thread(target=stall)
        staller.start()
        run = neph.start(
            "load", f"{protocol}://{getattr(served, protocol)}", "--model", "identity", "--rate", 50, "--arrival", "constant",
            "--duration", "8s", "--warmup", "0.5s", "--request-timeout", "10s", "--json", before=machines.in_client,
        )
        out, talk = run.communicate(timeout=60)
        staller.join()
    assert run.returncode == 0, talk
    (cell,) = json.loads(out)["cells"]
    figures = {name: figure["value"] for name, figure in cell["figures"].items()}
    assert figures["requests_answered"] > 300
    assert figures["requests_failed"] == figures["requests_unavailable"] == figures["requests_timed_out"] == 0
    assert figures["response_max_ms"] > 900
    assert figures["response_p50_ms"] < 500
    assert cell["verdict"] != "valid"
