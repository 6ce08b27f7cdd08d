"""./dev bench [ROW...]: measures the rows of the speed table, prints them, and keeps every sample in build/bench/.

The rows are those of the files *_rows.py beside this one; a ROW is the beginning of a name. Exit code 1 if a measured
row misses its goal.

./dev bench --against COMMIT [ROW...] also builds that commit, in build/against/, and measures each row's program against
the same program of it.
"""

import argparse
import datetime
import importlib
import json
import os
import platform
import random
import shutil
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

from frame import against, measure, table
from programs import with_build

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent


def all_rows():
    return [row for file in sorted(HERE.glob("*_rows.py")) for row in importlib.import_module(file.stem).rows()]


def circumstances(seed):
    """What one must know to read the samples later."""
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, cwd=REPOSITORY, capture_output=True, text=True).stdout if shutil.which("git") else ""
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    return {
        "commit": commit.strip() or None, "cpu": cpu or platform.machine(), "cpus": len(os.sched_getaffinity(0)),
        "kernel": platform.release(), "load_average": os.getloadavg(), "order_seed": seed,
    }


def record(outcome):
    return {
        "row": outcome.row.name, "against": outcome.row.against, "unit": outcome.row.unit,
        "goal": str(outcome.row.goal), "verdict": outcome.verdict, "missing": outcome.missing or None,
        "interval": outcome.interval and asdict(outcome.interval), "pairs": outcome.pairs,
    }


def say(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def main():
    options = argparse.ArgumentParser(prog="./dev bench", description="Measure the rows of the speed table.")
    options.add_argument("rows", nargs="*", metavar="ROW", help="only rows whose name begins so")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32), help="of the order in a pair")
    options.add_argument("--against", metavar="COMMIT", help="the programs of that commit are the reference")
    options.add_argument("--list", action="store_true", help="only the names")
    asked = options.parse_args()

    rows = [row for row in all_rows() if not asked.rows or row.name.startswith(tuple(asked.rows))]
    if not rows:
        options.error(f"no row begins with {' or '.join(asked.rows)}; --list shows them all")
    if asked.list:
        print("\n".join(row.name for row in rows))
        return 0
    if asked.against:
        other = partial(with_build, REPOSITORY / "build/against" / asked.against / "build/release")
        rows = [against(row, asked.against, other) for row in rows]

    order = random.Random(asked.seed)
    folder = REPOSITORY / "build/bench"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%dT%H%M%SZ}.jsonl"
    outcomes = []
    with open(file, "w") as lines:
        print(json.dumps(circumstances(asked.seed)), file=lines)
        for row in rows:
            outcomes.append(measure(row, order, lambda done, of: say(f"{row.name}: {done}/{of}")))
            print(json.dumps(record(outcomes[-1])), file=lines, flush=True)
    say("")
    print("\n".join(table(outcomes)), f"\nevery sample: {file.relative_to(REPOSITORY)}", sep="\n")
    return 1 if any(outcome.verdict.startswith("NOT") for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
