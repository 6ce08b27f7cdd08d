"""docs/EXAMPLE-PREDICTION.md: its five commands, run as they stand there but for a cheaper method, come to its conclusion."""

import csv
import json
import os
import re
import subprocess

import pytest
from paths import BUILD, REPOSITORY

DOCUMENT = (REPOSITORY / "docs/EXAMPLE-PREDICTION.md").read_text()
UNSEEN = REPOSITORY.parent / "shared/data/prediction/unseen-machine"
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


def test_a_machine_without_measurements_has_the_errors_that_are_shown(tmp_path):
    """Ours as the program gives them now, the published ones from their own table."""
    section = DOCUMENT.split("## A machine without measurements")[1]
    for file in ("neusight.train.csv", "neusight.test.csv"):
        (tmp_path / file).symlink_to(UNSEEN / file)
    environment = os.environ | {"PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}"}
    printed = [subprocess.run(["bash", "-ec", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
               for command in blocks(section, "sh")]  # fmt: skip
    (shown,) = blocks(section, "")
    assert {line for line in words_of(shown) if line != "..."} <= words_of(printed[1])
    asked = json.loads((tmp_path / "asked.json").read_text())["rows"]
    rows = list(csv.DictReader((UNSEEN / "neusight.published.csv").open()))
    assert [row["time_ms"] for row in rows] == [row["time_ms"] for row in csv.DictReader((UNSEEN / "neusight.test.csv").open())]
    assert all(row["low"] <= float(truth["time_ms"]) <= row["high"] for row, truth in zip(asked, rows))
    predicted = {"neph": [row["value"] for row in asked]}
    for name, column in {"NeuSight": "neusight_ms", "roofline": "roofline_ms", "regression": "regression_ms", "Habitat": "habitat_ms"}.items():
        predicted[name] = [float(row[column]) for row in rows]
    gpus = ("NVIDIA L4", "NVIDIA A100 80GB PCIe", "NVIDIA H100 80GB HBM3", "")
    for line in re.findall(r"^\| `?(\w+).*?((?:\| [\d.]+ ){4})\|$", section, re.M):
        errors = [[abs(value / float(row["time_ms"]) - 1) for value, row in zip(predicted[line[0]], rows) if gpu in ("", row["gpu"])]
                  for gpu in gpus]  # fmt: skip
        assert [float(cell) for cell in line[1].split("|")[1:]] == [round(100 * sum(each) / len(each), 1) for each in errors], line[0]
        del predicted[line[0]]
    assert not predicted
