"""Makes the models of the engine's tests in the folder given, good ones and broken ones, and what the good ones answer.

For each good model NAME: NAME.in and NAME.out, little-endian f32, from OpenVINO's Python interface with batch 2.
"""
import pathlib
import shutil
import sys

import numpy
import onnx
import openvino
from onnx import TensorProto, helper

folder = pathlib.Path(sys.argv[1])
golden = pathlib.Path(sys.argv[2])
random = numpy.random.default_rng(3)


def tensor(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name, values):
    values = numpy.asarray(values)
    return onnx.numpy_helper.from_array(values, name)


def save(name, nodes, inputs, outputs, constants=(), opsets=(("", 17),)):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants))
    opset_imports = [helper.make_opsetid(domain, version) for domain, version in opsets]
    onnx.save(helper.make_model(graph, opset_imports=opset_imports, ir_version=8), folder / name)


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs, [output], **attributes)


kernel = constant("kernel", random.normal(size=(4, 3, 3, 3)).astype("float32"))
dense = constant("dense", random.normal(size=(4, 5)).astype("float32"))
layers = [
    node("Conv", ["picture", "kernel"], "features", pads=[1, 1, 1, 1]),
    node("Relu", ["features"], "active"),
    node("ReduceMean", ["active"], "mean", axes=[2, 3], keepdims=0),
    node("MatMul", ["mean", "dense"], "scores"),
]
pictures = [tensor("picture", ["N", 3, 8, 8])]
scores = [tensor("scores", ["N", 5])]
save("conv.onnx", layers, pictures, scores, [kernel, dense])
save("conv3.onnx", layers, [tensor("picture", [3, 3, 8, 8])], [tensor("scores", [3, 5])], [kernel, dense])
save("paddle.onnx", layers, [tensor("picture", ["?", 3, "?", "?"])], [tensor("scores", ["?", 5])], [kernel, dense])
save("open_side.onnx", layers, [tensor("picture", ["N", 3, "H", "W"])], scores, [kernel, dense])

# Its second operand has two rows, so no other batch can be.
save("two_rows.onnx", [node("Concat", ["x", "rows"], "y", axis=1)], [tensor("x", [2, 4])], [tensor("y", [2, 7])],
     [constant("rows", numpy.ones((2, 3), "float32"))])
# What merged tensors are called elsewhere must not become their names: OpenVINO joins both ends of these Identities.
save("aliases.onnx", [node("Identity", ["z:0"], "inner"), node("Relu", ["inner"], "a"), node("Identity", ["a"], "out")],
     [tensor("z:0", ["N", 2])], [tensor("out", ["N", 2])])
# OpenVINO makes one of its parameter and its result.
save("handed_on.onnx", [node("Einsum", ["x"], "y", equation="ij->ij")], [tensor("x", ["N", 2])], [tensor("y", ["N", 2])])
# Models whose first dimension is open and whose rows are no strangers, or are.
save("over_rows.onnx", [node("Softmax", ["x"], "y", axis=0)], [tensor("x", ["N", 4])], [tensor("y", ["N", 4])])
save("parity.onnx", [node("ReduceSum", ["x", "axis"], "sum", keepdims=1), node("Mod", ["sum", "two"], "odd"),
                     node("Add", ["x", "odd"], "y")], [tensor("x", ["N", 1], TensorProto.INT64)],
     [tensor("y", ["N", 1], TensorProto.INT64)], [constant("axis", [0]), constant("two", [2])])
# Beside values a hundred times as large a score's change is small, and a change all the same.
save("large_and_small.onnx", [node("Softmax", ["x"], "scores", axis=0), node("Mul", ["x", "thousand"], "boxes"),
                              node("Concat", ["boxes", "scores"], "y", axis=1)], [tensor("x", ["N", 4])],
     [tensor("y", ["N", 8])], [constant("thousand", numpy.float32(1000))])
