"""A server that compresses what it answers, as gRPC lets any server do without being asked."""

from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from tritonclient.grpc import service_pb2 as messages
from tritonclient.grpc import service_pb2_grpc as service

INPUT = {"name": "x", "datatype": "FP32", "shape": [-1, 16]}
OUTPUT = {"name": "y", "datatype": "FP32", "shape": [-1, 16]}


class Compressing(service.GRPCInferenceServiceServicer):
    def ServerLive(self, request, context):
        return messages.ServerLiveResponse(live=True)

    def ModelMetadata(self, request, context):
        return messages.ModelMetadataResponse(name=request.name, inputs=[INPUT], outputs=[OUTPUT], platform="p" * 5000)

    def ModelInfer(self, request, context):
        reply = messages.ModelInferResponse(model_name=request.model_name, raw_output_contents=[bytes(64)])
        reply.outputs.add(**OUTPUT | {"shape": [1, 16]})
        return reply


@pytest.fixture
def compressing():
    server = grpc.server(ThreadPoolExecutor(4), compression=grpc.Compression.Gzip)
    service.add_GRPCInferenceServiceServicer_to_server(Compressing(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"grpc://127.0.0.1:{port}"
    server.stop(0).wait()


def test_its_answers_are_read(neph, compressing):
    (cell,) = neph.json("load", compressing, "--model", "x", "--clients", 2, "--duration", "300ms", "--warmup", "0s")["cells"]
    assert cell["figures"]["requests_answered"]["value"] > 0
    assert "requests_failed" not in [warning["code"] for warning in cell["warnings"]]
