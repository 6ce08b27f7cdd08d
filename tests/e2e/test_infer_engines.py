"""`--engine onnxruntime` of `neph infer` and `serve`: OpenVINO's answers, in the program and behind a server."""

import pytest
from paths import REPOSITORY

QUICK = ("--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.2, "--batch", 4)


@pytest.fixture
def engine(neph):
    (found,) = [each for each in neph.json("engines") if each["name"] == "onnxruntime"]
    assert found["infers"], found["reason"]
    return found["name"]


def classes(neph, tmp_path, *options):
    answers = tmp_path / "answers.csv"
    neph("infer", *options, "--answers", answers, *QUICK)
    # Batches side by side end in any order.
    return sorted(line.split(",")[:2] for line in answers.read_text().splitlines()[1:])


def test_it_answers_as_openvino_does(neph, engine, tmp_path, small_model, pictures):
    given = small_model, "--images", pictures
    theirs = classes(neph, tmp_path, *given, "--engine", "openvino")
    assert len(theirs) == 24
    assert classes(neph, tmp_path, *given, "--engine", engine) == theirs
    assert classes(neph, tmp_path, *given, "--engine", engine, "--mode", "async", "--streams", 2) == theirs
    assert classes(neph, tmp_path, *given, "--engine", engine, "--architecture", "local") == theirs


def test_the_engine_is_a_factor(neph, engine, small_model, pictures):
    document = neph.json("infer", small_model, "--images", pictures, "--engine", f"openvino,{engine}", *QUICK)
    assert len(document["cells"]) == 2
    for cell in document["cells"]:
        assert cell["images_per_s"]["value"] > 0


def test_a_gpu_that_is_not_there_is_said(neph, engine, small_model, pictures):
    if any(device["name"].startswith("CUDA") for each in neph.json("engines") for device in each["devices"]):
        pytest.skip("there is a GPU")
    said = neph("infer", small_model, "--images", pictures, "--engine", engine, "--device", "cuda", *QUICK, code=None)
    assert said.returncode != 0 and " computes on no GPU here: " in said.stderr


def test_how_threads_wait_is_a_factor_of_onnxruntime(neph, small_model, pictures):
    given = small_model, "--images", pictures, "--engine", "onnxruntime", "--threads", 2, "--spinning", "on,off"
    document = neph.json("infer", *given, *QUICK)
    assert {cell["factors"]["spinning"]: cell["facts"]["spinning"] for cell in document["cells"]} == {"on": "on", "off": "off"}


@pytest.mark.parametrize("name", ["openvino", "identity"])
def test_engines_that_cannot_be_told_how_to_wait_say_so_before_anything_runs(neph, name, small_model, tmp_path):
    if not any(each["name"] == name and each["usable"] for each in neph.json("engines")):
        pytest.skip(f"{name} is not installed")
    model = REPOSITORY / "examples/stalls.identity" if name == "identity" else small_model
    said = neph("infer", model, "--engine", name, "--spinning", "off", *QUICK, code=None)
    assert said.returncode != 0
    assert said.stderr.splitlines()[-1].startswith("neph: ") and "only threads of the engine onnxruntime can be told" in said.stderr
    assert not (tmp_path / "neph.db").exists()
