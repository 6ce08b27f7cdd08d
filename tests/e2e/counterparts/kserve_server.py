"""A real KServe server, as tools/counterparts installs it, run by its own Python: `python kserve_server.py HTTP GRPC`."""

import asyncio
import sys
from pathlib import Path


def kserve_server(folder):
    """The server as a child process: `with kserve_server(folder) as served: ...`. It has no metrics port of its own."""
    from paths import COUNTERPARTS
    from server_process import free_ports, serving

    ports = free_ports(3)
    return serving([COUNTERPARTS / "kserve/bin/python", Path(__file__).resolve(), ports[0], ports[1]], folder, ports)


def serve(http_port, grpc_port):
    import numpy
    from kserve import InferOutput, InferResponse, Model, ModelServer

    class Identity(Model):
        def __init__(self, name, seconds):
            super().__init__(name)
            self.seconds, self.ready = seconds, True

        async def get_input_types(self):
            return [{"name": "x", "datatype": "FP32", "shape": [-1, 16]}]

        async def get_output_types(self):
            return [{"name": "y", "datatype": "FP32", "shape": [-1, 16]}]

        async def predict(self, payload, headers=None, response_headers=None):
            await asyncio.sleep(self.seconds)
            given = payload.inputs[0].as_numpy()
            output = InferOutput(name="y", shape=list(given.shape), datatype="FP32")
            output.set_data_from_numpy(given.astype(numpy.float32), binary_data=False)
            return InferResponse(response_id=payload.id or "1", model_name=self.name, infer_outputs=[output])

    server = ModelServer(http_port=http_port, grpc_port=grpc_port, workers=1)
    server.start([Identity("identity", 0), Identity("ten_ms", 0.01)])


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
