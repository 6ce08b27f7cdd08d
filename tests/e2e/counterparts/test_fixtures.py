"""The counterparts themselves answer as their fixtures promise: what fails here is no fault of neph."""

import time

import numpy
import pytest
import tritonclient.grpc
import tritonclient.http

CLIENTS = {"http": tritonclient.http, "grpc": tritonclient.grpc}


def ask(protocol, served, model, values):
    client = CLIENTS[protocol].InferenceServerClient(getattr(served, protocol))
    tensor = CLIENTS[protocol].InferInput("x", values.shape, "FP32")
    # MLServer knows no binary tensors over HTTP
    tensor.set_data_from_numpy(values, **({"binary_data": False} if protocol == "http" else {}))
    asked = [CLIENTS[protocol].InferRequestedOutput("y", **({"binary_data": False} if protocol == "http" else {}))]
    begin = time.monotonic()
    answer = client.infer(model, [tensor], outputs=asked).as_numpy("y")
    took_s = time.monotonic() - begin
    client.close()
    return answer, took_s


@pytest.mark.parametrize("protocol", ["http", "grpc"])
@pytest.mark.parametrize("server", ["triton", "mlserver"])
def test_the_servers_answer_with_their_input(request, server, protocol):
    values = numpy.random.default_rng(5).normal(size=(3, 16)).astype("float32")
    served = request.getfixturevalue(server)
    answer, _ = ask(protocol, served, "identity", values)
    numpy.testing.assert_array_equal(answer, values)
    answer, took_s = ask(protocol, served, "ten_ms", values)
    numpy.testing.assert_array_equal(answer, values)
    assert took_s >= 0.01


def test_perf_analyzer_measures_a_known_time(triton, perf_analyzer):
    measured = perf_analyzer(triton.grpc, "ten_ms", in_flight=2)
    assert measured.in_flight == 2
    assert measured.per_s < 100, "one instance of 10 ms"
    assert 0.02 <= measured.p50_s <= measured.p90_s <= measured.p95_s <= measured.p99_s
