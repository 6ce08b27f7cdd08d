"""`neph profile`: the engines' own times of layers, joined to the file's, against the machine's peaks."""

import os
import re

import numpy
import onnx
import pytest
from conftest import Opened
from identity_repository import FLOATS
from onnx import TensorProto, helper, numpy_helper

QUICK = ("--repeat", 2, "--count", 5)


@pytest.fixture(params=["openvino", "onnxruntime"])
def engine(request):
    return request.param


def write_product(path, nodes, inputs, weights, **integers):
    """A model of these nodes to the float tensor "y"; inputs: name, type, shape; weights: name and shape."""
    numbers = numpy.random.default_rng(1)
    graph = helper.make_graph(
        nodes, "model", [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(numbers.random(shape, dtype=numpy.float32), name) for name, shape in weights]
        + [numpy_helper.from_array(numpy.array(value), name) for name, value in integers.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def write_tokens(path):
    """Indices [n, length] to vectors, through a product with a name that is not its output's, a Gelu by hand."""
    make = helper.make_node
    nodes = [make("Gather", ["words", "ids"], ["vectors"]), make("MatMul", ["vectors", "w"], ["product"], name="/up/MatMul")]
    nodes += [make("Add", ["product", "b"], ["sum"], name="/up/Add"), make("Relu", ["sum"], ["high"], name="/act/Relu")]
    nodes += [make("MatMul", ["high", "v"], ["y"], name="/down/MatMul")]
    inputs = [("ids", TensorProto.INT64, ["n", "length"])]
    write_product(path, nodes, inputs, [("words", (100, 64)), ("w", (64, 256)), ("b", (256,)), ("v", (256, 64))])


def check_sums(profile):
    layers = profile["layers"]
    times = [layer["self_s"]["value"] for layer in layers]
    assert times == sorted(times, reverse=True)
    assert sum(layer["share"] for layer in layers) == pytest.approx(1)
    assert sum(kind["share"] for kind in profile["kinds"]) == pytest.approx(1)
    assert sum(kind["layers"] for kind in profile["kinds"]) == len(layers)
    assert sum(times) == pytest.approx(profile["layers_s"]["value"])
    assert sum(layer["flop"] or 0 for layer in layers) == pytest.approx(profile["joined_flop"])


def test_every_layer_of_the_file_is_found(neph, engine, small_model):
    profile = neph.json("profile", small_model, "--engine", engine, *QUICK)
    check_sums(profile)
    macs = neph.json("net", small_model)["totals"]["macs"]
    assert profile["flop"] == profile["joined_flop"] == 2 * macs
    assert profile["joined_share"] > 0.8, "all but what the engine does to bring tensors into its order"
    assert profile["inferences"] == 10 and profile["repeats"] == 2
    found = [part for layer in profile["layers"] for part in layer["parts"]]
    assert len(found) == len(set(found)), "no layer of the file is in two"
    assert sorted(found + profile["removed"]) == sorted(layer["name"] for layer in neph.json("net", small_model)["layers"])


def test_convolutions_take_most_of_it(neph, engine, small_model):
    profile = neph.json("profile", small_model, "--engine", engine, *QUICK)
    assert profile["kinds"][0]["kind"] == "convolution" and profile["kinds"][0]["share"] > 0.5
    assert profile["kinds"][0]["layers"] == 20
    fused = [layer for layer in profile["layers"] if layer["kind"] == "convolution" and len(layer["parts"]) > 1]
    assert len(fused) == 20, "with their batch norms"


@pytest.mark.timing
def test_the_layers_times_are_those_of_the_inference(neph, engine, small_model):
    profile = neph.json("profile", small_model, "--engine", engine, "--repeat", 3, "--count", 40)
    assert 0.5 < profile["layers_s"]["value"] / profile["profiled_s"]["value"] < 1.05
    assert 0.5 < profile["profiled_s"]["value"] / profile["plain_s"]["value"] < 2


def test_no_layer_is_faster_than_the_machine(neph, engine, small_model):
    profile = neph.json("profile", small_model, "--engine", engine, "--threads", 1, *QUICK)
    assert profile["threads"] == 1
    for layer in profile["layers"]:
        if layer["flop"] and layer["self_s"]["value"] > 5e-5:  # OpenVINO counts whole microseconds
            # Winograd's convolutions need four ninths of the multiplications, or fewer.
            assert layer["flop"] / layer["self_s"]["value"] < 4 * profile["peak_flop_per_s"], layer


def test_a_batch_has_as_many_times_the_work(neph, engine, small_model):
    one, four = (neph.json("profile", small_model, "--engine", engine, "--batch", n, *QUICK) for n in (1, 4))
    assert four["inputs"][0].endswith(" 4x3x64x64")
    assert four["joined_flop"] == 4 * one["joined_flop"]


def test_open_shapes_are_said(neph, engine):
    write_tokens(neph.folder / "tokens.onnx")
    refused = neph("profile", "tokens.onnx", "--engine", engine, *QUICK, code=None)
    assert refused.returncode != 0 and "'ids'" in refused.stderr and "--shape" in refused.stderr
    profile = neph.json("profile", "tokens.onnx", "--engine", engine, "--shape", "ids:2x30", *QUICK)
    assert profile["inputs"] == ["ids 2x30"]
    check_sums(profile)
    assert profile["flop"] == 2 * (2 * 30 * 64 * 256 * 2) == profile["joined_flop"]
    again = neph.json("profile", "tokens.onnx", "--engine", engine, "--shape", "2x30", *QUICK)
    assert again["inputs"] == ["ids 2x30"]


def write_block(path):
    """A product with its bias, a sum with what came in, a normalisation, a product: half of a transformer's layer."""
    make = helper.make_node
    nodes = [make("MatMul", ["x", "w"], ["product"], name="/up/MatMul"), make("Add", ["product", "b"], ["biased"], name="/up/Add")]
    nodes += [make("Add", ["biased", "x"], ["sum"], name="/Add"),
              make("LayerNormalization", ["sum", "scale", "shift"], ["norm"], name="/norm/LayerNormalization", axis=-1)]
    nodes += [make("MatMul", ["norm", "v"], ["y"], name="/down/MatMul")]
    weights = [("w", (64, 64)), ("b", (64,)), ("scale", (64,)), ("shift", (64,)), ("v", (64, 256))]
    write_product(path, nodes, [("x", TensorProto.FLOAT, [1, 40, 64])], weights)


def test_layers_that_onnxruntime_made_of_several_are_found_by_what_they_give(neph):
    """It calls them SkipLayerNormalization_token_7: the sum and the normalisation are theirs, not the product's before."""
    write_block(neph.folder / "block.onnx")
    profile = neph.json("profile", "block.onnx", "--engine", "onnxruntime", *QUICK)
    check_sums(profile)
    layers = {layer["engine_kind"]: layer for layer in profile["layers"]}
    fused = layers["SkipLayerNormalization"]
    assert fused["kind"] == "normalization" and fused["parts"] == ["/Add", "/norm/LayerNormalization"]
    (up,) = (layer for layer in profile["layers"] if "/up/MatMul" in layer["parts"])
    assert up["parts"] == ["/up/MatMul", "/up/Add"]
    assert {layer["kind"] for layer in profile["layers"]} <= {"normalization", "dense", "movement"}


def recurrent(op, name, inputs, outputs, sizes, direction="forward"):
    """A node, and names and shapes of its weights; sizes: of its input, of its state."""
    directions, rows = 2 if direction == "bidirectional" else 1, {"LSTM": 4, "GRU": 3, "RNN": 1}[op] * sizes[1]
    more = {"linear_before_reset": 1} if op == "GRU" else {}
    given = [inputs, name + "_w", name + "_r"]
    node = helper.make_node(op, given, outputs, name=name, hidden_size=sizes[1], direction=direction, **more)
    return node, [(name + "_w", (directions, rows, sizes[0])), (name + "_r", (directions, rows, sizes[1]))]


def check_products(profile, path, neph):
    """Each layer of the file that multiplies is in one layer of the engine, of its kind, with its arithmetic and a time."""
    check_sums(profile)
    assert profile["flop"] == profile["joined_flop"]
    rows = {part: layer for layer in profile["layers"] for part in layer["parts"]}
    for layer in neph.json("net", path)["layers"]:
        if layer["macs"]:
            row = rows[layer["name"]]
            assert (row["name"], row["kind"], row["flop"]) == (layer["name"], layer["kind"], 2 * layer["macs"]), row
            assert 0 < row["flop"] / row["self_s"]["value"] < profile["peak_flop_per_s"], row


@pytest.mark.parametrize("engine", ["openvino", "onnxruntime"])
def test_recurrent_layers_have_their_time(neph, engine):
    """OpenVINO runs them as LSTMSequence_53 between two Reshapes, those of both directions as two of that."""
    nodes, weights = [], []
    for op in ("LSTM", "GRU", "RNN"):
        for direction in ("forward", "reverse", "bidirectional"):
            name = f"{op}/{direction}"
            node, more = recurrent(op, name, "x", [name + "_y"], (64, 96), direction)
            nodes.append(node)
            weights += more
    nodes += [helper.make_node("ReduceSum", [node.output[0], "axes"], [node.name + "_sum"], keepdims=0) for node in nodes]
    nodes += [helper.make_node("Sum", [node.output[0] for node in nodes[9:]], ["y"])]
    write_product(neph.folder / "all.onnx", nodes, [("x", TensorProto.FLOAT, [50, 2, 64])], weights, axes=[1])
    check_products(neph.json("profile", "all.onnx", "--engine", engine, *QUICK), "all.onnx", neph)


@pytest.mark.parametrize("engine", ["openvino", "onnxruntime"])
def test_recurrent_layers_among_others_have_their_own(neph, engine):
    """Without names of nodes, with a second output, two of the same sizes in a row."""
    make = helper.make_node
    nodes = [make("Conv", ["x", "c"], ["conv"], name="conv", pads=[1, 1]), make("Relu", ["conv"], ["high"], name="relu")]
    nodes += [make("Transpose", ["high"], ["rows"], perm=[2, 0, 1])]
    weights = [("c", (64, 64, 3)), ("m", (64, 32))]
    for op, given, name in [("LSTM", "rows", "a"), ("LSTM", "a_squeezed", "b"), ("GRU", "b_squeezed", "d")]:
        node, more = recurrent(op, name, given, [name + "_y", name + "_h"], (64, 64))
        node.name = ""
        nodes += [node, make("Squeeze", [name + "_y", "axes"], [name + "_squeezed"])]
        weights += more
    nodes += [make("MatMul", ["d_squeezed", "m"], ["product"]), make("Squeeze", ["a_h", "axes"], ["state"])]
    nodes += [make("MatMul", ["state", "m"], ["last"]), make("Add", ["product", "last"], ["y"])]
    write_product(neph.folder / "mixed.onnx", nodes, [("x", TensorProto.FLOAT, [1, 64, 50])], weights, axes=[1])
    check_products(neph.json("profile", "mixed.onnx", "--engine", engine, *QUICK), "mixed.onnx", neph)


def test_a_network_by_its_name(neph):
    profile = neph.json("profile", "mobilenetv2", "--side", 96, "--engine", "onnxruntime", *QUICK)
    kinds = {kind["kind"]: kind for kind in profile["kinds"]}
    assert profile["flop"] == profile["joined_flop"]
    assert kinds["depthwise"]["layers"] == 17


def test_the_table_has_as_many_layers_as_asked_for(neph, small_model):
    rows = lambda text: [line for line in text.splitlines() if re.match(r"(conv1|fc|layer\d\S*|maxpool|avgpool)  ", line)]  # noqa: E731
    given = "profile", small_model, "--engine", "onnxruntime", *QUICK
    few = neph(*given, "--limit", 3).stdout
    assert len(rows(few)) == 3 and "more layers: --all shows them" in few
    assert "% of the layers' time goes to convolution" in few
    assert len(rows(neph(*given, "--all").stdout)) > 20


def test_the_page_has_both_charts(neph, small_model, chromium):
    neph("profile", small_model, "--engine", "onnxruntime", "--html", "page.html", *QUICK)
    with Opened(chromium, neph.folder / "page.html") as opened:
        assert opened.complaints == [] and len(opened.requests) == 1
        assert opened.page.locator("#layers svg, #layers canvas").count() == 1
        assert opened.page.locator("#roofline svg, #roofline canvas").count() == 1
        assert opened.page.locator("#layer-table tbody tr").count() > 20


def test_names_of_the_file_cannot_break_the_page(neph):
    evil = "</script><img src=x onerror=alert(1)>"
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name=evil)]
    write_product(neph.folder / "evil.onnx", nodes, [("x", TensorProto.FLOAT, [4, 64])], [("w", (64, 64))])
    neph("profile", "evil.onnx", "--engine", "onnxruntime", "--html", "page.html", *QUICK)
    assert "<img src=x" not in (neph.folder / "page.html").read_text()


