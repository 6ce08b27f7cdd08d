"""Checks a speech network that neph wrote with other people's software: onnx's checker, and OpenVINO's answers against
the formulas of its layers in NumPy.

    seeded_speech_check.py MODEL.onnx
"""
import sys

import numpy as np
import onnx
import openvino
from onnx import numpy_helper
from scipy.signal import correlate2d


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def convolved(x, weights, stride, padding):
    """x [channels, height, width]; batch norm of 0 and 1, then the clipped ReLU."""
    padded = np.pad(x, [(0, 0), (padding[0], padding[0]), (padding[1], padding[1])])
    planes = [sum(correlate2d(plane, tap, "valid") for plane, tap in zip(padded, filters, strict=True)) for filters in weights]
    return np.clip(np.stack(planes)[:, :: stride[0], :: stride[1]] / np.sqrt(1 + 1e-5), 0, 20)


def one_direction(x, w, r, bias):
    """Cho's unit with the reset gate behind the product; x [steps, features]."""
    width = r.shape[1]
    of_input, of_state, state, states = *np.split(bias, 2), np.zeros(width), []
    for row in x:
        z, reset, new = np.split(w @ row + of_input, 3)
        state_z, state_reset, state_new = np.split(r @ state + of_state, 3)
        keep = sigmoid(z + state_z)
        state = keep * state + (1 - keep) * np.tanh(new + sigmoid(reset + state_reset) * state_new)
        states.append(state)
    return np.stack(states)


def expected(x, weights):
    x = convolved(x, weights["conv1.weight"], (2, 2), (20, 5))
    x = convolved(x, weights["conv2.weight"], (2, 1), (10, 5))
    x = x.transpose(2, 0, 1).reshape(x.shape[2], -1)
    for layer in range(1, 100):
        if f"gru{layer}.weight" not in weights:
            break
        w, r, bias = (weights[f"gru{layer}.{part}"] for part in ("weight", "recurrence", "bias"))
        x = one_direction(x, w[0], r[0], bias[0]) + one_direction(x[::-1], w[1], r[1], bias[1])[::-1]
    return x @ weights["fc.weight"] + weights["fc.bias"]


def main(model_file):
    onnx.checker.check_model(model_file, full_check=True)
    model = onnx.load(model_file)
    weights = {tensor.name: numpy_helper.to_array(tensor).astype(np.float64) for tensor in model.graph.initializer}
    steps = model.graph.input[0].type.tensor_type.shape.dim[3].dim_value
    sounds = np.random.default_rng(1).standard_normal((3, 1, 161, steps)).astype(np.float32)
    network = openvino.Core().compile_model(model_file, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    three, one = network(sounds)[0], network(sounds[:1])[0]
    assert three.shape[1:] == (3, 29), three.shape
    assert np.allclose(three[:, :1], one, atol=1e-4), "answers depend on the batch"
    for i, sound in enumerate(sounds):
        assert np.allclose(three[:, i], expected(sound.astype(np.float64), weights), atol=2e-3)
    assert 0.01 < three.std() < 100, f"badly scaled: deviation {three.std()}"
    assert np.abs(three[:, 0] - three[:, 1]).max() > 0.01, "all sounds look alike"


main(*sys.argv[1:])
