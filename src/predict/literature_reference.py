"""Random tables with what the literature's methods make of them, as one JSON document on stdout.

literature_reference_test.cpp runs this and holds the module's own methods against it.
"""
import json
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # thousands of tiny regressions: threads only wait for each other

import literature  # noqa: E402
import numpy as np  # noqa: E402
from scipy import optimize  # noqa: E402

random = np.random.default_rng(20261122)


def table(rows, most_quantities=3, most_categories=2):
    """A time of quantities, other numbers and categories, with noise."""
    quantities = 2.0 ** random.integers(0, 7, (rows, random.integers(1, most_quantities + 1))) * 10 ** random.uniform(-3, 3)
    plain = random.normal(size=(rows, random.integers(0, 2)))
    categories = random.integers(0, most_categories + 1)
    levels = np.zeros((rows, categories), int)
    for c in range(categories):
        levels[:, c] = random.integers(0, random.integers(2, 4), rows)
    time = 1 + quantities[:, 0] / np.median(quantities[:, 0]) + np.median(quantities[:, -1]) / quantities[:, -1]
    time = time * (1 + levels.sum(1)) * (1 + 0.2 * np.exp(plain.sum(1))) * random.lognormal(0, 0.1, rows)
    inputs = {"quantities": quantities.tolist(), "plain": plain.tolist(), "levels": levels.tolist()}
    features, columns = literature.products_up_to(2, quantities, plain, levels)
    return inputs | {"rows": int(rows), "target": time.tolist()}, features, columns, time


def lattuada_case():
    rows, new, most, penalties = random.integers(30, 80), 5, 4, [3.0, 0.1][: random.integers(1, 3)]
    said, features, columns, time = table(rows + new, 2, 1)
    folds = random.permutation(rows) % 3
    kept = literature.distinct(columns[:rows])
    selection, chosen, model = literature.lattuada(columns[:rows][:, kept], time[:rows], folds, penalties, most)
    return said | {"kind": "lattuada", "rows": int(rows), "folds": folds.tolist(), "most": most, "penalties": penalties,
                   "distinct": [features[j] for j in kept], "chosen": [features[kept[j]] for j in chosen],
                   "scores": [-selection.subsets_[k]["avg_score"] for k in sorted(selection.subsets_)],
                   "predicted": model.predict(columns[:, kept][:, chosen]).tolist()}


def stepwise_case():
    rows = random.integers(15, 80)
    said, features, columns, time = table(rows)
    kept = literature.distinct(columns)
    chosen = literature.stepwise(columns[:, kept] / np.abs(columns[:, kept]).max(0), time)
    return said | {"kind": "stepwise", "chosen": [features[kept[j]] for j in chosen]}


def sum_case():
    """Non-negative least squares of 1 and all features."""
    said, _, columns, time = table(random.integers(10, 80))
    columns = np.column_stack([np.ones(len(time)), columns])
    _, residual = optimize.nnls(columns / np.linalg.norm(columns, axis=0).clip(1e-300), time, maxiter=100_000)
    return said | {"kind": "sum", "residual": residual}


print(json.dumps([make() for make, count in ((lattuada_case, 6), (stepwise_case, 20), (sum_case, 60))
                  for _ in range(count)]))
