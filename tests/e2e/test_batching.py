"""What a server joins into one execution must be strangers: every answer under 16 clients at once is the one that the
same model gives alone, in OpenVINO."""

from concurrent.futures import ThreadPoolExecutor

import numpy
import onnx
import openvino
import pytest
from onnx import TensorProto, helper
from paths import BUILD
from server_process import serving_neph
from tritonclient import grpc as triton

CLIENTS = 16
ROUNDS = 6


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name, array):
    return onnx.numpy_helper.from_array(numpy.asarray(array), name)


def model(nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs, [output], **attributes)


def weights(numbers, *shape):
    return constant("w", numbers.normal(size=shape).astype("float32"))


# Each gives a model over a first dimension, how to draw an input of n, and whether its rows are a batch.


def dense(numbers, first):
    width = int(numbers.integers(2, 9))
    graph = model([node("MatMul", ["x", "w"], "m"), node("Relu", ["m"], "y")], [value("x", [first, width])],
                  [value("y", [first, 5])], [weights(numbers, width, 5)])
    return graph, (width,), True


def softmax_of_a_row(numbers, first):
    width = int(numbers.integers(2, 9))
    return model([node("Softmax", ["x"], "y", axis=1)], [value("x", [first, width])], [value("y", [first, width])]), (width,), True


def softmax_over_rows(numbers, first):
    width = int(numbers.integers(2, 9))
    return model([node("Softmax", ["x"], "y", axis=0)], [value("x", [first, width])], [value("y", [first, width])]), (width,), False


def attention(numbers, first):
    nodes = [node("Transpose", ["x"], "t", perm=[1, 0]), node("MatMul", ["x", "t"], "scores"),
             node("Softmax", ["scores"], "shares", axis=1), node("MatMul", ["shares", "x"], "y")]
    return model(nodes, [value("x", [first, 8])], [value("y", [first, 8])]), (8,), False


def running_sum(numbers, first):
    return model([node("CumSum", ["x", "axis"], "y")], [value("x", [first, 3])], [value("y", [first, 3])],
                 [constant("axis", numpy.int64(0))]), (3,), False


def centred(numbers, first):
    nodes = [node("ReduceMean", ["x"], "m", axes=[0], keepdims=1), node("Sub", ["x", "m"], "y")]
    return model(nodes, [value("x", [first, 4, 2])], [value("y", [first, 4, 2])]), (4, 2), False


def convolution(numbers, first):
    nodes = [node("Conv", ["x", "w"], "c", pads=[1, 1, 1, 1]), node("GlobalAveragePool", ["c"], "y")]
    return model(nodes, [value("x", [first, 3, 6, 6])], [value("y", [first, 4, 1, 1])],
                 [weights(numbers, 4, 3, 3, 3)]), (3, 6, 6), True


def beyond_one(numbers, first):
    nodes = [node("Sub", ["x", "one"], "d"), node("Relu", ["d"], "r"), node("ReduceMax", ["r"], "most", axes=[0], keepdims=1),
             node("Sub", ["x", "most"], "y")]
    return model(nodes, [value("x", [first, 4])], [value("y", [first, 4])], [constant("one", numpy.float32(1))]), (4,), False


def two_back(numbers, first):
    nodes = [node("Transpose", ["x"], "t", perm=[1, 0]), node("Unsqueeze", ["t", "front"], "u"),
             node("Conv", ["u", "w"], "c", pads=[2, 0], dilations=[2]), node("Squeeze", ["c", "front"], "s"),
             node("Transpose", ["s"], "y", perm=[1, 0])]
    return model(nodes, [value("x", [first, 4])], [value("y", [first, 4])],
                 [weights(numbers, 4, 4, 2), constant("front", [0])]), (4,), False


def quantised_as_it_runs(numbers, first):
    nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), node("DequantizeLinear", ["q", "s", "z"], "d"),
             node("MatMul", ["d", "w"], "m"), node("Softmax", ["m"], "y", axis=1)]
    return model(nodes, [value("x", [first, 16])], [value("y", [first, 4])], [weights(numbers, 16, 4)]), (16,), False


def none_of_sum(numbers, first):
    nodes = [node("ReduceSum", ["x", "axis"], "s", keepdims=1), node("Mul", ["s", "none"], "n"), node("Add", ["x", "n"], "y")]
    return model(nodes, [value("x", [first, 4])], [value("y", [first, 4])],
                 [constant("axis", [0]), constant("none", numpy.float32(0))]), (4,), False


KINDS = [beyond_one, two_back, quantised_as_it_runs, none_of_sum, dense, softmax_of_a_row, softmax_over_rows, attention, running_sum, centred, convolution]
FIRSTS = ["N", 1, 3]  # open, and fixed in the file


