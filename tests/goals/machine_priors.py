"""./dev goals machines: the priors of the law of machines beside what public tables make of them, and what they are worth.

Each table's spreads are estimated with priors widened threefold. Errors are of machines left out (of NeuSight: its test table),
with the priors as they are and widened threefold.
"""

import csv
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = REPOSITORY / "build/release/bin/machine_law_bench"
TABLES = REPOSITORY / "tests/goals/machines"
SHARED = REPOSITORY.parent / "shared/data/prediction"
SOURCES = {
    "gavel": (TABLES / "gavel_train_steps.csv", "seconds_per_step", "gpu"),
    "mpt": (TABLES / "mpt_llm_train.csv", "step_time_s", "gpu"),
    "diffusion": (TABLES / "lambda_stable_diffusion.csv", "latency_s", "device"),
    "vidur": (TABLES / "vidur_ops.csv", "time_ms", "device"),
    "aiconfigurator": (TABLES / "aiconfigurator_gemm.csv", "latency_ms", "device"),
    "deepbench": (TABLES / "deepbench_rnn.csv", "time_ms", "gpu"),
    "timm": (TABLES / "timm_infer.csv", "step_time_ms", "device"),
    "aws": (SHARED / "profet-aws-training.csv", "batch_latency", "instance_name"),
}  # fmt: skip
NEUSIGHT = SHARED / "unseen-machine/neusight.train.csv", SHARED / "unseen-machine/neusight.test.csv"


def law(table, target, machine, width=1, asked=None):
    words = [PROGRAM, str(width), target, machine, table] + ([asked] if asked else [])
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def row(name, parts):
    """Means over machines, and the median width."""
    error, inside = (100 * statistics.mean(part[key] for part in parts) for key in ("error", "inside"))
    return f"{name:<32} {error:>7.1f} % {inside:>6.0f} % {statistics.median(part['width'] for part in parts):>7.2f}"


def without(table, machine, gpu, folder):
    rows = list(csv.DictReader(table.open(encoding="utf-8-sig")))
    path = Path(folder) / "less.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(each for each in rows if each[machine] != gpu)
    return path


def main():
    print("Spreads by table, their medians, and the medians without each table:")
    found = {name: law(*source, width=3)["spreads"] for name, source in SOURCES.items()}
    keys = list(next(iter(found.values())))
    print(f"{'':<32} " + " ".join(f"{key:>12}" for key in keys))
    medians = {f"without {left}": {key: statistics.median(found[name][key] for name in found if name != left) for key in keys} for left in found}
    all_of_them = {"median": {key: statistics.median(each[key] for each in found.values()) for key in keys}}
    for name, each in {**found, **all_of_them, **medians}.items():
        print(f"{name:<32} " + " ".join(f"{each[key]:>12.2f}" for key in keys))
    for width in (1, 3):
        print(f"\nMachines left out, priors {'as they are' if width == 1 else 'widened threefold'}:\n{'':<32} {'error':>9} {'inside':>8} {'width':>7}")
        for name, source in SOURCES.items():
            print(row(name, law(*source, width=width)["parts"]), flush=True)
        print(row("neusight, its test table", law(NEUSIGHT[0], "time_ms", "gpu", width, NEUSIGHT[1])["parts"]))
        with tempfile.TemporaryDirectory() as folder:
            for gpu in sorted({each["gpu"] for each in csv.DictReader(NEUSIGHT[0].open(encoding="utf-8-sig"))}):
                less = without(NEUSIGHT[0], "gpu", gpu, folder)
                print(row(f"  without {gpu}", law(less, "time_ms", "gpu", width, NEUSIGHT[1])["parts"]), flush=True)
