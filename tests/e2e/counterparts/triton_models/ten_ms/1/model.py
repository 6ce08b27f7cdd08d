"""Answers with its input after the time that the model's parameter service_ms gives."""

import json
import time

import triton_python_backend_utils as triton


class TritonPythonModel:
    def initialize(self, arguments):
        parameters = json.loads(arguments["model_config"])["parameters"]
        self.service_s = float(parameters.get("service_ms", {"string_value": "0"})["string_value"]) / 1e3

    def execute(self, requests):
        return [self.answer(triton.get_input_tensor_by_name(request, "x")) for request in requests]

    def answer(self, x):
        if self.service_s:
            time.sleep(self.service_s)
        return triton.InferenceResponse([triton.Tensor("y", x.as_numpy())])