@pytest.fixture(scope="module", params=range(3))
def served(request, tmp_path_factory):
    """A repository of every kind and first dimension with random sizes, behind one server that would batch by 8."""
    folder = tmp_path_factory.mktemp(f"batching-{request.param}")
    numbers = numpy.random.default_rng(request.param)
    core, models = openvino.Core(), {}
    for kind in KINDS:
        for first in FIRSTS:
            graph, row, batches = kind(numbers, first)
            name = f"{kind.__name__}_{first}"
            path = folder / f"models/{name}/1/model.onnx"
            path.parent.mkdir(parents=True)
            onnx.save(graph, path)
            alone = core.compile_model(core.read_model(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
            models[name] = (alone, first, row, batches)
    with serving_neph(BUILD / "bin/neph", folder, "models", "--max-batch", 8, "--max-wait", "2ms") as server:
        yield triton.InferenceServerClient(server.grpc), models, request.param


def ask(client, name, x):
    data = triton.InferInput("x", list(x.shape), "FP32")
    data.set_data_from_numpy(x)
    return client.infer(name, [data]).as_numpy("y")


def test_every_answer_is_that_of_the_model_alone(served):
    client, models, seed = served
    numbers = numpy.random.default_rng(seed + 100)
    asked = []
    for name, (alone, first, row, _) in models.items():
        for _ in range(CLIENTS * ROUNDS // 4):
            rows = int(numbers.integers(1, 21)) if first == "N" else first  # more than 8: several executions
            asked.append((name, alone, numbers.normal(size=(rows, *row)).astype("float32")))
    for each in models:  # clients of one model at once
        batch = [one for one in asked if one[0] == each]
        with ThreadPoolExecutor(CLIENTS) as pool:
            answers = list(pool.map(lambda one: ask(client, one[0], one[2]), batch))
        for (name, alone, x), answer in zip(batch, answers):
            numpy.testing.assert_allclose(answer, alone([x])[0], rtol=1e-3, atol=1e-5, err_msg=f"{name} {x.shape}")


def test_what_is_a_batch_is_announced_as_one(served):
    client, models, _ = served
    for name, (_, first, row, batches) in models.items():
        config = client.get_model_config(name).config
        assert config.max_batch_size == (8 if first == "N" and batches else 0), name
        shape = list(client.get_model_metadata(name).inputs[0].shape)
        assert shape == [-1 if first == "N" else first, *row], name
        dims = list(config.input[0].dims)
        assert dims == (shape[1:] if config.max_batch_size else shape), name


def test_rows_that_are_strangers_still_share_executions(served):
    client, models, _ = served
    name = "dense_N"
    x = numpy.ones((1, models[name][2][0]), "float32")
    with ThreadPoolExecutor(CLIENTS) as pool:
        for _ in range(20):
            list(pool.map(lambda _: ask(client, name, x), range(CLIENTS)))
            statistics = client.get_inference_statistics(name).model_stats[0]
            if statistics.inference_count > statistics.execution_count:
                return
    pytest.fail(f"{statistics.inference_count} inferences in as many executions")


def test_one_request_that_fails_fails_alone(tmp_path):
    graph = model([node("GatherElements", ["x", "i"], "y", axis=1)],
                  [value("x", ["N", 4]), value("i", ["N", 2], TensorProto.INT64)], [value("y", ["N", 2])])
    path = tmp_path / "models/pick/1/model.onnx"
    path.parent.mkdir(parents=True)
    onnx.save(graph, path)

    def pick(client, places):
        x = triton.InferInput("x", [1, 4], "FP32")
        x.set_data_from_numpy(numpy.array([[10, 11, 12, 13]], "float32"))
        i = triton.InferInput("i", [1, 2], "INT64")
        i.set_data_from_numpy(numpy.array([places]))
        try:
            return client.infer("pick", [x, i]).as_numpy("y").tolist()
        except triton.InferenceServerException as error:
            return error.message()

    options = ("--max-batch", 8, "--max-wait", "20ms", "--batching", "on")
    with serving_neph(BUILD / "bin/neph", tmp_path, "models", *options) as server, ThreadPoolExecutor(CLIENTS) as pool:
        client = triton.InferenceServerClient(server.grpc)
        answers = list(pool.map(lambda k: pick(client, [9, 2] if k % 8 == 7 else [1, 2]), range(128)))
        statistics = client.get_inference_statistics("pick").model_stats[0]
    for k, answer in enumerate(answers):
        assert (answer == [[11, 12]]) == (k % 8 != 7), answer
    assert statistics.inference_count == 112
