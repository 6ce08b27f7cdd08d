"""`neph net` on models that others make: what is unknown is said to be unknown."""

import onnx
import pytest
from onnx import TensorProto, helper
from tables import write_csv

UNSUPPORTED = 8


def write_model(path, nodes, x, weights=()):
    """A model of these nodes from "x", which is a float tensor of that shape, to "y"; weights: name and shape."""
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)  # noqa: E731
    stored = [helper.make_tensor(name, TensorProto.FLOAT, shape, [0.0] * (shape[0] * shape[1])) for name, shape in weights]
    graph = helper.make_graph(nodes, "model", [value("x", x)], [value("y", None)], stored)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def integers(name, *numbers):
    return helper.make_node("Constant", [], [name], value_ints=numbers)


def attention(heads, width):
    """One head-splitting block as PyTorch exports it: sizes from Shape, Gather, Unsqueeze, Concat; a weight behind
    Identity."""
    make = helper.make_node
    nodes = [make("Shape", ["x"], ["s"]), integers("zero", 0), integers("one", 1), integers("rest", heads, width // heads)]
    nodes += [make("Gather", ["s", "zero"], ["n"]), make("Gather", ["s", "one"], ["length"])]
    nodes += [make("Concat", ["n", "length", "rest"], ["split"], axis=0), make("Identity", ["w"], ["v"])]
    nodes += [make("MatMul", ["x", "v"], ["q"]), make("Reshape", ["q", "split"], ["r"])]
    nodes += [make("Transpose", ["r"], ["a"], perm=[0, 2, 1, 3]), make("Transpose", ["r"], ["b"], perm=[0, 2, 3, 1])]
    return [*nodes, make("MatMul", ["a", "b"], ["y"])]


def test_attention_counts_through_the_sizes_that_its_exporter_computes(neph):
    write_model(neph.folder / "a.onnx", attention(4, 64), ["n", 50, 64], [("w", (64, 64))])
    network = neph.json("net", "a.onnx")
    assert network["totals"]["macs"] == 50 * 64 * 64 + 50 * 50 * 64
    assert network["totals"]["parameters"] == 64 * 64
    assert network["totals"]["at_least"] == [] and network["outputs"][0]["shape"] == [1, 4, 50, 50]


@pytest.mark.smoke
def test_unknown_is_said_and_is_never_0(neph):
    write_model(neph.folder / "open.onnx", attention(4, 64), ["n", "length", 64], [("w", (64, 64))])
    network = neph.json("net", "open.onnx")
    assert network["totals"]["macs"] is None and network["layers"][-1]["macs"] is None
    assert network["outputs"][0]["shape"] == [1, 4, -1, -1]
    shown = neph("net", "open.onnx").stdout
    assert "multiply-accumulates  unknown" in shown and "4,096" in shown and "--side" not in shown and "--shape x:1x?x64 may tell" in shown


def test_a_total_of_which_a_part_is_unknown_is_a_bound(neph):
    make = helper.make_node
    nodes = [make("MatMul", ["x", "w"], ["a"]), make("Frobnicate", ["a"], ["y"], domain="org.example")]
    write_model(neph.folder / "odd.onnx", nodes, [1, 8], [("w", (8, 4))])
    assert "multiply-accumulates  at least 32" in neph("net", "odd.onnx").stdout
    totals = neph.json("net", "odd.onnx")["totals"]
    assert totals["macs"] == 32 and "macs" in totals["at_least"]


def test_a_loop_that_may_make_no_trip_is_not_counted_and_its_size_is_said(neph):
    make, value = helper.make_node, helper.make_tensor_value_info
    body = helper.make_graph(
        [make("Identity", ["go"], ["on"]), make("MatMul", ["state", "w"], ["next"])], "body",
        [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), value("state", TensorProto.FLOAT, [1, 8])],
        [value("on", TensorProto.BOOL, []), value("next", TensorProto.FLOAT, [1, 8])])
    nodes = [make("Cast", ["x"], ["c"], to=TensorProto.INT64), make("ReduceMax", ["c"], ["trips"], keepdims=0)]
    nodes += [make("MatMul", ["x", "w"], ["a"]), make("Loop", ["trips", "", "a"], ["y"], body=body)]
    write_model(neph.folder / "loop.onnx", nodes, [1, 8], [("w", (8, 8))])
    shown = neph("net", "loop.onnx").stdout
    assert "multiply-accumulates  at least 64.0 for this input" in shown
    assert "not counted           trips of 1 loop" in shown and "one trip has 64.0 multiply-accumulates" in shown
    assert "parameters            64 (" in shown and "64 a trip" in shown
    totals = neph.json("net", "loop.onnx")["totals"]
    assert totals["trip_macs"] == 64 and totals["macs"] == 64 and "macs" in totals["at_least"]


def test_an_if_with_a_branch_that_is_not_known_is_at_least_the_smaller_one(neph):
    make, value = helper.make_node, helper.make_tensor_value_info
    branch = lambda nodes, name: helper.make_graph(nodes, name, [], [value(name, TensorProto.FLOAT, None)])  # noqa: E731
    large = branch([make("MatMul", ["x", "w"], ["a"]), make("Frobnicate", ["a"], ["yes"], domain="org.example")], "yes")
    small = branch([make("MatMul", ["x", "v"], ["no"])], "no")
    nodes = [make("ReduceMax", ["x"], ["most"], keepdims=0), make("Cast", ["most"], ["c"], to=TensorProto.BOOL)]
    nodes += [make("If", ["c"], ["y"], then_branch=large, else_branch=small)]
    write_model(neph.folder / "if.onnx", nodes, [1, 8], [("w", (8, 50)), ("v", (8, 2))])
    shown = neph("net", "if.onnx").stdout
    assert "multiply-accumulates  at least 16.0 for this input" in shown and "depth at least" in shown
    assert "1 layer of org.example.Frobnicate" in shown
    assert 'the larger branch of 1 If, or the smaller one in a total that says "at least"' in shown


def test_predictions_take_no_unknown_work_for_none(neph):
    write_model(neph.folder / "open.onnx", attention(4, 64), ["n", "length", 64], [("w", (64, 64))])
    rows = [{"net": net, "batch": batch, "t": batch} for net in ("open.onnx", "mnist") for batch in (1, 2, 4, 8)]
    write_csv(neph.folder / "runs.csv", rows)
    done = neph("fit", "runs.csv", "--target", "t", "--network", "net", "--batch", "batch", code=UNSUPPORTED)
    assert "open.onnx: not all of its work is known (macs, activations)" in done.stderr


@pytest.mark.parametrize("names", [("n", "length"), ("?", "?")], ids=["named", "as Paddle calls them"])
def test_a_given_shape_makes_numbers_of_what_the_file_leaves_open(neph, names):
    write_model(neph.folder / "open.onnx", attention(4, 64), [*names, 64], [("w", (64, 64))])
    assert "(--shape x:1x?x64 may tell)" in neph("net", "open.onnx").stdout
    for shape in ("x:2x50x64", "2x50x64"):
        network = neph.json("net", "open.onnx", "--shape", shape)
        assert network["totals"]["macs"] == 2 * (50 * 64 * 64 + 50 * 50 * 64) and network["unsized_layers"] == 0
        assert network["outputs"][0]["shape"] == [2, 4, 50, 50] and network["batch"] == 2


@pytest.mark.parametrize(("shape", "code", "says"), [
    ("y:1x50x64", 3, "unknown input 'y' in the model"),
    ("x:1x50", 2, "input 'x' has the shape ?x?x64, which 1x50 does not fit"),
    ("x:1x50x65", 2, "input 'x' has the shape ?x?x64, which 1x50x65 does not fit"),
    ("x=1x50x64", 2, "write NAME:1x128, several as NAME:1x128+OTHER:1x64"),
])
def test_a_shape_that_the_file_does_not_admit_is_refused(neph, shape, code, says):
    write_model(neph.folder / "open.onnx", attention(4, 64), ["n", "length", 64], [("w", (64, 64))])
    assert says in neph("net", "open.onnx", "--shape", shape, code=code).stderr
    assert "--shape is for a file" in neph("net", "mnist", "--shape", "1x1x28x28", code=2).stderr


@pytest.mark.parametrize(("name", "content", "says"), [
    ("m.tflite", b"\x08\0\0\0TFL3" + bytes(64), "a TensorFlow Lite model"),
    ("m.xml", b'<?xml version="1.0"?>\n<net name="m" version="11"></net>', "an OpenVINO model"),
])
def test_another_format_is_called_by_its_name(neph, name, content, says):
    (neph.folder / name).write_bytes(content)
    done = neph("net", name, code=UNSUPPORTED)
    assert says in done.stderr and "damaged" not in done.stderr
