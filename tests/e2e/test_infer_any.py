"""`neph infer` of models that take no images: generated inputs, a user's own, open shapes, any types and outputs."""

import csv
import math

import numpy
import onnx
import onnx.reference
import pytest
from onnx import TensorProto, helper

QUICK = ("--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.2, "--count", 20)
ENGINES = ("openvino", "onnxruntime")


def model_file(path, nodes, inputs, outputs, constants=()):
    """`inputs` and `outputs`: (name, type, shape) each."""
    infos = [[helper.make_tensor_value_info(*each) for each in which] for which in (inputs, outputs)]
    held = [onnx.numpy_helper.from_array(value, name) for name, value in constants]
    graph = helper.make_graph(nodes, path.stem, *infos, held)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    """Two inputs of open length, a table of 50 entries, and two outputs."""
    random = numpy.random.default_rng(3)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "axis"], ["wide"]),
        helper.make_node("Mul", ["rows", "wide"], ["hidden"]),
        helper.make_node("ReduceMean", ["hidden"], ["pooled"], axes=[1], keepdims=0),
    ]
    return model_file(
        tmp_path_factory.mktemp("tokens") / "tokens.onnx", nodes,
        [(name, TensorProto.INT64, ["n", "t"]) for name in ("input_ids", "attention_mask")],
        [("hidden", TensorProto.FLOAT, ["n", "t", 8]), ("pooled", TensorProto.FLOAT, ["n", 8])],
        [("table", random.normal(size=(50, 8)).astype("float32")), ("axis", numpy.array([2]))],
    )


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def test_shapes_and_engines_are_factors_and_answers_are_compared(neph, tokens):
    document = neph.json("infer", tokens, "--shape", "input_ids:1x16,4x8", "--engine", ",".join(ENGINES), *QUICK)
    factors = [(cell["factors"]["shape"], cell["factors"]["engine"]) for cell in document["cells"]]
    assert sorted(factors) == [(f"input_ids:{shape}", engine) for shape in ("1x16", "4x8") for engine in sorted(ENGINES)]
    for cell in document["cells"]:
        assert cell["sequences_per_s"]["value"] > 0
        length = 16 if cell["factors"]["shape"].endswith("1x16") else 8
        assert math.isclose(cell["figures"]["tokens_per_s"]["value"], length * cell["sequences_per_s"]["value"], rel_tol=1e-6)
        assert "below 50" in cell["facts"]["inputs"], "the vocabulary is the table's"
        assert "hidden f32" in cell["facts"]["answers"] and "pooled f32" in cell["facts"]["answers"]
        assert not [each for each in cell["warnings"] if each["code"] == "answers_differ"]


def test_what_is_assumed_is_said(neph, tokens):
    said = neph("infer", tokens, *QUICK)
    assert "inputs are generated" in said.stderr
    assert "input_ids:1x128" in said.stderr and "--shape" in said.stderr
    assert "sequences/s" in said.stdout and "images" not in said.stdout


def test_without_a_count_it_ends_by_itself(neph, tokens):
    document = neph.json("infer", tokens, "--repeat", 1)
    measured = document["cells"][0]["phases"]["measure"]["value"]
    assert 0 < measured < 10


