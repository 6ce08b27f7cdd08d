"""neph serves ONNX's node tests with default options: what the engine alone gets right, the server gets right."""

import re

import pytest
from counterparts import onnx_nodes, served_nodes
from paths import REPOSITORY


@pytest.fixture(scope="module", params=["openvino", "onnxruntime"])
def engine(request):
    return request.param


@pytest.fixture(scope="module")
def outcomes(engine, tmp_path_factory):
    """By name: "right", "wrong", or why it was refused."""
    return served_nodes.outcomes_over_http(engine, onnx_nodes.all_tests(), tmp_path_factory.mktemp("nodes"))


def test_what_the_engine_gets_right_is_served_right(engine, outcomes):
    missed = [test for test in onnx_nodes.all_tests() if outcomes[test.name] != "right"]
    assert served_nodes.right_alone(engine, missed) == []


def test_no_fewer_are_right_than_the_documents_say(engine, outcomes):
    assert len(list(onnx_nodes.FOLDER.iterdir())) == 1615
    text = (REPOSITORY / "docs/PROTOCOL.md").read_text()
    said = re.search(rf"of ONNX's 1,615 node tests ([\d,]+) are served right with {engine}", text.replace("\n", " "))
    assert list(outcomes.values()).count("right") >= int(said[1].replace(",", ""))
    assert "the server ended" not in outcomes.values()
