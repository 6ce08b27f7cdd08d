"""NVIDIA's own client asks `neph serve` for inferences, in every way it knows."""

import asyncio
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import ml_dtypes
import numpy
import pytest
import tritonclient.grpc.aio
import tritonclient.http.aio
from identity_repository import ELEMENTS
from counterparts.triton_clients import Client, floats, many
from tritonclient.utils import InferenceServerException, np_to_triton_dtype

AIO = {"http": tritonclient.http.aio, "grpc": tritonclient.grpc.aio}


@pytest.fixture(params=["http", "http-json", "grpc"])
def client(request, served):
    protocol, _, encoding = request.param.partition("-")
    with Client(protocol, served, binary=encoding != "json") as made:
        yield made


@pytest.mark.parametrize("rows", [1, 3, 64])
def test_answers_are_the_models(client, rows):
    values = floats(rows)
    numpy.testing.assert_array_equal(client.infer("identity", values), values)


def test_extreme_numbers_survive(client):
    values = numpy.array([[0.0, -0.0, 1.0, -1.5, 3.4028235e38, -3.4028235e38, 1e-45, 1.1754944e-38] * 2], "float32")
    answer = client.infer("identity", values)
    assert answer.tobytes() == values.tobytes()


def sample(element):
    random = numpy.random.default_rng(7)
    if element == "boolean":
        return random.integers(0, 2, (2, 3)).astype(bool)
    if element.startswith(("f", "bf")):
        types = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": ml_dtypes.bfloat16}
        return random.normal(size=(2, 3)).astype(types[element])
    info = numpy.iinfo({"u8": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64"}[element])
    return numpy.array([[info.min, 0, info.max], [info.max, 1, info.min]], info.dtype)


def test_every_type_passes_both_ways(client):
    values = {element: sample(element) for element in ELEMENTS}
    # tritonclient writes no half precision in JSON: those two go as bytes even there
    encoding = {e: {"binary_data": True} if client.encoding and e in ("f16", "bf16") else {} for e in ELEMENTS}
    answer = client.raw.infer(
        "every_type", [client.input(f"in_{e}", values[e], ELEMENTS[e], **encoding[e]) for e in ELEMENTS],
        outputs=[client.output(f"out_{e}", **encoding[e]) for e in ELEMENTS],
    )
    for element in ELEMENTS:
        got = answer.as_numpy(f"out_{element}")
        assert np_to_triton_dtype(got.dtype) == ELEMENTS[element]
        numpy.testing.assert_array_equal(got, values[element])


def test_only_what_was_asked_for_comes_back(client):
    tensors = [client.input(f"in_{e}", sample(e), ELEMENTS[e], **({"binary_data": True} if client.encoding else {}))
               for e in ELEMENTS]
    with pytest.raises(InferenceServerException, match="'in_u8' is missing"):
        client.raw.infer("every_type", [tensor for tensor in tensors if tensor.name() != "in_u8"])
    answer = client.raw.infer("every_type", tensors, outputs=[client.output("out_i32")])
    numpy.testing.assert_array_equal(answer.as_numpy("out_i32"), sample("i32"))
    assert answer.as_numpy("out_u8") is None
    assert client.raw.infer("every_type", tensors).as_numpy("out_u8") is not None, "all, where none is named"


@pytest.mark.parametrize(
    "model, change, complaint",
    [
        ("nobody", {}, "nobody"),
        ("identity", {"model_version": "7"}, "no version '7'"),
        ("identity", {"name": "z"}, "unknown input 'z'"),
        ("identity", {"output": "z"}, "unknown output 'z'"),
        ("identity", {"values": floats(2, columns=15)}, r"shape \[-1, 16\]"),
        ("identity", {"values": floats(1).astype("int32"), "datatype": "INT32"}, "INT32 was sent"),
    ],
)
def test_mistakes_are_said(client, model, change, complaint):
    with pytest.raises(InferenceServerException, match=complaint):
        client.infer(model, **{"values": floats(1)} | change)
    assert client.raw.is_server_ready(), "and others are served"


def test_the_requests_id_comes_back(client):
    answer = client.raw.infer("identity", [client.input("x", floats(1))], request_id="número 7")
    response = answer.get_response()
    assert (response["id"] if client.protocol == "http" else response.id) == "número 7"


def test_a_request_that_cannot_be_in_time_is_refused(client):
    """Ten at once for a model that takes one of them in 10 ms: those with 25 ms of patience get no late answer."""
    results = together(client, "one_by_one", 10, timeout=25_000)
    late = [str(error) for _, error in results if error]
    assert 5 <= len(late) <= 9, results
    assert all("DEADLINE_EXCEEDED" in text or "504" in text for text in late), late


def answer_or_error(ask):
    try:
        return ask(), None
    except InferenceServerException as error:
        return None, error


def together(client, model, count, **options):
    """`count` requests at once, each from a thread and a client of its own: [(answer, error)]."""

    def one(seed):
        with Client(client.protocol, client.served) as own:
            own.raw.is_server_live()  # connected
            everybody.wait()
            return answer_or_error(lambda: own.infer(model, floats(1, seed), **options))

    everybody = threading.Barrier(count)
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def asynchronously(client, model, count):
    """`count` requests by the library's asynchronous call: [(answer, error)] in the order sent."""
    wanted = [client.output("y")]
    tensors = [[client.input("x", floats(1, seed))] for seed in range(count)]
    if client.protocol == "http":
        handles = [client.raw.async_infer(model, tensor, outputs=wanted) for tensor in tensors]
        return [answer_or_error(lambda: handle.get_result(timeout=30).as_numpy("y")) for handle in handles]
    done = queue.Queue()

    def answered(seed, result, error):
        done.put((seed, result, error))

    for seed, tensor in enumerate(tensors):
        client.raw.async_infer(model, tensor, partial(answered, seed), outputs=wanted)
    results = {}
    for _ in range(count):
        seed, result, error = done.get(timeout=30)
        results[seed] = (None if error else result.as_numpy("y"), error)
    return [results[seed] for seed in range(count)]


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_asynchronous_calls_each_get_their_own_answer(served, protocol):
    """The library's own: over HTTP it begins one every 10 ms, whatever its documentation says of concurrency."""
    count = 50 if protocol == "http" else 500
    with Client(protocol, served, **many(protocol, 32)) as client:
        for seed, (answer, error) in enumerate(asynchronously(client, "identity", count)):
            assert error is None
            numpy.testing.assert_array_equal(answer, floats(1, seed))


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_batch_is_made_of_those_who_wait(served, protocol):
    """A model that takes 10 ms for 1 to 64 rows: 64 requests at once take a few executions, not 0.64 s."""
    with Client(protocol, served) as client:
        before = client.ask("get_inference_statistics", "ten_ms")["model_stats"][0]
        results = together(client, "ten_ms", 64)
        after = client.ask("get_inference_statistics", "ten_ms")["model_stats"][0]
    assert all(error is None for _, error in results)
    executions = int(after["execution_count"]) - int(before.get("execution_count", 0))
    assert int(after["inference_count"]) - int(before.get("inference_count", 0)) == 64
    assert executions <= 32


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_asyncio_clients_are_served(served, protocol):
    library = AIO[protocol]

    async def ask(client, seed):
        tensor = library.InferInput("x", [1, 16], "FP32")
        tensor.set_data_from_numpy(floats(1, seed))
        return (await client.infer("identity", [tensor])).as_numpy("y")

    async def run():
        async with library.InferenceServerClient(getattr(served, protocol)) as client:
            return await asyncio.gather(*(ask(client, seed) for seed in range(100)))

    with ThreadPoolExecutor(1) as thread:  # where a browser runs, Playwright has a loop of its own in this one
        answers = thread.submit(lambda: asyncio.run(run())).result()
    for seed, answer in enumerate(answers):
        numpy.testing.assert_array_equal(answer, floats(1, seed))


@pytest.mark.parametrize("algorithm", ["gzip", "deflate"])
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_compressed_both_ways(served, protocol, algorithm):
    with Client(protocol, served) as client:
        options = (
            {"request_compression_algorithm": algorithm, "response_compression_algorithm": algorithm}
            if protocol == "http" else {"compression_algorithm": algorithm}
        )
        values = floats(64)
        numpy.testing.assert_array_equal(client.infer("identity", values, **options), values)


def test_classification_names_the_largest(client):
    values = floats(2)
    wanted = [client.output("y", class_count=3)]
    answer = client.raw.infer("identity", [client.input("x", values)], outputs=wanted).as_numpy("y")
    for row, texts in zip(values, answer):
        best = numpy.argsort(-row)[:3]
        parts = [(text if isinstance(text, str) else text.decode()).split(":") for text in texts]
        assert [int(index) for _, index in parts] == list(best)
        numpy.testing.assert_allclose([float(value) for value, _ in parts], row[best], rtol=1e-5)


@pytest.mark.smoke
def test_a_stream_answers_each_request(served):
    answers = queue.Queue()
    with Client("grpc", served) as client:
        client.raw.start_stream(lambda result, error: answers.put((result, error)))
        for seed in range(50):
            client.raw.async_stream_infer("identity", [client.input("x", floats(1, seed))], request_id=str(seed))
        client.raw.async_stream_infer("nobody", [client.input("x", floats(1))], request_id="bad")
        seen, errors = {}, []
        for _ in range(51):
            result, error = answers.get(timeout=30)
            if error:
                errors.append(error)
            else:
                seen[int(result.get_response().id)] = result.as_numpy("y")
        client.raw.stop_stream()
    assert len(errors) == 1 and "nobody" in str(errors[0])
    for seed in range(50):
        numpy.testing.assert_array_equal(seen[seed], floats(1, seed))


def test_clients_of_all_kinds_side_by_side(served):
    """Eight threads with a client each, half of them over each protocol."""
    failures = []

    def drive(number):
        try:
            with Client("http" if number % 2 else "grpc", served) as client:
                for seed in range(100):
                    values = floats(1 + seed % 8, seed)
                    numpy.testing.assert_array_equal(client.infer("identity", values), values)
        except Exception as error:  # noqa: BLE001 - a thread's failure is the test's
            failures.append(error)

    threads = [threading.Thread(target=drive, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
