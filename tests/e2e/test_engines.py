"""`neph engines` names every engine that there could be, and `--provider` what ONNX Runtime computes by."""

import shutil
import subprocess

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
    assert usable == {"identity": True, "onnxruntime": False, "torch": False}


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
