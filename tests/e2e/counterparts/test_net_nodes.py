"""`neph net` on ONNX's node tests: a shape that it tells is the one that the reference's outputs have.

Of each model two forms are read. In both no output says its shape, so that it must be derived. In the second all inputs
but the first are stored in the file, with the test's own numbers: so do exporters write axes, sizes, scales.
"""

import json
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import onnx
import pytest
from counterparts import onnx_nodes
from paths import BUILD

RIGHT_OF_INPUTS, RIGHT_OF_STORED = 1300, 1525  # no fewer of the 1,615


def reference_shapes(folder, graph):
    """None: no tensor."""
    tensor = lambda i: onnx.TensorProto.FromString((folder / f"test_data_set_0/output_{i}.pb").read_bytes())  # noqa: E731
    return [list(tensor(i).dims) if output.type.HasField("tensor_type") else None for i, output in enumerate(graph.output)]


def without_shapes(graph):
    del graph.value_info[:]
    for output in graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")


def store_inputs(folder, graph):
    """All but the first, with the numbers of the test."""
    first, kept = graph.input[0] if graph.input else None, []
    for i, value in enumerate(graph.input):
        if value is first or not value.type.HasField("tensor_type"):
            kept.append(value)
            continue
        tensor = onnx.TensorProto.FromString((folder / f"test_data_set_0/input_{i}.pb").read_bytes())
        tensor.name = value.name
        graph.initializer.append(tensor)
    del graph.input[:]
    graph.input.extend(kept)


def compared(expected, told):
    """"wrong" where they contradict each other, "unknown" where one is not told, else "right"."""
    for shape, other in zip(expected, told, strict=True):
        if shape is None or other is None:
            continue
        if len(shape) != len(other) or any(b not in (-1, a) for a, b in zip(shape, other)):
            return "wrong"
    known = all(other is not None and -1 not in other for other in told)
    return "right" if known else "unknown"


def outcome(folder, stored, path):
    model = onnx.load(folder / "model.onnx")
    expected = reference_shapes(folder, model.graph)
    without_shapes(model.graph)
    if stored:
        store_inputs(folder, model.graph)
    path.write_bytes(model.SerializeToString())
    done = subprocess.run([BUILD / "bin/neph", "net", path, "--json"], capture_output=True, text=True)
    if done.returncode:
        return f"refused: {done.stderr.strip()}"
    return compared(expected, [output["shape"] for output in json.loads(done.stdout)["outputs"]])


@pytest.mark.slow
@pytest.mark.parametrize(("stored", "least"), [(False, RIGHT_OF_INPUTS), (True, RIGHT_OF_STORED)], ids=["inputs", "stored"])
def test_shapes_are_right_or_said_to_be_unknown(tmp_path, stored, least):
    folders = sorted(onnx_nodes.FOLDER.iterdir())
    assert len(folders) == 1615
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda folder: outcome(folder, stored, tmp_path / f"{folder.name}.onnx"), folders))
    others = {folder.name: how for folder, how in zip(folders, outcomes) if how not in ("right", "unknown")}
    assert others == {}
    assert Counter(outcomes)["right"] >= least