save("constant.onnx", [node("Mul", ["x", "none"], "y")], [tensor("x", ["N", 4])], [tensor("y", ["N", 4])],
     [constant("none", numpy.float32(0))])
# What the graph says of rows: a mean of small weight, a way that hardly any numbers choose, one scale for all rows, and a
# mean of each row behind a shape that is computed.
save("small_mean.onnx", [node("ReduceMean", ["x"], "mean", axes=[0], keepdims=1), node("Mul", ["mean", "little"], "share"),
                         node("Add", ["x", "share"], "y")], [tensor("x", ["N", 4])], [tensor("y", ["N", 4])],
     [constant("little", numpy.float32(1e-9))])
less_mean = helper.make_graph([node("CumSum", ["x", "axis"], "then")], "then", [], [tensor("then", ["N", 4])])
as_it_is = helper.make_graph([node("Identity", ["x"], "else")], "else", [], [tensor("else", ["N", 4])])
save("seldom.onnx", [node("Slice", ["x", "begin", "end"], "first"), node("Squeeze", ["first"], "value"),
                     node("Equal", ["value", "rare"], "is_rare"),
                     node("If", ["is_rare"], "y", then_branch=less_mean, else_branch=as_it_is)],
     [tensor("x", ["N", 4])], [tensor("y", ["N", 4])],
     [constant("begin", [0, 0]), constant("end", [1, 1]), constant("rare", numpy.float32(12345.5)),
      constant("axis", numpy.int64(0))])
save("quantised_as_it_runs.onnx",
     [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), node("DequantizeLinear", ["q", "s", "z"], "y")],
     [tensor("x", ["N", 4])], [tensor("y", ["N", 4])])
save("flattened.onnx", [node("Shape", ["x"], "shape"), node("Slice", ["shape", "begin", "end"], "rows"),
                        node("Concat", ["rows", "rest"], "flat", axis=0), node("Reshape", ["x", "flat"], "f"),
                        node("ReduceMean", ["f"], "y", axes=[1], keepdims=1)],
     [tensor("x", ["N", 3, 4])], [tensor("y", ["N", 1])],
     [constant("begin", [0]), constant("end", [1]), constant("rest", [-1])])
# Rows that only some numbers bring together.
save("beyond_one.onnx", [node("Sub", ["x", "one"], "d"), node("Relu", ["d"], "above"),
                         node("ReduceMax", ["above"], "most", axes=[0], keepdims=1), node("Sub", ["x", "most"], "y")],
     [tensor("x", ["N", 4])], [tensor("y", ["N", 4])], [constant("one", numpy.float32(1))])
save("none_of_sum.onnx", [node("ReduceSum", ["x", "axis"], "sum", keepdims=1), node("Mul", ["sum", "none"], "nothing"),
                          node("Add", ["x", "nothing"], "y")], [tensor("x", ["N", 4])], [tensor("y", ["N", 4])],
     [constant("axis", [0]), constant("none", numpy.float32(0))])
table = constant("table", random.normal(size=(50, 3)).astype("float32"))
save("words_of_many.onnx", [node("Gather", ["table", "ids"], "y")], [tensor("ids", ["N", 2], TensorProto.INT64)],
     [tensor("y", ["N", 2, 3])], [table])
save("high_words.onnx", [node("Greater", ["ids", "two"], "high"), node("Cast", ["high"], "one", to=TensorProto.FLOAT),
                         node("ReduceSum", ["one", "axis"], "sum", keepdims=1), node("Gather", ["table", "ids"], "words"),
                         node("Unsqueeze", ["sum", "last"], "each"), node("Add", ["words", "each"], "y")],
     [tensor("ids", ["N", 2], TensorProto.INT64)], [tensor("y", ["N", 2, 3])],
     [table, constant("two", 2), constant("axis", [0]), constant("last", [-1])])