def test_what_cannot_be_profiled_is_said(neph, small_model, tmp_path):
    (tmp_path / "echo.identity").write_text("\n".join(FLOATS))
    (tmp_path / "broken.onnx").write_bytes(small_model.read_bytes()[:2000])
    cases = [
        (["absent.onnx"], "absent.onnx"),
        (["broken.onnx"], "broken.onnx"),
        ([small_model, "--shape", "pixels:1x3x64x64"], "pixels"),
        ([small_model, "--shape", "1x3xtall"], "no shape"),
        ([small_model, "--engine", "openvino", "--provider", "cuda"], "provider cuda"),
        ([small_model, "--repeat", "0"], "repeat"),
        ([small_model, "--html", "no/such/folder/page.html"], "no/such/folder"),
        (["echo.identity", "--engine", "identity"], "does not tell how long each layer took"),
    ]
    for arguments, said in cases:
        done = neph("profile", *arguments, *QUICK[2 if "--repeat" in arguments else 0:], code=None)
        assert done.returncode > 1 and said in done.stderr and done.stdout == "", (arguments, done.stderr)
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_nothing_is_left_behind(neph, small_model, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    neph("profile", small_model, "--engine", "onnxruntime", *QUICK, env=os.environ | {"TMPDIR": str(temporary)})
    assert list(temporary.glob("neph*")) == []


def test_the_machines_peaks(neph):
    machine = neph.json("host", "--peaks")
    assert machine["peaks"]["flop_per_s"] > 1e9 and machine["peaks"]["bytes_per_s"] > 1e8
    assert "peaks" not in neph.json("host")
    assert "flop per s" in neph("host", "--peaks").stdout
