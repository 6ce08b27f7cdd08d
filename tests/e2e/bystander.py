"""A client that does nothing wrong, while somebody else does: it must not notice."""

import http.client
import json
import threading
import time

import numpy
import tritonclient.grpc

ROW = numpy.arange(16, dtype="float32")[None]
BODY = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 16], "data": ROW[0].tolist()}]})


class Bystander:
    """Asks the model `identity` over HTTP and gRPC in turn, with a pause between, from before a `with` block until after it.
    The block fails if an answer was wrong, did not come, or took longer than `patience_s`."""

    def __init__(self, served, patience_s=2.0, pause_s=0.005):
        self.served, self.patience_s, self.pause_s = served, patience_s, pause_s
        self.count, self.longest_s, self.failure = 0, 0.0, None
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._ask_until_stopped, name="bystander")

    def __enter__(self):
        self.thread.start()
        self._wait_for_answers(2)
        return self

    def __exit__(self, kind, *_):
        self._wait_for_answers(2)
        self.stop.set()
        self.thread.join()
        if kind is None:
            assert self.failure is None, f"after {self.count} answers: {self.failure!r}"
            assert self.longest_s < self.patience_s, f"one of {self.count} answers took {self.longest_s:.2f} s"

    def _wait_for_answers(self, count):
        enough = self.count + count
        while self.count < enough and self.failure is None:
            time.sleep(0.001)

    def _ask_until_stopped(self):
        asking = [self._http_asker(), self._grpc_asker()]
        try:
            while not self.stop.is_set():
                begin = time.monotonic()
                assert asking[self.count % 2]() == ROW[0].tolist()
                self.longest_s = max(self.longest_s, time.monotonic() - begin)
                self.count += 1
                time.sleep(self.pause_s)
        except Exception as failure:  # noqa: BLE001 - told in __exit__
            self.failure = failure

    def _http_asker(self):
        connection = http.client.HTTPConnection(self.served.http, timeout=10)

        def ask():
            connection.request("POST", "/v2/models/identity/infer", BODY)
            return json.load(connection.getresponse())["outputs"][0]["data"]

        return ask

    def _grpc_asker(self):
        client = tritonclient.grpc.InferenceServerClient(self.served.grpc)
        tensor = tritonclient.grpc.InferInput("x", [1, 16], "FP32")
        tensor.set_data_from_numpy(ROW)
        return lambda: client.infer("identity", [tensor], client_timeout=10).as_numpy("y")[0].tolist()
