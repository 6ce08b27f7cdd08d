"""Shapes that `neph net` derives for random nodes, against those that numpy's functions give."""

import random

import numpy
import onnx
import pytest
from onnx import TensorProto, helper

NODES = 150  # of each kind, in one model


class Nodes:
    """Nodes with the shapes that their outputs must have."""

    def __init__(self, seed):
        self.random, self.nodes, self.inputs, self.expected = random.Random(seed), [], [], {}

    def tensor(self, shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def integers(self, numbers):
        name = f"c{len(self.nodes)}"
        self.nodes.append(helper.make_node("Constant", [], [name], value_ints=[int(each) for each in numbers]))
        return name

    def add(self, op, inputs, expected, **attributes):
        name = f"y{len(self.expected)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        self.expected[name] = list(expected)

    def shape(self, least=0, most=4, sizes=(1, 2, 3, 5, 7)):
        return [self.random.choice(sizes) for _ in range(self.random.randint(least, most))]

    def axes(self, rank, least=1):
        chosen = self.random.sample(range(rank), self.random.randint(min(least, rank), rank))
        return [axis - rank * self.random.randint(0, 1) for axis in chosen]


def broadcast(nodes):
    whole = nodes.shape(most=5)
    part = lambda: [nodes.random.choice((1, size)) for size in whole[nodes.random.randint(0, len(whole)):]]  # noqa: E731
    shapes = [part(), part()]
    nodes.add(nodes.random.choice(("Add", "Mul", "Pow")), [nodes.tensor(s) for s in shapes],
              numpy.broadcast_shapes(*map(tuple, shapes)))


def sliced(nodes):
    shape = nodes.shape(least=1)
    axes, steps = nodes.axes(len(shape)), (-3, -2, -1, 1, 2, 3)
    # A start before the first element is the first one in ONNX, also where the step leads away from it.
    limits = [(nodes.random.randint(-shape[axis], 9), nodes.random.randint(-9, 9), nodes.random.choice(steps)) for axis in axes]
    index = [slice(None)] * len(shape)
    for axis, (start, end, step) in zip(axes, limits):
        index[axis] = slice(start, end, step)
    lists = [nodes.integers(each) for each in ([a for a, _, _ in limits], [b for _, b, _ in limits], axes, [c for _, _, c in limits])]
    nodes.add("Slice", [nodes.tensor(shape), *lists], numpy.ones(shape)[tuple(index)].shape)


def reduced(nodes):
    shape, keep = nodes.shape(least=1), nodes.random.randint(0, 1)
    axes = nodes.axes(len(shape))
    nodes.add("ReduceSum", [nodes.tensor(shape), nodes.integers(axes)],
              numpy.ones(shape).sum(tuple(axes), keepdims=bool(keep)).shape, keepdims=keep)


def multiplied(nodes):
    depth, whole = nodes.random.choice((1, 3, 5)), nodes.shape(most=2)
    part = lambda: [nodes.random.choice((1, size)) for size in whole[nodes.random.randint(0, len(whole)):]]  # noqa: E731
    left, right = [*part(), 4, depth], [*part(), depth, 6]
    left = left if nodes.random.randint(0, 3) else [depth]
    right = right if nodes.random.randint(0, 3) else [depth]
    nodes.add("MatMul", [nodes.tensor(left), nodes.tensor(right)], numpy.matmul(numpy.ones(left), numpy.ones(right)).shape)


def summed_up(nodes):
    letters, count = "abcdE", nodes.random.randint(1, 3)
    sizes = dict(zip(letters, (2, 3, 4, 5, 6)))
    operands = ["".join(nodes.random.sample(letters, nodes.random.randint(1, 4))) for _ in range(count)]
    rest = nodes.shape(most=2, sizes=(1, 2)) if nodes.random.randint(0, 1) else None
    shapes = [(rest or []) + [sizes[letter] for letter in operand] for operand in operands]
    dots = "..." if rest is not None else ""
    equation = ",".join(dots + operand for operand in operands)
    if nodes.random.randint(0, 1):
        used = sorted(set("".join(operands)))
        equation += "->" + dots + "".join(nodes.random.sample(used, nodes.random.randint(0, len(used))))
    nodes.add("Einsum", [nodes.tensor(shape) for shape in shapes],
              numpy.einsum(equation, *(numpy.ones(shape) for shape in shapes)).shape, equation=equation)


def padded(nodes):
    shape = nodes.shape(least=1)
    axes = nodes.axes(len(shape))
    pads, width = [nodes.random.randint(0, 3) for _ in range(2 * len(axes))], [(0, 0)] * len(shape)
    for i, axis in enumerate(axes):
        width[axis] = (pads[i], pads[len(axes) + i])
    nodes.add("Pad", [nodes.tensor(shape), nodes.integers(pads), "", nodes.integers(axes)], numpy.pad(numpy.ones(shape), width).shape)


@pytest.mark.parametrize("kind", [broadcast, sliced, reduced, multiplied, summed_up, padded])
def test_random_nodes_have_the_shapes_of_numpy(neph, kind):
    nodes = Nodes(seed=27)
    for _ in range(NODES):
        kind(nodes)
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in nodes.expected]
    graph = helper.make_graph(nodes.nodes, "random", nodes.inputs, outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), neph.folder / "random.onnx")
    told = {output["name"]: output["shape"] for output in neph.json("net", "random.onnx")["outputs"]}
    assert told == nodes.expected