save("two_back.onnx", [node("Transpose", ["x"], "t", perm=[1, 0]), node("Unsqueeze", ["t", "front"], "u"),
                       node("Conv", ["u", "taps"], "c", pads=[2, 0], dilations=[2]), node("Squeeze", ["c", "front"], "s"),
                       node("Transpose", ["s"], "y", perm=[1, 0])], [tensor("x", ["T", 4])], [tensor("y", ["T", 4])],
     [constant("front", [0]), constant("taps", random.normal(size=(4, 4, 2)).astype("float32"))])
save("half.onnx", [node("Relu", ["x"], "y")], [tensor("x", ["N", 4], TensorProto.FLOAT16)],
     [tensor("y", ["N", 4], TensorProto.FLOAT16)])
# The largest of those above a half, where there may be none.
above = [node("Greater", ["x", "half"], "is"), node("NonZero", ["is"], "places"), node("Squeeze", ["places", "front"], "at"),
         node("Gather", ["x", "at"], "those"), helper.make_node("TopK", ["those", "one"], ["y", "place"])]
save("largest_above.onnx", above, [tensor("x", [8])], [tensor("y", [1]), tensor("place", [1], TensorProto.INT64)],
     [constant("half", numpy.float32(0.5)), constant("front", [0]), constant("one", [1])])
save("open_sum.onnx", [node("Cast", ["mask"], "m", to=TensorProto.FLOAT), node("Cast", ["ids"], "i", to=TensorProto.FLOAT),
                       node("Add", ["i", "m"], "y")],
     [tensor("ids", ["N", "T"], TensorProto.INT64), tensor("mask", ["N", "T"], TensorProto.INT64)],
     [tensor("y", ["N", "T"])])
# Its output has one shape, which only computing it tells.
save("computed_shape.onnx", [node("Mul", ["x", "none"], "n"), node("ReduceMax", ["n"], "m", keepdims=0),
                             node("Cast", ["m"], "i", to=TensorProto.INT64), node("Add", ["i", "sides"], "shape"),
                             node("Reshape", ["x", "shape"], "y")], [tensor("x", [1, 6])], [tensor("y", ["A", "B"])],
     [constant("none", numpy.float32(0)), constant("sides", [2, 3])])
save("places.onnx", [node("NonZero", ["x"], "y")], [tensor("x", [1, 4])], [tensor("y", [2, "C"], TensorProto.INT64)])
# An output that is an input as it came.
save("twice.onnx", [node("Relu", ["x"], "y")], [tensor("x", ["N", 4])], [tensor("y", ["N", 4]), tensor("x", ["N", 4])])
# As a detector's: in made up inputs there is nothing to find.
save("loud_places.onnx", [node("Greater", ["x", "loud"], "m"), node("NonZero", ["m"], "y")], [tensor("x", [1, 4])],
     [tensor("y", [2, "C"], TensorProto.INT64)], [constant("loud", numpy.float32(1.5))])
save("open_all.onnx", [node("Relu", ["x"], "r"), node("NonZero", ["r"], "y")], [tensor("x", ["A", "B"])],
     [tensor("y", [2, "C"], TensorProto.INT64)])
# Reads one row of many: an engine that copies its input touches all of it.
save("first.onnx", [node("Slice", ["x", "begin", "end", "axis"], "y")], [tensor("x", ["N", 1024, 1024])],
     [tensor("y", ["N", 1, 1024])], [constant("begin", [0]), constant("end", [1]), constant("axis", [1])])
# Fails while it runs when the shape in its second input does not fit.
save("fussy.onnx", [node("Reshape", ["x", "shape"], "free"), node("Reshape", ["free", "fixed"], "y")],
     [tensor("x", [2, 2]), tensor("shape", [2], TensorProto.INT64)], [tensor("y", [2, 2])], [constant("fixed", [2, 2])])
