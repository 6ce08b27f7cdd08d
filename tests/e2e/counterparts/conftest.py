"""Servers and clients of others (tools/counterparts installs them), started for the tests that ask for them."""

import pytest
from mlserver_server import mlserver as start_mlserver
from server_process import COUNTERPARTS
from triton_server import triton as start_triton


def need(part):
    if not (COUNTERPARTS / part / "lock").is_file():
        pytest.skip(f"{part} is not installed: tools/counterparts")
    return COUNTERPARTS / part


@pytest.fixture(scope="session")
def triton(tmp_path_factory):
    """A tritonserver with the models `identity` (FP32 [n, 16]: y = x) and `ten_ms` (the same after 10 ms)."""
    need("triton")
    with start_triton(tmp_path_factory.mktemp("triton")) as served:
        yield served


@pytest.fixture(scope="session")
def mlserver(tmp_path_factory):
    """An MLServer with the same two models; it serves any number of requests of `ten_ms` side by side."""
    need("mlserver")
    with start_mlserver(tmp_path_factory.mktemp("mlserver")) as served:
        yield served


@pytest.fixture(scope="session")
def perf_analyzer():
    """`perf_analyzer(address, model, ...)`: see perf_analyzer.py."""
    need("perf_analyzer")
    from perf_analyzer import perf_analyzer

    return perf_analyzer


@pytest.fixture(scope="session")
def grpcurl():
    """The path of the program."""
    return need("grpcurl") / "bin/grpcurl"
