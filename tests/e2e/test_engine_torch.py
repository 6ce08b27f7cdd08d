"""`--engine torch` of `neph infer` and `serve`: a network compiled by PyTorch gives OpenVINO's answers, is compiled once, and
what cannot run is refused in a line. Needs ./dev setup train, or another environment with PyTorch in $NEPH_FRAMEWORKS."""

import csv
import json
import os
import re
import subprocess
import urllib.request
from pathlib import Path

import numpy
import pytest
from paths import REPOSITORY

ENVIRONMENT = Path(os.environ.get("NEPH_FRAMEWORKS", REPOSITORY / ".venv-train"))
ENGINE_PATH = ("--engine-path", ENVIRONMENT)
QUICK = ("--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.2)
UNSUPPORTED, CORRUPT, NOT_FOUND, RUN_FAILED = 8, 7, 3, 4  # exit codes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ENVIRONMENT / "bin/python").exists(), reason="no PyTorch in .venv-train; ./dev setup train"),
]

# As a user of torch exports a model of two inputs and two outputs, who has not heard of neph.
EXPORT_ANOTHER = """
import torch

class Other(torch.nn.Module):
    def forward(self, x, n):
        return (x * n[:, None]).T.contiguous().T, x.argmax(1)

rows = torch.export.Dim("rows")
program = torch.export.export(
    Other(), (torch.rand(3, 5), torch.ones(3, dtype=torch.int64)), dynamic_shapes={"x": {0: rows}, "n": {0: rows}}
)
torch._inductor.aoti_compile_and_package(program, package_path="other.pt2")
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache folder for all tests here: compiling takes a minute."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(neph, cache, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    def run(model, *options, **how):
        return neph("infer", model, *ENGINE_PATH, *QUICK, *options, **how)

    return run


@pytest.fixture
def package(run, cache):
    run("mnist-cnn", "--engine", "torch", "--count", 4)
    (found,) = (cache / "neph/models").glob("mnist-cnn*-torch*.pt2")
    return found


def refusal(run, *options, code):
    """The one line in which it is refused."""
    (said,) = run(*options, code=code).stderr.splitlines()
    return said


def scores(run, tmp_path, *options):
    answers = tmp_path / "answers.csv"
    run(*options, "--answers", answers)
    return {
        item: (classes[0::2], [float(score) for score in classes[1::2]])
        for item, *classes in (line.split(",") for line in sorted(answers.read_text().splitlines()[1:]))
    }


@pytest.mark.parametrize("batch", [1, 4, 64])
def test_it_answers_as_openvino_does(run, tmp_path, batch):
    numpy.savez(tmp_path / "in.npz", input=numpy.random.default_rng(1).random((128, 1, 28, 28), numpy.float32))
    given = "mnist-cnn", "--inputs", tmp_path / "in.npz", "--count", 128, "--batch", batch
    theirs = scores(run, tmp_path, *given, "--engine", "openvino")
    assert theirs
    for options in ((), ("--mode", "async", "--streams", 2, "--depth", 4), ("--threads", 1), ("--architecture", "local")):
        ours = scores(run, tmp_path, *given, "--engine", "torch", *options)
        assert ours.keys() == theirs.keys()
        for item, (classes, values) in theirs.items():
            assert ours[item][0] == classes and ours[item][1] == pytest.approx(values, abs=1e-4), (item, options)


def test_it_is_compiled_once_and_outside_of_the_measurement(neph, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    given = "infer", "mnist-cnn", *ENGINE_PATH, *QUICK, "--engine", "torch", "--side", 12, "--count", 4, "--precision", "bf16"
    first = neph(*given, "--json")
    (cell,) = json.loads(first.stdout)["cells"]
    assert sum(phase["value"] for phase in cell["phases"].values()) < 20, "compiling takes longer"
    assert re.search(r"compiling mnist-cnn\S* with PyTorch \S+ for cpu: about a minute, once", first.stderr)
    assert re.search(r"compiled in [\d.]+ \w+.*; kept as \S+-cpu-bf16-\S+\.pt2", first.stderr)
    (package,) = (tmp_path / "neph/models").glob("*.pt2")
    made = package.stat().st_mtime_ns
    assert "compil" not in neph(*given).stderr
    assert package.stat().st_mtime_ns == made
    facts = cell["facts"]
    assert facts["precision"] == "bf16" and facts["engine"].startswith("torch 2.") and facts["model_file"] == str(package)


def test_a_package_of_others_has_its_ports_from_its_wrapper(neph, run, tmp_path):
    subprocess.run([ENVIRONMENT / "bin/python", "-c", EXPORT_ANOTHER], cwd=tmp_path, check=True, capture_output=True)
    given = tmp_path / "other.pt2", "--engine", "torch", "--batch", 4, "--count", 4
    x_name, n_name = re.findall(r"(\w+) (?:f32 \[4, 5\]|i64 \[4\])", run(*given).stderr)
    x, n = numpy.random.default_rng(1).random((4, 5), numpy.float32), numpy.arange(4)
    numpy.savez(tmp_path / "in.npz", **{x_name: x, n_name: n})
    run(*given, "--inputs", tmp_path / "in.npz", "--answers", tmp_path / "answers.csv")
    scaled, classes = csv.DictReader((tmp_path / "answers.csv").read_text().splitlines())
    assert (scaled["type"], scaled["shape"]) == ("f32", "[4, 5]") and float(scaled["mean"]) == pytest.approx((x * n[:, None]).mean(), rel=1e-4)
    assert (classes["type"], classes["shape"]) == ("i64", "[4]") and float(classes["mean"]) == x.argmax(1).mean()


def test_a_network_is_served_by_its_name(run, package, serve):
    with serve("mnist-cnn", "--engine", "torch", "--max-batch", 4, *ENGINE_PATH) as served:
        with urllib.request.urlopen(f"http://{served.http}/v2/models/mnist-cnn") as reply:
            about = json.load(reply)
        assert about["platform"] == "torch_pt2"
        assert [port["shape"] for port in about["inputs"] + about["outputs"]] == [[-1, 1, 28, 28], [-1, 10]]
        run("mnist-cnn", "--architecture", "remote", "--server", f"http://{served.http}", "--batch", 3, "--count", 6)


def test_what_it_cannot_run_is_refused_in_a_line(run, package, small_model, tmp_path):
    torch = "--engine", "torch"
    said = refusal(run, small_model, *torch, code=UNSUPPORTED)
    assert "torch runs packages of AOTInductor (.pt2); --engine openvino and onnxruntime run .onnx" in said
    cut = tmp_path / "cut.pt2"
    cut.write_bytes(package.read_bytes()[:100_000])
    assert "it is not a whole package" in refusal(run, cut, *torch, code=CORRUPT)
    assert "unknown device 'tpu'" in refusal(run, package, *torch, "--device", "tpu", code=NOT_FOUND)
    said = run(package, *torch, "--precision", "bf16", code=RUN_FAILED).stderr
    assert "precision bf16: the package computes in f32; export it in the other, or use auto" in said
    said = run(package, *torch, "--shape", "input:1x1x30x30", code=RUN_FAILED).stderr
    assert "fixed in the file, and cannot be [1, 1, 30, 30] in torch" in said


def test_want_of_a_compiler_or_of_pytorch_is_told_in_a_line(neph, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
    monkeypatch.setenv("CXX", "/no/such/compiler")
    said = neph("infer", "mnist-cnn", *ENGINE_PATH, "--engine", "torch", code=None)
    (line,) = [each for each in said.stderr.splitlines() if each.startswith("neph: ")]
    assert said.returncode != 0 and "cannot compile the network for cpu: " in line and "compiler" in line
    assert not list((tmp_path / "cache/neph/models").glob("*.pt2"))


def test_the_time_of_layers_is_not_told(neph, package):
    said = neph("profile", package, *ENGINE_PATH, "--engine", "torch", code=None)
    assert said.returncode != 0 and len(said.stderr.splitlines()) == 1
