"""Networks of others with attention, of which exporters compute shapes in the graph: `neph train` learns them. Needs
./dev setup train."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from paths import BUILD, REPOSITORY

pytestmark = pytest.mark.skipif(
    not (BUILD / "bin/engines/neph-engine-torch.so").exists() or not (REPOSITORY / ".venv-train").exists(),
    reason="no libtorch in .venv-train; ./dev setup train",
)
SIDE, PATCH, WIDTH, HEADS, CLASSES = 12, 4, 8, 2, 10
TOKENS = (SIDE // PATCH) ** 2 + 1


class Graph:
    def __init__(self):
        self.nodes, self.weights = [], []
        self.random = np.random.default_rng(3)

    def __call__(self, op, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [f"t{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def constant(self, *numbers):
        return self("Constant", value=numpy_helper.from_array(np.array(numbers, np.int64)))

    def weight(self, name, *shape):
        self.weights.append(numpy_helper.from_array((0.3 * self.random.standard_normal(shape)).astype(np.float32), name))
        return name

    def part(self, shape, index):
        """One size, as PyTorch's exporter asks for it: Shape, Gather, Unsqueeze."""
        size = self("Gather", self("Shape", shape), self("Constant", value=numpy_helper.from_array(np.array(index, np.int64))), axis=0)
        return self("Unsqueeze", size, self.constant(0))

    def write(self, path, output):
        graph = helper.make_graph(
            self.nodes, "vit", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["n", 1, SIDE, SIDE])],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["n", CLASSES])], self.weights,
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def vision_transformer(path, computes_shapes):
    """A small ViT: patches, a class token, positions, one block of attention. The same function with shapes that the graph
    computes, and with none."""
    g = Graph()
    patches = g("Conv", "input", g.weight("patch", WIDTH, 1, PATCH, PATCH), strides=[PATCH, PATCH], kernel_shape=[PATCH, PATCH])
    if computes_shapes:
        shape = g("Concat", g.part(patches, 0), g.constant(WIDTH), g.constant(-1), axis=0)
    else:
        shape = g.constant(0, WIDTH, -1)
    x = g("Transpose", g("Reshape", patches, shape), perm=[0, 2, 1])
    token = g.weight("token", 1, 1, WIDTH)
    if computes_shapes:
        wanted = g("Concat", g.part("input", 0), g.constant(-1), g.constant(-1), axis=0)
        ones = g("ConstantOfShape", g("Shape", wanted), value=numpy_helper.from_array(np.array([1], np.int64)))
        wanted = g("Where", g("Equal", wanted, g("Mul", ones, g.constant(-1))), ones, wanted)
        tokens = g("Expand", token, wanted)
    else:
        nothing = g("Constant", value=numpy_helper.from_array(np.array(0, np.float32)))
        tokens = g("Add", g("Mul", g("Slice", x, g.constant(0), g.constant(1), g.constant(1)), nothing), token)
    x = g("Add", g("Concat", tokens, x, axis=1), g.weight("positions", 1, TOKENS, WIDTH))
    normal = g("LayerNormalization", x, g.weight("scale", WIDTH), g.weight("shift", WIDTH), axis=-1)
    parts = []
    for name in ("query", "key", "value"):
        part = g("Add", g("MatMul", normal, g.weight(f"{name}.weight", WIDTH, WIDTH)), g.weight(f"{name}.bias", WIDTH))
        if computes_shapes:
            shape = g("Concat", g.part(part, 0), g.part(part, 1), g.constant(HEADS), g.constant(WIDTH // HEADS), axis=0)
        else:
            shape = g.constant(0, TOKENS, HEADS, WIDTH // HEADS)
        parts.append(g("Transpose", g("Reshape", part, shape), perm=[0, 2, 3, 1] if name == "key" else [0, 2, 1, 3]))
    query, key, value = parts
    if computes_shapes:
        one = g("Constant", value=numpy_helper.from_array(np.array(1, np.float32)))
        scale = g("Div", one, g("Sqrt", g("Cast", g.part(query, 3), to=TensorProto.FLOAT)))
    else:
        scale = g("Constant", value=numpy_helper.from_array(np.array([(WIDTH // HEADS) ** -0.5], np.float32)))
    seen = g("MatMul", g("Softmax", g("Mul", g("MatMul", query, key), scale), axis=-1), value)
    seen = g("Transpose", seen, perm=[0, 2, 1, 3])
    if computes_shapes:
        shape = g("Concat", g.part(seen, 0), g.part(seen, 1), g.constant(WIDTH), axis=0)
    else:
        shape = g.constant(0, TOKENS, WIDTH)
    x = g("Add", x, g("MatMul", g("Reshape", seen, shape), g.weight("out", WIDTH, WIDTH)))
    first = g("Gather", x, g("Constant", value=numpy_helper.from_array(np.array(0, np.int64))), axis=1)
    g.write(path, g("Gemm", first, g.weight("head", CLASSES, WIDTH), g.weight("head.bias", CLASSES), transB=1))


def test_a_vision_transformer_learns_as_the_same_without_computed_shapes(neph):
    """47 examples in batches of 8: the last step has fewer."""
    random = np.random.default_rng(5)
    pictures, classes = random.integers(0, 256, (47, SIDE, SIDE), np.uint8), random.integers(0, CLASSES, 47)
    np.savez(neph.folder / "data.npz", x_train=pictures, y_train=classes, x_test=pictures, y_test=classes)
    vision_transformer(neph.folder / "exported.onnx", computes_shapes=True)
    vision_transformer(neph.folder / "plain.onnx", computes_shapes=False)
    curves = {}
    for name in ("exported", "plain"):
        cells = neph.json("train", f"{name}.onnx", "--data", "data.npz", "--batch", 8, "--epochs", "1,25", "--learning-rate", 0.01,
                          "--repeat", 1, "--save", f"{name}-trained.onnx")["cells"]
        assert [cell["failures"] for cell in cells] == [[], []]
        curves[name] = [cell["figures"][figure]["value"] for cell in cells for figure in ("train_loss", "test_loss")]
    assert curves["exported"] == pytest.approx(curves["plain"], rel=1e-4)
    assert curves["exported"][2] < 0.9 * curves["exported"][0], "it learns"
    before, after = (
        {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(neph.folder / name).graph.initializer}
        for name in ("exported.onnx", "exported-trained.onnx")
    )
    assert all(np.abs(after[name] - before[name]).max() > 1e-4 for name in before), "all weights were learnt"
