"""How long it takes to learn from a public table, and to answer for a hundred thousand rows."""

import csv
import random
import tempfile
import time
from functools import cache, partial
from pathlib import Path

from frame import Goal, Row, Unavailable
from programs import REPOSITORY, output_of, program

TABLES = REPOSITORY.parent / "shared/data/prediction"
ASKED = 100_000
NETWORKS = ("--target", "batch_latency", "--network", "model", "--side", "dataset", "--machine", "instance_name",
            "--variants", "profet")  # fmt: skip


def table(name):
    path = TABLES / name
    if not path.is_file():
        raise Unavailable(f"no table {path}")
    return path


def seconds_of(*command):
    begin = time.monotonic()
    output_of(*command)
    return time.monotonic() - begin


def fit_s(name, *options):
    with tempfile.TemporaryDirectory() as folder:
        return seconds_of(program("neph"), "fit", table(name), *options, "--out", f"{folder}/model.json")


@cache
def asked():
    """A folder with what `auto` learns from the table of networks, and rows inside its range with batches of any size."""
    folder = tempfile.TemporaryDirectory()
    fitted_to = table("profet-aws-training.csv")
    with fitted_to.open() as file:
        measured = list(csv.DictReader(file))
    varied = ("model", "dataset", "optimizer")
    networks = sorted({tuple(row[name] for name in varied) for row in measured})
    machines = sorted({row["instance_name"] for row in measured})
    draw = random.Random(1)
    with open(f"{folder.name}/rows.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*varied, "instance_name", "batchsize"))
        writer.writerows((*draw.choice(networks), draw.choice(machines), draw.randint(16, 256)) for _ in range(ASKED))
    output_of(program("neph"), "fit", fitted_to, *NETWORKS, "--out", f"{folder.name}/model.json")
    return folder


def predict_s():
    """From the start of the program to the end of a JSON file with values, intervals and nearest points."""
    folder = Path(asked().name)
    command = [program("neph"), "predict", folder / "model.json", folder / "rows.csv", "--json"]
    return seconds_of("sh", "-c", '"$@" >"$0"', folder / "answers.json", *command)


def rows():
    at_most = partial(Goal, at_least=False)
    return [
        Row("predict-100k", "neph predict --json, 100,000 rows, auto's blend of 1,304 points", "", at_most(0.7), predict_s,
            unit="s"),
        Row("fit-process", "neph fit --method process, 1,440 rows", "", at_most(5),
            partial(fit_s, "vtrain-single.csv", "--target", "iteration time", "--method", "process"), unit="s", rounds=7),
        Row("fit-single", "neph fit, 1,440 rows", "", at_most(5),
            partial(fit_s, "vtrain-single.csv", "--target", "iteration time"), unit="s", rounds=7),
        Row("fit-auto", "neph fit, 11,736 rows of 1,304 points, networks known", "", at_most(60),
            partial(fit_s, "profet-aws-training.csv", *NETWORKS), unit="s", rounds=7),
    ]
