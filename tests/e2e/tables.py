"""Tables that tests make."""

import csv
import itertools
import random


def write_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def true_ms(batch, layers, machine):
    return (2 + 0.1 * batch * layers) / {"slow": 1, "fast": 3}[machine]


def known_runs():
    """Three runs of each point, 1 % of noise, a column that only counts the runs."""
    draw = random.Random(1)
    return [
        {"run": run, "batch": batch, "layers": layers, "machine": machine,
         "step (ms)": true_ms(batch, layers, machine) * draw.lognormvariate(0, 0.01)}
        for run, batch, layers, machine in itertools.product("abc", (1, 2, 4, 8, 16, 32), (4, 6, 8, 12), ("slow", "fast"))
    ]  # fmt: skip


def asked(neph, *rows):
    write_csv(neph.folder / "ask.csv", [dict(zip(("batch", "layers", "machine"), row)) for row in rows])
    return neph.json("predict", "model.json", "ask.csv")["rows"]
