"""Triton's load generator measures `neph serve`."""

import pytest

CLOSED_LOOPS = {
    "http": ("http", []),
    "grpc": ("grpc", []),
    "http, asynchronous": ("http", ["--async"]),
    "grpc, asynchronous": ("grpc", ["--async"]),
    "grpc, stream": ("grpc", ["--async", "--streaming"]),
    "grpc, compressed": ("grpc", ["--grpc-compression-algorithm", "gzip"]),
    "http, batch 8": ("http", ["-b", "8"]),
    "http, JSON numbers": ("http", ["--input-tensor-format", "json", "--output-tensor-format", "json"]),
}


@pytest.mark.parametrize("name", CLOSED_LOOPS)
def test_it_measures_in_a_closed_loop(served, perf_analyzer, name):
    protocol, options = CLOSED_LOOPS[name]
    measured = perf_analyzer(getattr(served, protocol), "identity", protocol, in_flight=4, window_s=0.5, options=options)
    assert measured.per_s > 100
    assert 0 < measured.p50_s <= measured.p99_s < 1


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_it_passes_tensors_in_shared_memory(serve, repository, perf_analyzer, protocol):
    with serve(repository, "--shared-memory", "true") as sharing:
        measured = perf_analyzer(
            getattr(sharing, protocol), "identity", protocol, in_flight=2, window_s=0.5,
            options=["--shared-memory", "system", "--output-shared-memory-size", "64"],
        )
    assert measured.per_s > 100


@pytest.mark.timing
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_it_sees_the_time_that_the_model_takes(served, perf_analyzer, protocol):
    measured = perf_analyzer(getattr(served, protocol), "one_by_one", protocol, in_flight=1)
    assert 0.010 <= measured.p50_s < 0.014
    assert 60 < measured.per_s < 100
    queued = perf_analyzer(getattr(served, protocol), "one_by_one", protocol, in_flight=4)
    assert 0.040 <= queued.p50_s < 0.056
    assert 60 < queued.per_s < 100
