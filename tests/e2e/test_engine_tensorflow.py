"""`--engine tensorflow` of `neph infer`: OpenVINO's answers for what Keras exports and for a frozen graph. Needs ./dev setup
frameworks, or another environment with TensorFlow and Keras in $NEPH_FRAMEWORKS."""

import os
import subprocess
from pathlib import Path

import pytest
from paths import REPOSITORY

ENVIRONMENT = Path(os.environ.get("NEPH_FRAMEWORKS", REPOSITORY / ".venv-frameworks"))
QUICK = ("--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.2, "--count", 24)
ENGINE_PATH = ("--engine-path", ENVIRONMENT)
UNSUPPORTED = 8  # exit code

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (ENVIRONMENT / "bin/python").exists(), reason="no frameworks in .venv-frameworks; ./dev setup frameworks"
    ),
]

MAKE_MODELS = """
import keras, tensorflow
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

keras.utils.set_random_seed(1)
model = keras.Sequential([
    keras.Input((16, 16, 3)),
    keras.layers.Conv2D(8, 3, activation="relu"),
    keras.layers.BatchNormalization(),
    keras.layers.GlobalAveragePooling2D(),
    keras.layers.Dense(5, activation="softmax"),
])
model.export("exported")
tensorflow.saved_model.save(model, "saved")
call = tensorflow.function(model).get_concrete_function(tensorflow.TensorSpec([None, 16, 16, 3], name="image"))
graph = convert_variables_to_constants_v2(call).graph.as_graph_def()
open("frozen.pb", "wb").write(graph.SerializeToString())
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder with exported/, saved/ and frozen.pb of one small network."""
    folder = tmp_path_factory.mktemp("keras")
    command = [ENVIRONMENT / "bin/python", "-c", MAKE_MODELS]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=os.environ | {"KERAS_BACKEND": "tensorflow"})
    return folder


def scores(neph, tmp_path, *options):
    answers = tmp_path / "answers.csv"
    neph("infer", *options, "--answers", answers, *ENGINE_PATH, *QUICK)
    return {
        item: (classes[0::2], [float(score) for score in classes[1::2]])
        for item, *classes in (line.split(",") for line in sorted(answers.read_text().splitlines()[1:]))
    }


@pytest.mark.parametrize("name", ["exported", "frozen.pb"])
@pytest.mark.parametrize("options", [("--batch", 4), ("--batch", 2, "--mode", "async", "--streams", 2)], ids=["sync", "async"])
def test_it_answers_as_openvino_does(neph, models, tmp_path, name, options):
    theirs = scores(neph, tmp_path, models / name, "--engine", "openvino", *options)
    ours = scores(neph, tmp_path, models / name, "--engine", "tensorflow", *options)
    assert len(theirs) >= 4 and ours.keys() == theirs.keys()
    for item, (classes, values) in theirs.items():
        assert ours[item][0] == classes and ours[item][1] == pytest.approx(values, abs=1e-5)


def test_the_engine_is_a_factor(neph, models):
    document = neph.json(
        "infer", models / "exported", "--engine", "tensorflow,openvino", "--threads", "1,2", *ENGINE_PATH, *QUICK
    )
    assert len(document["cells"]) == 4
    for cell in document["cells"]:
        assert cell["images_per_s"]["value"] > 0
        assert not [each for each in cell["warnings"] if each["code"] == "answers_differ"]
        if cell["factors"]["engine"] == "tensorflow":
            facts = cell["facts"]
            assert facts["engine"].startswith("tensorflow 2.") and facts["device"] == "CPU"
            assert facts["threads"] == str(cell["factors"]["threads"])


def test_it_is_listed_with_its_version(neph):
    (found,) = [each for each in neph.json("engines", *ENGINE_PATH) if each["name"] == "tensorflow"]
    assert found["usable"] and found["version"].startswith("2.") and found["formats"] == ["saved_model.pb", ".pb"]


def test_a_keras_model_that_was_not_exported_is_refused_with_what_helps(neph, models):
    done = neph("infer", models / "saved", "--engine", "tensorflow", *ENGINE_PATH, *QUICK, code=None)
    assert done.returncode != 0 and "save a Keras 3 model with model.export(folder)" in done.stderr, done.stderr


def test_models_and_options_that_it_does_not_take_are_refused(neph, models, tmp_path):
    def refused(says, model, *options):
        done = neph("infer", model, "--engine", "tensorflow", *options, *ENGINE_PATH, *QUICK, code=None)
        assert done.returncode not in (0, 1) and says in done.stderr, done.stderr
        assert done.stderr.splitlines()[-1].startswith("neph: "), done.stderr

    (tmp_path / "cut").mkdir()
    whole = (models / "exported/saved_model.pb").read_bytes()
    (tmp_path / "cut/saved_model.pb").write_bytes(whole[: len(whole) // 2])
    refused("saved_model.pb is damaged, cut short", tmp_path / "cut")
    refused("TensorFlow computes on no GPU here", models / "exported", "--device", "cuda")
    refused("only threads of the engine onnxruntime can be told", models / "exported", "--spinning", "off")
    refused("precision bf16: TensorFlow computes in", models / "exported", "--precision", "bf16")


def test_without_tensorflow_it_is_refused_by_name(neph, models, tmp_path):
    moved = neph.moved_to(tmp_path, "tensorflow")
    done = moved("infer", models / "exported", "--engine", "tensorflow", *QUICK, code=UNSUPPORTED, env={})
    assert "there is no package tensorflow-cpu" in done.stderr and "tensorflow-cpu==" in done.stderr
