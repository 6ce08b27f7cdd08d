"""Classifiers as skl2onnx writes them by default: their last node makes maps of the probabilities, which are what is answered."""

import csv
import json
import urllib.request

import numpy
import onnxruntime
import pytest
from paths import REPOSITORY

QUICK = ("--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.2, "--count", 3)
FLOWERS = numpy.array([[5.1, 3.5, 1.4, 0.2], [6.0, 2.9, 4.5, 1.5], [7.7, 3.0, 6.1, 2.3]], "float32")
NAMES = {"iris": [0, 1, 2], "iris_by_name": ["setosa", "versicolor", "virginica"]}


@pytest.fixture(params=NAMES)
def classifier(request):
    return REPOSITORY / f"tests/golden/models/{request.param}.onnx"


def reference(file):
    """Labels, and the maps as a table, by ONNX Runtime's own package."""
    labels, maps = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, {"X": FLOWERS})
    return labels, numpy.array([[each[name] for name in NAMES[file.stem]] for each in maps])


def test_infer_answers_the_probabilities_and_says_so(neph, tmp_path, classifier):
    numpy.savez(tmp_path / "x.npz", X=FLOWERS)
    said = neph("infer", classifier, "--engine", "onnxruntime", "--inputs", tmp_path / "x.npz", "--answers", tmp_path / "a.csv", *QUICK)
    line = next(line for line in said.stderr.splitlines() if "ZipMap" in line)
    assert ", ".join(map(str, NAMES[classifier.stem])) in line and "'zipmap': False" in line
    with open(tmp_path / "a.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["output"] == "output_probability"]
    for row, wanted in zip(rows, reference(classifier)[1], strict=True):
        assert row["shape"] == "[1, 3]" and float(row["rms"]) == pytest.approx(numpy.sqrt((wanted**2).mean()), rel=1e-4)


def test_a_server_answers_labels_and_probabilities(neph, serve, classifier):
    with serve(classifier, "--engine", "onnxruntime", "--max-batch", 4) as served:
        given = {"name": "X", "shape": [3, 4], "datatype": "FP32", "data": FLOWERS.ravel().tolist()}
        address = f"http://{served.http}/v2/models/{classifier.stem}/infer"
        request = urllib.request.Request(address, json.dumps({"inputs": [given]}).encode())
        with urllib.request.urlopen(request, timeout=30) as reply:
            outputs = {each["name"]: each for each in json.load(reply)["outputs"]}
    labels, probabilities = reference(classifier)
    assert outputs["output_label"]["data"] == list(labels)
    assert outputs["output_probability"]["shape"] == [3, 3]
    assert numpy.allclose(numpy.reshape(outputs["output_probability"]["data"], (3, 3)), probabilities, atol=1e-5)


def test_openvino_which_has_no_maps_says_who_has(neph, classifier):
    said = neph("infer", classifier, *QUICK, code=None)
    assert said.returncode != 0 and len(said.stderr.strip().splitlines()) == 1
    assert "'output_probability' is no tensor" in said.stderr and "--engine onnxruntime" in said.stderr
