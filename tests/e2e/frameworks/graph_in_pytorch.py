"""Trains a graph in PyTorch, all examples in each step: graph_in_pytorch.py GRAPH.json WEIGHTS.npz DATA.npz adam|sgd STEPS

Prints the loss before each step. Knows the few operators that the networks of test_train_truth.py have, which writes an
ONNX file as nodes and weights: the frameworks' environment has no onnx.
"""

import json
import sys

import numpy as np
import torch
from torch.nn import functional as F


def pads(node):
    top, left, bottom, right = node.get("pads", (0, 0, 0, 0))
    assert (top, left) == (bottom, right), "PyTorch pads both ends alike"
    return top, left


def convolve(node, x, weight, bias=None):
    return F.conv2d(x, weight, bias, node.get("strides", 1), pads(node), node.get("dilations", 1), node.get("group", 1))


def pool_max(node, x):
    return F.max_pool2d(x, node["kernel_shape"], node["strides"], pads(node))


def pool_average(node, x):
    return F.avg_pool2d(x, node["kernel_shape"], node["strides"], pads(node), count_include_pad=bool(node.get("count_include_pad", 0)))


def normalise(node, x, scale, shift, mean, variance):
    return F.batch_norm(x, mean, variance, scale, shift, training=True, eps=node.get("epsilon", 1e-5))


def multiply(node, x, weight, bias):
    assert node.get("transB", 0) == 1
    return F.linear(x, weight, bias)


OPERATORS = {
    "Conv": convolve,
    "MaxPool": pool_max,
    "AveragePool": pool_average,
    "BatchNormalization": normalise,
    "Gemm": multiply,
    "Relu": lambda node, x: F.relu(x),
    "Sigmoid": lambda node, x: torch.sigmoid(x),
    "Tanh": lambda node, x: torch.tanh(x),
    "Add": lambda node, x, y: x + y,
    "GlobalAveragePool": lambda node, x: x.mean((2, 3), keepdim=True),
    "Flatten": lambda node, x: x.flatten(1),
}


class Network:
    def __init__(self, graph, weights):
        self.nodes = json.load(open(graph))
        self.tensors = {name: torch.tensor(value) for name, value in np.load(weights).items()}
        running = {name for node in self.nodes if node["operator"] == "BatchNormalization" for name in node["inputs"][3:]}
        self.parameters = [tensor.requires_grad_() for name, tensor in self.tensors.items() if name not in running]

    def __call__(self, pictures):
        values = {**self.tensors, "input": pictures}
        for node in self.nodes:
            inputs = [values[name] for name in node["inputs"]]
            result = values[node["output"]] = OPERATORS[node["operator"]](node["attributes"], *inputs)
        return result


def main(graph, weights, data, optimizer, steps):
    network = Network(graph, weights)
    examples = np.load(data)
    pictures = torch.tensor(examples["x_train"]).float().permute(0, 3, 1, 2) / 255
    classes = torch.tensor(examples["y_train"]).long()
    chosen = {
        "adam": lambda: torch.optim.Adam(network.parameters, lr=1e-3),
        "sgd": lambda: torch.optim.SGD(network.parameters, lr=1e-2, momentum=0.9),
    }[optimizer]()
    for _ in range(int(steps)):
        chosen.zero_grad()
        loss = F.cross_entropy(network(pictures), classes)
        print(loss.item())
        loss.backward()
        chosen.step()


main(*sys.argv[1:])
