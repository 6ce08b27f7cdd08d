"""What `neph train` learns on libtorch is what PyTorch and Keras learn. Needs ./dev setup train; where it says so, ./dev setup
frameworks too, or another environment in $NEPH_FRAMEWORKS."""

import csv
import json
import os
import resource
import subprocess
from pathlib import Path

import numpy as np
import pytest
from frameworks import fashion_mnist
from paths import BUILD, REPOSITORY
from PIL import Image
from scipy import stats

FRAMEWORKS = Path(os.environ.get("NEPH_FRAMEWORKS", REPOSITORY / ".venv-frameworks")) / "bin/python"
SCRIPTS = Path(__file__).parent / "frameworks"

pytestmark = pytest.mark.skipif(
    not (BUILD / "bin/engines/neph-engine-torch.so").exists() or not (REPOSITORY / ".venv-train").exists(),
    reason="no libtorch in .venv-train; ./dev setup train",
)
with_frameworks = pytest.mark.skipif(not FRAMEWORKS.exists(), reason="no frameworks in .venv-frameworks; ./dev setup frameworks")


def in_framework(script, *arguments, cwd):
    done = subprocess.run([FRAMEWORKS, SCRIPTS / script, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return [float(line) for line in done.stdout.split()]


def figures(document):
    return [{name: figure["value"] for name, figure in cell["figures"].items()} for cell in document["cells"]]


def write_graph(file, folder):
    """An ONNX file as graph_in_pytorch.py reads it."""
    import onnx

    graph = onnx.load(file).graph
    rename = {graph.input[0].name: "input"}
    nodes = [
        {
            "operator": node.op_type,
            "inputs": [rename.get(name, name) for name in node.input],
            "output": node.output[0],
            "attributes": {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute if a.type != onnx.AttributeProto.STRING},
        }
        for node in graph.node
    ]
    (folder / "graph.json").write_text(json.dumps(nodes))
    np.savez(folder / "weights.npz", **{t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer})


@pytest.mark.slow
@with_frameworks
@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize(("network", "shape"), [("lenet5", (32, 32, 1)), ("resnet18", (64, 64, 3))])
def test_losses_follow_pytorchs(neph, network, shape, optimizer):
    """All examples are in each step, so that their order changes nothing: step after step the same network."""
    numbers = np.random.default_rng(7)
    pictures = numbers.integers(0, 256, (16, *shape), np.uint8)
    classes = numbers.integers(0, 10, 16)
    np.savez(neph.folder / "data.npz", x_train=pictures, y_train=classes, x_test=pictures, y_test=classes)
    neph("net", network, "--classes", 10, "--side", shape[0], "--onnx", "start.onnx")
    write_graph(neph.folder / "start.onnx", neph.folder)
    steps = 7
    wanted = in_framework("graph_in_pytorch.py", "graph.json", "weights.npz", "data.npz", optimizer, steps, cwd=neph.folder)
    rate = {"adam": 1e-3, "sgd": 1e-2}[optimizer]
    options = ("--data", "data.npz", "--batch", 16, "--optimizer", optimizer, "--learning-rate", rate, "--repeat", 1)
    cells = figures(neph.json("train", "start.onnx", *options, "--epochs", f"2..{steps}"))
    assert [cell["train_loss"] for cell in cells] == pytest.approx(wanted[1:], rel=2e-4)
    assert wanted[-1] < wanted[0]


SAMPLES = 12_000  # to learn: enough for 8 of 10


@pytest.fixture
def trained(neph):
    """Trains the small network on a fifth of Fashion-MNIST, writes NAME, and gives the test accuracy."""
    (pictures, classes), (test_pictures, test_classes) = fashion_mnist.read("train"), fashion_mnist.read("t10k")
    np.savez(
        neph.folder / "data.npz",
        x_train=pictures[:SAMPLES], y_train=classes[:SAMPLES], x_test=test_pictures, y_test=test_classes,
    )

    def train(name):
        (cell,) = figures(neph.json("train", "mnist-cnn", "--data", "data.npz", "--repeat", 1, "--save", name))
        assert cell["test_accuracy"] > 0.75
        return cell["test_accuracy"]

    return train


def test_a_trained_network_is_as_right_in_openvino(neph, trained):
    accuracy = trained("trained.onnx")
    (neph.folder / "pictures").mkdir()
    for number, (picture, label) in enumerate(zip(*fashion_mnist.read("t10k"))):
        Image.fromarray(picture).save(neph.folder / f"pictures/{number:05}_{label}.png")
    neph("infer", "trained.onnx", "--images", "pictures", "--min-file-bytes", 1, "--batch", 50, "--answers", "answers.csv", "--repeat", 1)
    with open(neph.folder / "answers.csv") as file:
        answers = [(row["class1"], Path(row["picture"]).stem[-1]) for row in csv.DictReader(file)]
    assert len(answers) == 10_000
    right = sum(answer == label for answer, label in answers) / len(answers)
    assert right == pytest.approx(accuracy, abs=2e-4), "two pictures may lie on a border between classes"


@pytest.mark.slow
@with_frameworks
def test_a_checkpoint_is_as_right_in_pytorch(neph, trained):
    accuracy = trained("trained.safetensors")
    (right,) = in_framework("mnist_cnn_pytorch.py", "load", "trained.safetensors", cwd=neph.folder)
    assert right == pytest.approx(accuracy, abs=2e-4)


def from_our_start(script):
    """The accuracies of a framework by seed, each from the weights that neph begins with: others' own begin worse here."""
    def learnt(neph, seed):
        import onnx

        neph("net", "mnist-cnn", "--seed", seed, "--onnx", f"start{seed}.onnx")
        stored = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(neph.folder / f"start{seed}.onnx").graph.initializer}
        np.savez(neph.folder / "start.npz", **{name: value for name, value in stored.items() if value.ndim > 0})
        return in_framework(*script, seed, 2, "start.npz", cwd=neph.folder)[-1]
    return learnt


@pytest.mark.slow
@with_frameworks
@pytest.mark.parametrize("learnt", [from_our_start(("mnist_cnn_pytorch.py", "learn")), from_our_start(("mnist_cnn_keras.py",))],
                         ids=["pytorch", "keras"])
def test_it_learns_as_well_as_others(neph, learnt):
    """Five seeds of two epochs of Fashion-MNIST each; the 95 % interval of the difference holds 0 (Welch)."""
    options = ("--data", "fashion-mnist", "--epochs", 2, "--train-seed", "1..5", "--repeat", 1)
    ours = [cell["test_accuracy"] for cell in figures(neph.json("train", "mnist-cnn", *options, timeout_s=3600))]
    theirs = [learnt(neph, seed) for seed in range(1, 6)]
    interval = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    assert interval.low <= 0 <= interval.high, (ours, theirs)


@pytest.mark.address_space
def test_a_network_that_does_not_fit_is_one_line(neph):
    """6 GiB of address space hold libtorch with its part for GPUs, and not a step of VGG-16 with 64 pictures; nobody knows of that limit before."""
    most = 6 << 30
    resource.prlimit(os.getpid(), resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    try:
        said = neph("train", "vgg16", "--data", "synth", "--batch", 64, "--steps", 5, "--repeat", 1, code=None)
    finally:
        resource.prlimit(os.getpid(), resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert said.returncode != 0
    (failure,) = neph.json("show", "1", code=None)["cells"][0]["failures"]
    assert "memory ran out" in failure and failure.endswith("use a smaller batch")
