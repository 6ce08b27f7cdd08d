"""./dev goals [GOAL...]: how well `neph validate` predicts fixed splits of the shared tables, goal by goal and method by method.

Nothing is tuned here: each goal is a command line, a part of what it prints, and the error that must not be exceeded. Exit code 1
if `auto` misses one. Everything that was printed is kept in build/goals/.
"""

import argparse
import json
import math
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import machine_priors
import megatron

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = REPOSITORY / "build/release/bin/neph"
DATA = REPOSITORY.parent / "shared/data/prediction"
KEPT = REPOSITORY / "build/goals"
METHODS = ["auto", "process", "trees", "log-linear"]
LOOKING_AT_TERMS = ["auto", "terms"]

AWS = ["profet-aws-training.csv", "--target", "batch_latency", "--network", "model", "--variants", "profet", "--side", "dataset",
       "--batch", "batchsize", "--machine", "instance_name"]  # fmt: skip
SINGLE = ["vtrain-single.csv", "--target", "iteration time"]
MULTI = ["vtrain-multi.csv", "--target", "iteration time"]
SPLITS = {
    "layers": "# layers<=20 -> # layers=24", "batch": "global batch<=32 -> global batch>32", "gpus": "# GPUs<=4 -> # GPUs=8",
    "micro": "micro batch<=4 -> micro batch=8", "hidden": "hidden size<=1024 -> hidden size=2048",
    "tensor": "tensor parallelism<=4 -> tensor parallelism=8",
}  # fmt: skip
LARGER = {"gpus": "# GPUs<=256 -> # GPUs=512", "size": "Parameters<=40 -> Parameters>40"}

INTERVAL_COVERAGE, INTERVAL_FACTOR, SPLITS_THAT_COVER = 0.88, 1.45, 16
MOST_FLAGGED_INSIDE = 0.05


@dataclass
class Goal:
    name: str
    table: list
    how: list  # options of `neph validate`
    most_percent: float
    terms: list = field(default_factory=list)  # further options, for methods that look at them
    part: str = ""  # only splits whose name has this in it
    by_split: bool = False  # the mean of the splits' errors instead of the rows'


GOALS = [
    Goal("aws-folds", AWS, ["--folds", "5"], 3),
    Goal("aws-batch", AWS, ["--split", "batchsize<=64 -> batchsize>64"], 6),
    Goal("aws-side", AWS, ["--split", "dataset<=128 -> dataset>128"], 9),
    Goal("aws-network", AWS, ["--leave-out", "model"], 10.5, by_split=True),
    Goal("aws-vgg19", AWS, ["--leave-out", "model"], 2.5, part="VGG19"),
    Goal("aws-resnet50", AWS, ["--leave-out", "model"], 12.5, part="ResNet50"),
    *(Goal(f"aws-machine-{keep}", AWS, ["--leave-out", "instance_name", "--keep", keep, "--draws", "2"], most, by_split=True)
      for keep, most in (("1", 13.5), ("5", 11.5), ("10", 10.5), ("20", 8))),
    *(Goal(f"aws-rows-{rows}", AWS, ["--sample", rows, "--draws", "2"], most, by_split=True)
      for rows, most in (("40", 21), ("80", 14), ("160", 8), ("320", 6))),
    Goal("single-folds", SINGLE, ["--folds", "5"], 0.3),
    *(Goal(f"single-{name}", SINGLE, ["--split", SPLITS[name]], most) for name, most in
      (("layers", 0.3), ("batch", 1), ("gpus", 10), ("micro", 20), ("hidden", 20), ("tensor", 19))),
    *(Goal(f"multi-{name}", MULTI, ["--split", LARGER[name]], most) for name, most in (("gpus", 26), ("size", 42))),
    Goal("terms-folds", SINGLE, ["--folds", "5"], 0.3, megatron.WITHIN_A_NODE),
    *(Goal(f"terms-{name}", SINGLE, ["--split", SPLITS[name]], most, megatron.WITHIN_A_NODE) for name, most in
      (("layers", 0.3), ("batch", 0.5), ("gpus", 5), ("micro", 6), ("hidden", 9), ("tensor", 17))),
    *(Goal(f"terms-multi-{name}", MULTI, ["--split", LARGER[name]], most, megatron.ACROSS_NODES)
      for name, most in (("gpus", 7), ("size", 10))),
]  # fmt: skip