def test_the_answers_are_the_same_however_many_inferences_ran(neph, tmp_path):
    """The number is chosen by time, so that it differs from run to run."""
    weights = [("w", numpy.random.default_rng(6).normal(size=(192, 5)).astype("float32"))]
    nodes = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["y"])]
    model = model_file(tmp_path / "small.onnx", nodes, [("x", TensorProto.FLOAT, ["n", 3, 8, 8])], [("y", TensorProto.FLOAT, ["n", 5])], weights)
    cells = [neph.json("infer", model, "--batch", 2, *QUICK[:-1], count)["cells"][0] for count in (20, 100, 400)]
    assert len({cell["answers_checksum"] for cell in cells}) == 1 and cells[0]["answers_checksum"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_users_own_tensors_go_in_and_come_out_right(neph, tokens, tmp_path, engine):
    random = numpy.random.default_rng(4)
    given = {"input_ids": random.integers(0, 50, (3, 12)), "attention_mask": random.integers(0, 2, (3, 12))}
    numpy.savez(tmp_path / "own.npz", **given)
    neph("infer", tokens, "--inputs", tmp_path / "own.npz", "--engine", engine, "--answers", tmp_path / "a.csv", *QUICK)
    rows = rows_of(tmp_path / "a.csv")
    assert len(rows) == 2 * 20, "a line for each output of each inference"
    evaluator = onnx.reference.ReferenceEvaluator(str(tokens))
    for k in range(3):
        expected = evaluator.run(None, {name: value[k : k + 1] for name, value in given.items()})
        for row, values in zip(rows[2 * k : 2 * k + 2], expected, strict=True):
            assert row["input"] == f"example {k}" and row["type"] == "f32"
            assert row["shape"] == str(list(values.shape))
            assert math.isclose(float(row["mean"]), values.mean(), rel_tol=1e-4, abs_tol=1e-5)
            assert math.isclose(float(row["rms"]), numpy.sqrt((values**2).mean()), rel_tol=1e-4)


def test_a_folder_of_arrays_is_read(neph, tokens, tmp_path):
    folder = tmp_path / "arrays"
    folder.mkdir()
    for name in ("input_ids", "attention_mask"):
        numpy.save(folder / f"{name}.npy", numpy.ones((1, 5), "int64"))
    document = neph.json("infer", tokens, "--inputs", folder, *QUICK)
    assert "hidden f32 [1, 5, 8]" in document["cells"][0]["facts"]["answers"]


@pytest.mark.parametrize(("arrays", "words"), [
    ({"input_id": numpy.ones((1, 4), "int64"), "attention_mask": numpy.ones((1, 4), "int64")}, "did you mean 'input_ids'?"),
    ({"input_ids": numpy.ones((1, 4), "int64")}, "no array for input 'attention_mask'"),
    ({"input_ids": numpy.ones((1, 4), "int32"), "attention_mask": numpy.ones((1, 4), "int64")},
     "'input_ids' is int32, and the model's input is int64; write input_ids.astype('int64')"),
    ({"input_ids": numpy.full((1, 4), 50), "attention_mask": numpy.ones((1, 4), "int64")},
     "'input_ids' has the value 50 at place 0, and the model's table has 50 entries, 0 to 49"),
    ({"input_ids": numpy.ones(4, "int64"), "attention_mask": numpy.ones((1, 4), "int64")}, "'input_ids' has the shape [4]"),
], ids=("misnamed", "missing", "type", "vocabulary", "rank"))
def test_wrong_arrays_are_refused_by_name(neph, tokens, tmp_path, arrays, words):
    numpy.savez(tmp_path / "own.npz", **arrays)
    said = neph("infer", tokens, "--inputs", tmp_path / "own.npz", *QUICK, code=None)
    assert said.returncode != 0 and words in said.stderr and "own.npz" in said.stderr


def sums(path):
    """Two inputs of open rows, added up each for itself."""
    nodes = [helper.make_node("ReduceSum", [name, "rows"], [f"{name}_sum"], keepdims=0) for name in ("atoms", "bonds")]
    return model_file(path, nodes, [("atoms", TensorProto.FLOAT, ["n", 4]), ("bonds", TensorProto.FLOAT, ["m", 2])],
                      [("atoms_sum", TensorProto.FLOAT, [4]), ("bonds_sum", TensorProto.FLOAT, [2])], [("rows", numpy.array([0]))])


@pytest.mark.parametrize("engine", ENGINES)
def test_arrays_of_different_length_are_parts_of_one_example(neph, tmp_path, engine):
    path = sums(tmp_path / "graph.onnx")
    numpy.savez(tmp_path / "own.npz", atoms=numpy.ones((10, 4), "float32"), bonds=numpy.ones((20, 2), "float32"))
    document = neph.json("infer", path, "--inputs", tmp_path / "own.npz", "--engine", engine, *QUICK)
    facts = document["cells"][0]["facts"]
    assert facts["inputs"].startswith("1 example of ")
    assert "atoms_sum f32 [4]: mean 10," in facts["answers"] and "bonds_sum f32 [2]: mean 20," in facts["answers"]
    said = neph("infer", path, "--inputs", tmp_path / "own.npz", "--engine", engine, "--batch", 2, *QUICK, code=None)
    assert said.returncode != 0 and "'atoms' has 5 examples and 'bonds' has 10; give all inputs as many" in said.stderr


def test_rows_that_are_left_over_are_said(neph, tokens, tmp_path):
    numpy.savez(tmp_path / "own.npz", input_ids=numpy.ones((5, 6), "int64"), attention_mask=numpy.ones((5, 6), "int64"))
    document = neph.json("infer", tokens, "--inputs", tmp_path / "own.npz", "--batch", 2, *QUICK)
    assert document["cells"][0]["facts"]["inputs"].endswith("own.npz, and 1 row left over")


@pytest.mark.parametrize(("axis", "table"), [(0, (50, 8)), (1, (8, 50)), (-1, (3, 8, 50))], ids=str)
def test_a_vocabulary_is_as_long_as_the_table_is_where_it_is_looked_up(neph, tmp_path, axis, table):
    nodes = [helper.make_node("Gather", ["table", "ids"], ["y"], axis=axis)]
    path = model_file(tmp_path / "table.onnx", nodes, [("ids", TensorProto.INT64, [1, 4])], [("y", TensorProto.FLOAT, None)],
                      [("table", numpy.ones(table, "float32"))])
    numpy.savez(tmp_path / "own.npz", ids=numpy.full((1, 4), 49))
    neph("infer", path, "--inputs", tmp_path / "own.npz", *QUICK)
    numpy.savez(tmp_path / "own.npz", ids=numpy.full((1, 4), 50))
    assert "has 50 entries" in neph("infer", path, "--inputs", tmp_path / "own.npz", *QUICK, code=None).stderr


def test_numbers_that_are_picked_from_need_no_vocabulary(neph, tmp_path):
    """The places are stored, and what they are taken from goes in."""
    nodes = [helper.make_node("Gather", ["x", "places"], ["y"], axis=1)]
    path = model_file(tmp_path / "pick.onnx", nodes, [("x", TensorProto.INT64, [1, 6])], [("y", TensorProto.INT64, [1, 1, 3])],
                      [("places", numpy.array([[0, 2, 4]]))])
    numpy.savez(tmp_path / "own.npz", x=numpy.array([[5, 600, 7, 8, 9, 10]]))
    neph("infer", path, "--inputs", tmp_path / "own.npz", *QUICK)


@pytest.mark.parametrize(("options", "words"), [
    (("--shape", "input_id:1x4"), "did you mean 'input_ids'?"),
    (("--shape", "input_ids:1x4x4"), "does not fit input 'input_ids'"),
    (("--shape", "input_ids:8x4", "--batch", 2), "leave one out"),
    (("--inputs", "nosuch.npz"), "nosuch.npz"),
    (("--cache", "cold"), "--cache means nothing without --images"),
], ids=lambda each: each[0] if isinstance(each, tuple) else None)
def test_contradictions_are_refused(neph, tokens, options, words):
    said = neph("infer", tokens, *options, *QUICK, code=None)
    assert said.returncode != 0 and words in said.stderr


def test_a_file_that_is_no_archive_is_said(neph, tokens, tmp_path):
    (tmp_path / "own.npz").write_bytes(b"PK\x03\x04 and nothing more")
    said = neph("infer", tokens, "--inputs", tmp_path / "own.npz", *QUICK, code=None)
    assert said.returncode != 0 and "own.npz" in said.stderr


TYPES = {
    "float16": TensorProto.FLOAT16, "float64": TensorProto.DOUBLE, "int8": TensorProto.INT8, "uint8": TensorProto.UINT8,
    "int32": TensorProto.INT32, "bool": TensorProto.BOOL,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TYPES)
def test_every_type_goes_in_and_out(neph, tmp_path, name, engine):
    """Two outputs: what went in as floats, and as it was but in reverse."""
    nodes = [
        helper.make_node("Cast", ["x"], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("Transpose", ["x"], ["turned"], perm=[1, 0]),
    ]
    path = model_file(tmp_path / "typed.onnx", nodes, [("x", TYPES[name], ["n", 6])],
                      [("floats", TensorProto.FLOAT, ["n", 6]), ("turned", TYPES[name], [6, "n"])])
    given = numpy.arange(6).reshape(1, 6) % (2 if name == "bool" else 6)
    numpy.savez(tmp_path / "own.npz", x=given.astype(name))
    neph("infer", path, "--inputs", tmp_path / "own.npz", "--engine", engine, "--answers", tmp_path / "a.csv", *QUICK)
    floats, turned = rows_of(tmp_path / "a.csv")[:2]
    assert math.isclose(float(floats["mean"]), given.mean()) and floats["shape"] == "[1, 6]"
    assert math.isclose(float(turned["mean"]), given.mean()) and turned["shape"] == "[6, 1]"


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("engine", ENGINES)
def test_outputs_whose_size_the_data_decide_are_read(neph, tmp_path, engine, mode):
    path = model_file(tmp_path / "nonzero.onnx", [helper.make_node("NonZero", ["x"], ["places"])],
                      [("x", TensorProto.FLOAT, ["n", 4])], [("places", TensorProto.INT64, [2, "found"])])
    numpy.savez(tmp_path / "own.npz", x=numpy.array([[0, 1, 0, 2], [3, 4, 5, 0]], "float32"))
    neph("infer", path, "--inputs", tmp_path / "own.npz", "--engine", engine, "--mode", mode, "--answers", tmp_path / "a.csv", *QUICK)
    found = {(row["input"], row["shape"]) for row in rows_of(tmp_path / "a.csv")}
    assert found == {("example 0", "[2, 2]"), ("example 1", "[2, 3]")}


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_server_answers_as_the_engine_does(neph, tokens, tmp_path, protocol):
    random = numpy.random.default_rng(5)
    ids, mask = random.integers(0, 50, (3, 12)), random.integers(0, 2, (3, 12))
    numpy.savez(tmp_path / "own.npz", input_ids=ids, attention_mask=mask)
    given = tokens, "--inputs", tmp_path / "own.npz", *QUICK
    neph("infer", *given, "--answers", tmp_path / "here.csv")
    neph("infer", *given, "--answers", tmp_path / "there.csv", "--architecture", "local", "--protocol", protocol)
    here, there = rows_of(tmp_path / "here.csv"), rows_of(tmp_path / "there.csv")
    assert len(here) == len(there) == 40
    for one, other in zip(here, there, strict=True):
        assert (one["input"], one["output"], one["shape"]) == (other["input"], other["output"], other["shape"])
        assert math.isclose(float(one["rms"]), float(other["rms"]), rel_tol=1e-4)


def test_load_sends_what_a_shape_says(neph, tokens, serve):
    with serve(tokens) as served:
        given = "load", f"http://{served.http}", "--model", "tokens", "--count", 20, "--warmup", "0.1s", "--repeat", 1
        said = neph(*given, code=2)
        assert "--shape input_ids:1x128" in said.stderr, "an example of what is missing"
        document = neph.json(*given, "--shape", "input_ids:1x16,1x8")
        assert [cell["factors"]["shape"] for cell in document["cells"]] == ["input_ids:1x16", "input_ids:1x8"]
        for cell in document["cells"]:
            assert cell["figures"]["requests_answered"]["value"] == 20
            assert "INT64 [1, " in cell["facts"]["requests"]


def detector(path, pixels=TensorProto.FLOAT, sides=("h", "w"), last=False):
    """Means of the channels at each place, boxes by their form: no classes."""
    shape = ["n", *sides, 3] if last else ["n", 3, *sides]
    nodes = [
        helper.make_node("Cast", ["images"], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["floats"], ["boxes"], axes=[3 if last else 1], keepdims=0),
    ]
    return model_file(path, nodes, [("images", pixels, shape)], [("boxes", TensorProto.FLOAT, ["n", *sides])])


def test_a_detector_takes_images_and_its_answers_are_no_classes(neph, tmp_path, pictures):
    path = detector(tmp_path / "detector.onnx")
    neph("infer", path, "--images", pictures, "--side", 96, "--answers", tmp_path / "a.csv", *QUICK)
    rows = rows_of(tmp_path / "a.csv")
    assert list(rows[0]) == ["input", "output", "type", "shape", "mean", "rms", "mark"]
    assert {row["shape"] for row in rows} == {"[1, 96, 96]"} and rows[0]["input"].endswith(".jpg")
    (cell,) = neph.json("infer", path, "--images", pictures, "--side", 96, *QUICK)["cells"]
    assert cell["images_per_s"]["value"] > 0 and cell["answers_checksum"] == ""


@pytest.mark.parametrize("engine", ENGINES)
def test_images_go_into_models_whose_outputs_have_no_batch(neph, tmp_path, pictures, engine):
    """How many places are bright, as a detector finds as many boxes as there are; and a table of all pixels."""
    nodes = [
        helper.make_node("Greater", ["images", "bright"], ["is_bright"]),
        helper.make_node("NonZero", ["is_bright"], ["places"]),
        helper.make_node("Reshape", ["images", "rows"], ["table"]),
    ]
    path = model_file(
        tmp_path / "bright.onnx", nodes, [("images", TensorProto.FLOAT, ["n", 3, 32, 32])],
        [("places", TensorProto.INT64, [4, "found"]), ("table", TensorProto.FLOAT, ["rows", 4])],
        [("bright", numpy.float32(2)), ("rows", numpy.array([-1, 4]))],
    )  # fmt: skip
    document = neph.json("infer", path, "--images", pictures, "--engine", engine, "--answers", tmp_path / "a.csv", *QUICK)
    assert document["cells"][0]["images_per_s"]["value"] > 0
    shapes = {row["output"]: row["shape"] for row in rows_of(tmp_path / "a.csv")}
    assert shapes["places"].startswith("[4, ") and shapes["table"] == "[768, 4]"


@pytest.mark.parametrize("options", [("--engine", "openvino"), ("--engine", "onnxruntime"), ("--architecture", "local")], ids=str)
def test_a_row_for_each_thing_found_is_no_score_of_a_class(neph, tmp_path, pictures, options):
    nodes = [
        helper.make_node("Greater", ["images", "bright"], ["is_bright"]),
        helper.make_node("NonZero", ["is_bright"], ["places"]),
        helper.make_node("Transpose", ["places"], ["by_thing"], perm=[1, 0]),
        helper.make_node("Cast", ["by_thing"], ["things"], to=TensorProto.FLOAT),
    ]
    path = model_file(tmp_path / "things.onnx", nodes, [("images", TensorProto.FLOAT, ["n", 3, 32, 32])],
                      [("things", TensorProto.FLOAT, ["found", 4])], [("bright", numpy.float32(1))])
    neph("infer", path, "--images", pictures, *options, "--answers", tmp_path / "a.csv", *QUICK)
    assert {row["output"] for row in rows_of(tmp_path / "a.csv")} == {"things"}


def test_bytes_in_rows_of_pixels_that_are_not_square(neph, tmp_path, pictures):
    from PIL import Image

    path = detector(tmp_path / "bytes.onnx", TensorProto.UINT8, (48, 96), last=True)
    neph("infer", path, "--images", pictures, "--answers", tmp_path / "a.csv", *QUICK)
    rows = rows_of(tmp_path / "a.csv")
    for row in rows[:5]:
        with Image.open(row["input"]) as image:
            scale = max(96 / image.width, 48 / image.height)
            size = (max(96, round(image.width * scale)), max(48, round(image.height * scale)))
            left, top = (size[0] - 96) // 2, (size[1] - 48) // 2
            cut = image.convert("RGB").resize(size, Image.Resampling.BILINEAR).crop((left, top, left + 96, top + 48))
            assert abs(numpy.asarray(cut, float).mean() - float(row["mean"])) < 2.5, "levels 0 to 255"


def test_one_image_model_without_images(neph, small_model):
    said = neph("infer", small_model, *QUICK)
    assert "inputs are generated" in said.stderr and "images/s" in said.stdout
