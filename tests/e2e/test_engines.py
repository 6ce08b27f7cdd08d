"""`neph engines` names every engine that there could be, and `--provider` what ONNX Runtime computes by."""

import json
import os
import shutil
import subprocess

import numpy
import pytest
from paths import BUILD

QUICK = ("--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.2, "--batch", 4)
NOT_FOUND, UNSUPPORTED = 3, 8  # exit codes


def test_engines_that_are_not_built_are_named_with_what_brings_them(neph, tmp_path):
    (tmp_path / "engines").mkdir()
    shutil.copy(BUILD / "bin/engines/neph-engine-identity.so", tmp_path / "engines")
    env = {"NEPH_ENGINES": str(tmp_path / "engines")}
    said = neph("engines", env=env).stdout
    assert "torch: cannot run here: it was not built; ./dev setup train" in said
    assert "onnxruntime: cannot run here: it was not built; " in said
    usable = {each["name"]: each["usable"] for each in neph.json("engines", env=env)}
    assert {"pytorch", "keras-tensorflow", "keras-jax", "keras-torch"} <= usable.keys()  # they train, in Python
    engines = {name: is_usable for name, is_usable in usable.items() if "-" not in name and name != "pytorch"}
    assert engines == {"identity": True, "onnxruntime": False, "torch": False}


def test_an_engine_without_its_runtime_says_how_to_get_it(neph, tmp_path):
    """The plugin beside a program that has no environment: here a copy, in a folder of its own."""
    (tmp_path / "bin").mkdir()
    shutil.copy(BUILD / "bin/neph", tmp_path / "bin")
    shutil.copytree(BUILD / "bin/engines", tmp_path / "bin/engines")
    done = subprocess.run([tmp_path / "bin/neph", "engines"], capture_output=True, text=True, env={}, timeout=120)
    line = next(line for line in done.stdout.splitlines() if line.startswith("onnxruntime: "))
    assert "cannot run here" in line and "python3 -m pip install " in line and line.rstrip().endswith("onnxruntime==1.32.0")


def test_providers_are_shown_and_are_a_fact(neph, small_model, pictures):
    found = next(each for each in neph.json("engines") if each["name"] == "onnxruntime")
    assert "cpu" in found["devices"][0]["providers"]
    assert "providers cpu" in neph("engines").stdout
    document = neph.json("infer", small_model, "--images", pictures, "--engine", "onnxruntime", "--provider", "cpu", *QUICK)
    assert document["cells"][0]["facts"]["provider"] == "cpu"


def test_a_provider_that_cannot_be_is_refused_before_anything_runs(neph, small_model, pictures, tmp_path):
    def refused(provider, code, says, *more):
        done = neph("infer", small_model, "--images", pictures, "--provider", provider, *more, *QUICK, code=code)
        assert says in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert not (tmp_path / "neph.db").exists()

    refused("cdua", NOT_FOUND, "did you mean 'cuda'?", "--engine", "onnxruntime")
    refused("TensorrtExecutionProvider", UNSUPPORTED, "package onnxruntime-gpu has it", "--engine", "onnxruntime")
    refused("cpu", UNSUPPORTED, "--engine onnxruntime", "--engine", "openvino")


def bad_models(folder):
    """Name of the model: what each engine's line must name."""
    from onnx import TensorProto, helper, numpy_helper, save

    def model(name, node, shape=("N", 3, 8, 8), constants=(), **saved):
        ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, shape) for end in "xy"]
        graph = helper.make_graph([node], "g", ends[:1], ends[1:], constants)
        imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
        save(helper.make_model(graph, opset_imports=imports, ir_version=8), folder / name, **saved)

    weights = numpy_helper.from_array(numpy.ones((8, 8), "float32"), "w")
    model("custom.onnx", helper.make_node("Frobnicate", ["x"], ["y"], domain="com.example"))
    product = helper.make_node("MatMul", ["x", "w"], ["y"], name="y")
    model("contradiction.onnx", product, ("N", 3, 8, 7), [weights])
    model("gone.onnx", product, constants=[weights], save_as_external_data=True, location="gone.data", size_threshold=0)
    (folder / "gone.data").unlink()
    whole = (folder / "contradiction.onnx").read_bytes()
    (folder / "cut.onnx").write_bytes(whole[: len(whole) * 2 // 3])
    return {"custom.onnx": "Frobnicate", "contradiction.onnx": "MatMul", "gone.onnx": "gone.data", "cut.onnx": "cut short"}


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
def test_a_model_that_cannot_be_read_gets_one_line_that_names_what(neph, engine, pictures, tmp_path):
    for name, named in bad_models(tmp_path).items():
        done = neph("infer", name, "--images", pictures, "--engine", engine, *QUICK, code=None)
        lines = done.stderr.strip().splitlines()
        assert done.returncode not in (0, 1) and len(lines) == 1, done.stderr
        assert name in lines[0] and named in lines[0], lines[0]


OLD = """
static const void* none(unsigned version) { return 0; }
static const char* version(void) { return "1.20.1"; }
struct { const void* (*get)(unsigned); const char* (*version)(void); } base = {none, version};
const void* OrtGetApiBase(void) { return &base; }
"""


def environment_with(folder, package, version, libraries):
    """As pip makes it, of a package of that version."""
    packages = folder / "lib/python3.12/site-packages"
    (packages / package / libraries).mkdir(parents=True)
    (packages / f"{package}-{version}.dist-info").mkdir()
    return packages / package / libraries


def test_a_library_of_another_version_is_refused_where_it_was_asked_for(neph, small_model, pictures, tmp_path):
    """And not another one taken in its place, whose figures would be held for its."""
    (tmp_path / "old.c").write_text(OLD)
    library = environment_with(tmp_path / "old", "onnxruntime", "1.20.1", "capi") / "libonnxruntime.so.1.20.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "old.c"], check=True)
    environment_with(tmp_path / "other", "openvino", "2025.3.0", "libs")

    def refused(engine, environment, says):
        done = neph("infer", small_model, "--images", pictures, "--engine", engine, "--engine-path", environment, *QUICK, code=UNSUPPORTED)
        assert says in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr

    refused("onnxruntime", tmp_path / "old", "libonnxruntime.so.1.20.1 is ONNX Runtime 1.20.1: 1.21 or later is needed")
    refused("openvino", tmp_path / "other", "needs openvino==2026.4.1, and --engine-path")
    found = {each["name"]: each for each in neph.json("engines", "--engine-path", tmp_path / "old")}
    assert not found["onnxruntime"]["usable"] and found["openvino"]["usable"]


def test_the_default_engine_is_the_first_that_there_is(neph, small_model, tmp_path):
    """As with `pip install nephoscope[onnxruntime]` alone: OpenVINO's plugin is there and finds no runtime."""
    (tmp_path / "engines").mkdir()
    for name in ("onnxruntime", "identity"):
        shutil.copy(BUILD / f"bin/engines/neph-engine-{name}.so", tmp_path / "engines")
    (tmp_path / "engines/neph-engine-openvino.so").write_text("no library")
    env = os.environ | {"NEPH_ENGINES": str(tmp_path / "engines")}
    note = "--engine onnxruntime: the first that there is for .onnx files\n"
    for verb in (("infer", small_model, "--count", 8), ("infer", "mnist", "--count", 8, "--architecture", "local")):
        done = neph(*verb, *QUICK, "--json", env=env)
        document = json.loads(done.stdout)
        assert done.stderr.count(note) == 1 and document["cells"][0]["facts"]["engine"].startswith("onnxruntime ")
        assert "--engine onnxruntime" in document["experiment"]["command"]
    (tmp_path / "run.toml").write_text('repeat = 1\n[infer]\nmodel = "mnist"\ncount = 8\n')
    assert note in neph("run", "run.toml", env=env).stderr
    demo = neph.start("demo", "--count", 2, "--repeat", 1, env=env)
    assert note in demo.stderr
    demo.kill()
    assert neph.json("profile", small_model, "--repeat", 2, env=env)["engine"].startswith("onnxruntime")
    assert note not in neph("infer", small_model, "--count", 8, *QUICK).stderr
    refused = neph("infer", small_model, "--engine", "openvino", *QUICK, env=env, code=UNSUPPORTED).stderr
    assert "openvino" in refused and note not in refused, "what is asked for is not replaced"
