"""`neph fit --method lattuada` and its neighbours: what the literature does, on public tables and on a law of its own."""

import csv
import itertools
import json
import statistics

import pytest
from paths import REPOSITORY

TABLES = REPOSITORY.parent / "shared/data/prediction"
NETWORKS = ("--network", "model", "--variants", "profet", "--side", "dataset", "--machine", "instance_name")
METHODS = ("lattuada", "nnls", "stepwise", "ernest")


def write_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def errors(neph, table, target, method, *options):
    """Of every third row, by what was fitted to the others."""
    with table.open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    write_csv(neph.folder / "known.csv", [row for i, row in enumerate(rows) if i % 3])
    asked = rows[::3]
    write_csv(neph.folder / "asked.csv", [{name: cell for name, cell in row.items() if name != target} for row in asked])
    neph("fit", "known.csv", "--target", target, "--method", method, "--force", *options)
    predicted = neph.json("predict", "model.json", "asked.csv")["rows"]
    return [abs(row["value"] / float(true[target]) - 1) for row, true in zip(predicted, asked)]


@pytest.mark.parametrize("method", METHODS)
def test_transformers_on_many_gpus(neph, method):
    """109 rows; the literature reports errors of about 11 %."""
    assert statistics.median(errors(neph, TABLES / "vtrain-multi.csv", "iteration time (ms)", method)) < 0.11


@pytest.mark.parametrize("method", ["lattuada", "stepwise"])
def test_transformers_on_few_gpus(neph, method):
    """1,440 rows of eleven columns, whose times are products of more of them than two."""
    assert statistics.mean(errors(neph, TABLES / "vtrain-single.csv", "iteration time (ms)", method)) < 0.2


@pytest.mark.parametrize("method", METHODS)
def test_networks_on_rented_machines(neph, method):
    """One repeat of each point: what their layers ask for is among the features."""
    with (TABLES / "profet-aws-training.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row.pop("exp_name") == "exp01" and row.pop("epoch_latency")]
    write_csv(neph.folder / "first.csv", rows)
    assert statistics.median(errors(neph, neph.folder / "first.csv", "batch_latency", method, *NETWORKS)) < 0.3


@pytest.mark.parametrize("method", METHODS)
def test_a_law_of_data_and_machines_in_the_same_file_each_time(neph, method):
    """Ernest's own: work that is shared, and something for each machine."""
    def seconds(data, machines):
        return 5 + 3 * data / machines + 0.5 * machines

    sizes = itertools.product((1, 2, 4, 8, 16), (1, 2, 4, 8, 16))
    write_csv(neph.folder / "runs.csv", [{"data": data, "machines": n, "t": seconds(data, n)} for data, n in sizes])
    neph("fit", "runs.csv", "--target", "t", "--method", method)
    first = (neph.folder / "model.json").read_bytes()
    neph("fit", "runs.csv", "--target", "t", "--method", method, "--out", "again.json")
    assert (neph.folder / "again.json").read_bytes() == first
    write_csv(neph.folder / "ask.csv", [{"data": 12, "machines": 3}, {"data": 16, "machines": 32}])
    inside, beyond = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert inside["value"] == pytest.approx(seconds(12, 3), rel=0.05)
    assert beyond["value"] == pytest.approx(seconds(16, 32), rel=0.15)
    assert beyond["extrapolates"]


def test_auto_tries_none_of_them(neph):
    write_csv(neph.folder / "runs.csv", [{"n": n, "t": 1 + n} for n in range(1, 20)])
    neph("fit", "runs.csv", "--target", "t")
    tried = {spec["backbone"] for spec in json.loads((neph.folder / "model.json").read_text())["specs"]}
    assert tried and not tried & set(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_odd_is_no_trouble(neph, method):
    """Numbers of any size, empty cells, and a category with more levels than features can be made of."""
    for text in (
        "a,t\n1e308,1\n1e-308,2\n1,3\n2,4\n3,1e308\n4,1e-300\n",
        "a,b,t\n1,,1\n2,3,2\n3,,4\n-1,2,2\n0,,7\n5,1,9\n",
        "k,x,t\n" + "".join(f"level{i // 2},{i % 7 + 1},{i % 7 + 1}\n" for i in range(1000)),
    ):
        (neph.folder / "runs.csv").write_text(text)
        neph("fit", "runs.csv", "--target", "t", "--method", method, "--force")
        assert all(row["value"] > 0 for row in neph.json("predict", "model.json", "runs.csv")["rows"])