# A quantised dense layer, as exporters write it.
scale, zero = constant("scale", numpy.float32(0.02)), constant("zero", numpy.int8(0))
save("quantised.onnx",
     [node("QuantizeLinear", ["x", "scale", "zero"], "xq"), node("DequantizeLinear", ["xq", "scale", "zero"], "xd"),
      node("DequantizeLinear", ["weights", "scale", "zero"], "wd"), node("MatMul", ["xd", "wd"], "y")],
     [tensor("x", ["N", 64])], [tensor("y", ["N", 32])],
     [scale, zero, constant("weights", random.integers(-100, 100, size=(64, 32)).astype("int8"))])
save("words.onnx", [node("Identity", ["x"], "y")], [tensor("x", [1], TensorProto.STRING)],
     [tensor("y", [1], TensorProto.STRING)])
# Text joined with text, and looked up: "cat" is 7, anything else -1.
save("joined.onnx", [node("StringConcat", ["x", "y"], "z")], [tensor("x", ["N"], TensorProto.STRING), tensor("y", ["N"], TensorProto.STRING)],
     [tensor("z", ["N"], TensorProto.STRING)], opsets=(("", 20),))
save("labels.onnx", [node("LabelEncoder", ["x"], "y", domain="ai.onnx.ml", keys_strings=["cat", "dog"], values_int64s=[7, 9], default_int64=-1)],
     [tensor("x", ["N", 2], TensorProto.STRING)], [tensor("y", ["N", 2], TensorProto.INT64)], opsets=(("", 17), ("ai.onnx.ml", 2)))
save("labelled.onnx", [node("Relu", ["x"], "y"), node("LabelEncoder", ["s"], "label", name="by_name", domain="ai.onnx.ml",
                                                      keys_strings=["cat"], values_int64s=[7], default_int64=-1)],
     [tensor("x", ["N", 4]), tensor("s", ["N"], TensorProto.STRING)], [tensor("y", ["N", 4]), tensor("label", ["N"], TensorProto.INT64)],
     opsets=(("", 17), ("ai.onnx.ml", 2)))
# Batch 1 in every shape: what is between and in a branch too.
save("conv1.onnx", layers, [tensor("picture", [1, 3, 8, 8])], [tensor("scores", [1, 5])], [kernel, dense])
one = onnx.load(folder / "conv1.onnx")
one.graph.value_info.append(tensor("features", [1, 4, 8, 8]))
branch = {f"{name}_branch": helper.make_graph([node("Relu", ["scores"], name)], name, [], [tensor(name, [1, 5])]) for name in ("then", "else")}
one.graph.node.append(node("If", ["always"], "same", **branch))
one.graph.initializer.append(constant("always", numpy.array(True)))
one.graph.output.append(tensor("same", [1, 5]))
onnx.save(one, folder / "conv1_in_all.onnx")
for name in ("conv1_beside", "weights_gone"):
    onnx.save(onnx.load(folder / "conv1_in_all.onnx"), folder / f"{name}.onnx", save_as_external_data=True, location=f"{name}.data", size_threshold=0)
(folder / "weights_gone.data").unlink()
# Weights that lie beside the model and are used where they lie.
save("added.onnx", [node("Add", ["x", "w"], "y")], [tensor("x", [1, 4096])], [tensor("y", [1, 4096])],
     [constant("w", numpy.arange(4096, dtype="float32"))])
added = onnx.load(folder / "added.onnx")
onnx.save(added, folder / "added_beside.onnx", save_as_external_data=True, location="added.data", size_threshold=0)
for place, name in (("../outside.data", "escapes"), (str(folder / "added.data"), "absolute")):
    added.graph.initializer[0].external_data[0].value = place
    (folder / f"added_{name}.onnx").write_bytes(added.SerializeToString())
