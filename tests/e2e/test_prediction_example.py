"""docs/EXAMPLE-PREDICTION.md: its five commands, run as they stand there but for a cheaper method, come to its conclusion."""

import json
import os
import re
import subprocess

import pytest
from paths import BUILD, REPOSITORY

DOCUMENT = (REPOSITORY / "docs/EXAMPLE-PREDICTION.md").read_text()
TABLE = REPOSITORY.parent / "shared/data/prediction/profet-aws-training.csv"
STEP = re.compile(r"^## \d\.(.*?)(?=^## )", re.M | re.S)
CHEAPER = " --method terms"  # seconds where `auto` takes minutes


def blocks(text, language):
    return [block for name, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S) if name == language]


def words_of(text):
    return {" ".join(line.split()) for line in text.splitlines()}


def headings(text):
    return {line for line in words_of(text) if line.startswith(("column ", "where ", "Left out ", "instance_name "))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the commands have been run; what each printed is in a file of its number."""
    folder = tmp_path_factory.mktemp("example")
    (folder / TABLE.name).symlink_to(TABLE)
    for number, step in enumerate(STEP.findall(DOCUMENT), 1):
        (command,) = blocks(step, "sh")
        if command.startswith(("neph fit", "neph validate")):
            command = command.rstrip() + CHEAPER
        environment = os.environ | {"PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        (folder / f"{number}.txt").write_text(done.stdout)
    return folder


def test_there_are_five_commands_and_they_print_what_is_shown(folder):
    steps = STEP.findall(DOCUMENT)
    assert len(steps) == 5
    for number, step in enumerate(steps, 1):
        printed = (folder / f"{number}.txt").read_text()
        for shown in blocks(step, ""):
            assert headings(shown) and headings(shown) <= words_of(printed)
    (survey, *_) = blocks(steps[0], "")[0].split("...")
    assert words_of(survey) <= words_of((folder / "1.txt").read_text()), "what the table is, no method changes"


def test_the_conclusion_is_the_documents(folder):
    command = [BUILD / "bin/neph", "predict", "model.json", "candidates.csv", "--json"]
    rows = json.loads(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)["rows"]
    machines = [line.split(",")[0] for line in (folder / "candidates.csv").read_text().splitlines()[1:]]
    ranked = sorted(zip(rows, machines), key=lambda each: each[0]["value"])
    conclusion = DOCUMENT.split("## What to conclude")[1]
    assert [machine for _, machine in ranked] == re.findall(r"(?:g3s|g4dn|p2|p3)\.\w+", conclusion)[:4]
    assert f"Fastest: **{ranked[0][1]}**" in conclusion
    assert ranked[0][0]["high"] < ranked[1][0]["low"], "the first two do not overlap"
    assert not any(row["extrapolates"] for row in rows)
