"""neph serves ONNX's node tests with default options: what the engine alone gets right, the server gets right."""

import re
from collections import defaultdict

import grpc
import numpy
import openvino
import pytest
from counterparts import onnx_nodes
from paths import BUILD, REPOSITORY
from server_process import serving_neph
from tritonclient.grpc import service_pb2, service_pb2_grpc

TYPES = {
    "BOOL": "bool", "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "INT8": "int8",
    "INT16": "int16", "INT32": "int32", "INT64": "int64", "FP16": "float16", "FP32": "float32", "FP64": "float64",
    "BF16": "bfloat16",
}
NAMES = {name: datatype for datatype, name in TYPES.items()}


def array_of(tensor, raw):
    dtype = onnx_nodes.bfloat16 if tensor.datatype == "BF16" else numpy.dtype(TYPES[tensor.datatype])
    return numpy.frombuffer(raw, dtype).reshape(tensor.shape)


def ask(stub, test):
    """The answers by name."""
    request = service_pb2.ModelInferRequest(model_name=test.name)
    for name, array in test.inputs:
        request.inputs.add(name=name, datatype=NAMES[array.dtype.name], shape=array.shape)
        request.raw_input_contents.append(array.tobytes())
    reply = stub.ModelInfer(request)
    return {each.name: array_of(each, raw) for each, raw in zip(reply.outputs, reply.raw_output_contents)}


def outcome(stub, test):
    """"right", "wrong", or why the server refused."""
    if any(array.dtype.name not in NAMES for _, array in test.inputs):
        return "no such type in the protocol"
    try:
        answers = ask(stub, test)
    except grpc.RpcError as error:
        return error.details()
    right = all(name in answers and onnx_nodes.agree(expected, answers[name]) for name, expected in test.outputs)
    return "right" if right else "wrong"


def engine_is_right(core, test):
    """Whether OpenVINO alone gives what the test wants."""
    model = core.compile_model(core.read_model(test.model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    answers = model({name: array.copy() for name, array in test.inputs})  # it wants to write where it must not
    return all(onnx_nodes.agree(expected, answers[i]) for i, (_, expected) in enumerate(test.outputs))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nodes")
    tests = onnx_nodes.all_tests()
    for test in tests:
        (folder / "models" / test.name / "1").mkdir(parents=True)
        (folder / "models" / test.name / "1/model.onnx").symlink_to(test.model)
    by_outcome = defaultdict(list)
    served_all = serving_neph(BUILD / "bin/neph", folder, "models", patience_s=120)  # 1,300 models end one by one
    with served_all as served, grpc.insecure_channel(served.grpc) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        for test in tests:
            by_outcome[outcome(stub, test)].append(test)
        assert stub.ServerReady(service_pb2.ServerReadyRequest()).ready, "it has survived all of them"
    return by_outcome


def test_what_the_engine_gets_right_is_served_right(outcomes):
    core = openvino.Core()
    wrong = [test.name for test in outcomes["wrong"] if engine_is_right(core, test)]
    assert wrong == []


def test_no_fewer_are_right_than_the_documents_say(outcomes):
    assert len(list(onnx_nodes.FOLDER.iterdir())) == 1615
    said = re.search(r"of ONNX's 1,615 node tests ([\d,]+) are served right", (REPOSITORY / "docs/PROTOCOL.md").read_text())
    assert len(outcomes["right"]) >= int(said[1].replace(",", ""))
