"""docs/EXAMPLE-*.md: what ./dev examples makes of a document, and the commands of the study of trainings on an engine of known times."""

import importlib.util
import re
import shlex
from importlib.machinery import SourceFileLoader

import pytest
from cells import TRAINED
from paths import BUILD, REPOSITORY

TRAINING = (REPOSITORY / "docs/EXAMPLE-TRAINING.md").read_text()
STUDY = """repeat = 2
[train]
model = "known.identity"
engine = "identity"
data = "synth"
synth_samples = 1024
batch = [32, 64, 128, 256]
threads = [1, 2]
steps = 6
"""


@pytest.fixture(scope="module")
def examples():
    loader = SourceFileLoader("examples", str(REPOSITORY / "tools/examples"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("examples", loader))
    loader.exec_module(module)
    return module


def test_a_block_is_what_its_command_prints_now(examples, tmp_path):
    document = "One 2.50.\n\n```sh\n./dev image\nprintf 'name  1\\nb  2\\nc  3\\n'\n```\n\n```\nname  7\n...\nc  9\n```\n\n```sh\nfalse\n```\n"
    made = examples.with_outputs(document, tmp_path, BUILD)
    assert made == document.replace("name  7", "name  1").replace("c  9", "c  3"), "and what is behind the last output is not run"
    assert examples.with_outputs(document.replace("...\n", ""), tmp_path, BUILD).count("b  2\n") == 1
    assert examples.not_printed(made) == ["2.50"]
    with pytest.raises(SystemExit, match="no line printed begins with 'gone'"):
        examples.selected("...\ngone  4\n", "name  1\n")


@pytest.mark.parametrize("path", sorted((REPOSITORY / "docs").glob("EXAMPLE-*.md")), ids=lambda path: path.stem)
def test_the_commit_of_the_figures_stands_beside_them(examples, path):
    assert len(examples.COMMIT.findall(path.read_text())) == 1


def test_the_commands_of_the_study_are_neph_s_own(neph):
    options = 0
    for block in re.findall(r"^```sh\n(.*?)^```$", TRAINING, re.M | re.S):
        for line in block.splitlines():
            if not line.startswith("neph "):
                continue
            verb, help_ = line.split()[1], None
            for option in re.findall(r"(--[a-z-]+)", line.split("#")[0]):
                help_ = help_ or neph(verb, "--help").stdout
                assert re.search(rf"{option}\b", help_), line
                options += 1
    assert options > 5


def test_the_study_s_tables_have_the_shape_that_is_shown(neph):
    (neph.folder / "known.identity").write_text(f"service_ms = 1\nper_item_ms = 0.02\n[training]\nparallel = 0.5\n{TRAINED}")
    (neph.folder / "study.toml").write_text(STUDY)
    neph("run", "study.toml")
    (shown,) = re.findall(r"^neph validate .*$", TRAINING, re.M)
    printed = neph(*shlex.split(shown)[1:], "--method", "terms").stdout
    heading = next(line for line in TRAINING.splitlines() if line.startswith("Left out "))
    assert heading.split() == printed.splitlines()[0].split()
    assert printed.splitlines()[1].startswith("-> batch=128")
    numbers = neph("show").stdout.split("\ncell  configuration\n")[1].splitlines()
    assert [line.split()[:3] for line in numbers][:2] == [["0", "batch", "32,"], ["1", "batch", "32,"]] and len(numbers) == 8