openvino.save_model(openvino.Core().read_model(folder / "added_beside.onnx"), folder / "added.xml", compress_to_fp16=False)
# Reshapes that hold one batch only: one fails with another, one makes a single row of all.
save("flat1.onnx", [node("Reshape", ["x", "flat"], "y", name="flatten")], [tensor("x", [1, 3, 4])], [tensor("y", [1, 12])], [constant("flat", [1, 12])])
save("one_row.onnx", [node("Reshape", ["x", "flat"], "y")], [tensor("x", [1, 3, 4])], [tensor("y", [1, 12])], [constant("flat", [1, -1])])
save("any_rank.onnx", [node("Relu", ["x"], "y")], [tensor("x", None)], [tensor("y", None)])
save("from_later.onnx", [node("Relu", ["x"], "y")], [tensor("x", ["N", 4])], [tensor("y", ["N", 4])], opsets=(("", 99),))
save("no_such_step.onnx", [node("Frobnicate", ["x"], "y", name="frob")], [tensor("x", ["N", 4])], [tensor("y", ["N", 4])])
save("of_no_graph.onnx", [node("MatMul", ["x", "dense"], "y", name="by_dense")], [tensor("x", ["N", 3])], [tensor("y", ["N", 5])], [dense])
save("no_such_operator.onnx", [node("Frobnicate", ["picture"], "scores", domain="com.example")], pictures, scores,
     opsets=(("", 17), ("com.example", 1)))
save("wrong_shape.onnx", layers, [tensor("picture", ["N", 5, 8, 8])], scores, [kernel, dense])

core = openvino.Core()
openvino.save_model(core.read_model(folder / "conv.onnx"), folder / "conv.xml", compress_to_fp16=False)
shutil.copytree(golden / "conv_saved", folder / "conv_saved")
for name in ("conv.pb", "conv.tflite", "iris.onnx", "iris_by_name.onnx"):
    shutil.copy(golden / name, folder)
for name in ("conv.onnx", "conv.xml", "conv.pb", "conv.tflite", "conv_saved"):
    model = core.read_model(folder / name)
    shape = model.inputs[0].partial_shape
    model.reshape([2, *[side.get_length() for side in list(shape)[1:]]])
    picture = random.normal(size=model.inputs[0].shape).astype("float32")
    answer = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([picture])[0]
    (folder / f"{name}.in").write_bytes(picture.tobytes())
    (folder / f"{name}.out").write_bytes(answer.tobytes())

# Answers what the one before it was asked, and keeps what it is asked.
x = openvino.opset13.parameter(openvino.PartialShape([-1, 2]), numpy.float32, name="x")
before = openvino.opset6.read_value(openvino.opset13.constant(numpy.zeros((1, 2), "float32")), "before", numpy.float32,
                                    openvino.PartialShape([1, 2]))
total = openvino.opset13.reduce_sum(x, openvino.opset13.constant(numpy.array([0])), keep_dims=True)
y = openvino.opset13.add(x, before)
y.output(0).get_tensor().set_names({"y"})
x.output(0).get_tensor().set_names({"x"})
keeps = openvino.opset6.assign(openvino.opset13.add(total, before), "before")
openvino.save_model(openvino.Model(results=[openvino.opset13.result(y)], sinks=[keeps], parameters=[x], name="state"), folder / "state.xml")

for suffix in ("onnx", "xml", "pb", "tflite"):
    whole = (folder / f"conv.{suffix}").read_bytes()
    (folder / f"cut.{suffix}").write_bytes(whole[: len(whole) // 2])
    (folder / f"empty.{suffix}").write_bytes(b"")
    (folder / f"text.{suffix}").write_text("These are words and no model.\n" * 20)
    if suffix != "xml":
        (folder / f"noise.{suffix}").write_bytes(random.bytes(5000))
shutil.copy(folder / "conv.xml", folder / "lonely.xml")
shutil.copy(folder / "conv.xml", folder / "short.xml")
(folder / "short.bin").write_bytes((folder / "conv.bin").read_bytes()[:100])
shutil.copy(folder / "conv.onnx", folder / "conv.h5")
(folder / "folder.onnx").mkdir()
