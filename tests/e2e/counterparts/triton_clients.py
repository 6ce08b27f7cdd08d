"""tritonclient's HTTP and gRPC halves, which differ in small things, behind the same few words."""

import json

import numpy
import tritonclient.grpc
import tritonclient.http
from google.protobuf import json_format

LIBRARIES = {"http": tritonclient.http, "grpc": tritonclient.grpc}


def many(protocol, in_flight):
    """What lets a client have so many requests in flight: HTTP needs as many connections."""
    return {"concurrency": in_flight} if protocol == "http" else {}


class Client:
    """One connection to one server; `binary` (HTTP only) False sends and asks for tensors as JSON numbers."""

    def __init__(self, protocol, served, binary=True, **options):
        self.protocol = protocol
        self.served = served
        self.library = LIBRARIES[protocol]
        self.raw = self.library.InferenceServerClient(getattr(served, protocol), **options)
        self.encoding = {"binary_data": binary} if protocol == "http" else {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.raw.close()

    def input(self, name, values, datatype="FP32", **encoding):
        tensor = self.library.InferInput(name, list(values.shape), datatype)
        tensor.set_data_from_numpy(values, **(self.encoding | encoding))
        return tensor

    def output(self, name, **options):
        return self.library.InferRequestedOutput(name, **self.encoding | options)

    def infer(self, model, values, name="x", output="y", datatype="FP32", **options):
        """The answer as an array."""
        wanted = [self.output(output)]
        return self.raw.infer(model, [self.input(name, values, datatype)], outputs=wanted, **options).as_numpy(output)

    def ask(self, name, *arguments, **options):
        """A call that answers with facts, as plain data: gRPC's integers, which its JSON writes as text, too."""
        if self.protocol == "http":
            return getattr(self.raw, name)(*arguments, **options)
        answer = getattr(self.raw, name)(*arguments, **options)
        return json.loads(json_format.MessageToJson(answer, preserving_proto_field_name=True))


def floats(rows, seed=5, columns=16):
    return numpy.random.default_rng(seed).normal(size=(rows, columns)).astype("float32")