def validated(goal, method):
    """What `neph validate` says, and the seconds it took; one run serves all goals of the same command line."""
    words = [str(PROGRAM), "validate", str(DATA / goal.table[0]), *goal.table[1:], *goal.how, "--method", method]
    if method in LOOKING_AT_TERMS:
        words += goal.terms
    file = KEPT / f"{goal.name}-{method}.json"
    if tuple(words) in validated.known:
        return validated.known[tuple(words)]
    begin = time.monotonic()
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    file.write_text(done.stdout)
    validated.known[tuple(words)] = json.loads(done.stdout), time.monotonic() - begin
    return validated.known[tuple(words)]


validated.known = {}


def score_of(goal, report):
    """Error, coverage and half width of the goal's part of the splits."""
    judged = report["methods"][0]
    splits = [each["score"] for each in judged["splits"] if goal.part in each["left_out"]]
    if not goal.by_split and not goal.part:
        splits = [judged["score"]]
    if any(split["mean"] is None for split in splits):
        sys.exit(f"{goal.name}: all rows of a split were refused")
    scores = {"mean": sum(split["mean"] for split in splits) / len(splits)}
    for key in ("coverage", "half_width"):  # null: no part of the table could be left out as this one is
        known = [split[key] for split in splits if split[key] is not None]
        scores[key] = sum(known) / len(known) if known else math.nan
    return scores


def range_of(values, fitted):
    """Whether a value is a level, or within the range, of those of the points that were fitted on."""
    known = {values[point] for point in fitted}
    if any(isinstance(value, str) for value in known):
        return lambda value: value in known
    numbers = known - {None}
    return lambda value: value is None or min(numbers) <= value <= max(numbers)


def flagged_shares(goal, report):
    """Of the rows within the range of what was fitted on (all that was not left out), and of those beyond; None: there are none."""
    judged, columns = report["methods"][0], [column["values"] for column in report["features"]]
    flags = {True: [], False: []}
    for place, split in enumerate(judged["splits"]):
        if goal.part not in split["left_out"]:
            continue
        rows = [row for row in judged["rows"] if row["split"] == place]
        fitted = set(range(len(columns[0]))) - {row["point"] for row in rows}
        ranges = [range_of(values, fitted) for values in columns]
        for row in rows:
            is_inside = all(holds(values[row["point"]]) for holds, values in zip(ranges, columns))
            flags[is_inside].append(row["extrapolates"])
    return [sum(each) / len(each) if each else None for each in (flags[True], flags[False])]


def share(number):
    return "-" if number is None else f"{number:.2f}"


def main():
    options = argparse.ArgumentParser(prog="./dev goals", description="Errors of predictions on fixed splits, goal by goal, "
                                      "and the flagged shares of rows within the range of what was fitted on and of those beyond.")  # fmt: skip
    options.add_argument("goals", nargs="*", metavar="GOAL", help="only goals whose name begins so; machines: the priors of the law of machines, and what they are worth")
    options.add_argument("--methods", default=",".join(METHODS), help="with commas between; auto is the one that must hold")
    asked = options.parse_args()
    if asked.goals == ["machines"]:
        return machine_priors.main()
    wanted = [goal for goal in GOALS if not asked.goals or goal.name.startswith(tuple(asked.goals))]
    KEPT.mkdir(parents=True, exist_ok=True)
    methods = asked.methods.split(",")
    print(f"{'goal':<16} {'at most':>8} " + "".join(f"{method:>9}" for method in methods) + f" {'covered':>8} {'width':>6} {'flagged':>8} {'beyond':>7} {'s':>6}")
    missed, covering = [], 0
    for goal in wanted:
        runs = [validated(goal, method) for method in methods]
        scores = [score_of(goal, report) for report, _ in runs]
        first, (inside, beyond) = scores[0], flagged_shares(goal, runs[0][0])
        covers = first["coverage"] >= INTERVAL_COVERAGE and first["half_width"] <= INTERVAL_FACTOR
        covering += covers
        met = 100 * first["mean"] <= goal.most_percent
        flags = (inside or 0) <= MOST_FLAGGED_INSIDE and beyond in (1, None)
        missed += [] if met and flags else [goal.name]
        print(f"{goal.name:<16} {goal.most_percent:>6} % " + "".join(f"{100 * score['mean']:>7.2f} %" for score in scores)
              + f" {first['coverage']:>8.2f} {first['half_width']:>6.2f} {share(inside):>8} {share(beyond):>7} {runs[0][1]:>6.0f}"
              + ("" if met else "  missed") + ("" if covers else "  interval") + ("" if flags else "  flags"), flush=True)  # fmt: skip
    print(f"{len(wanted) - len(missed)} of {len(wanted)} goals are met; intervals hold on {covering} (goal: {SPLITS_THAT_COVER} of all {len(GOALS)})")
    sys.exit(1 if missed else 0)


main()
