"""lattuada_reference.py TABLE MOST PENALTY FOLDS.json: what lattuada_rate_bench does, with scikit-learn and mlxtend.

From the file of the AWS table to predictions of its own points; prints seconds (without Python's start and imports),
features and error as JSON. FOLDS.json: the fold of each point, in the order of their first rows.
"""

import csv
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src/predict"))
import literature  # noqa: E402

NUMBERS, CATEGORIES = ("dataset", "batchsize"), ("instance_name", "model")


def points_of(path):
    """Medians of the rows that agree in all features."""
    repeats = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = tuple(row[name] for name in NUMBERS + CATEGORIES)
            repeats.setdefault(key, []).append(float(row["batch_latency"]))
    return list(repeats), np.array([statistics.median(times) for times in repeats.values()])


def text_of(feature, names):
    """As feature_text of feature.hpp writes it."""
    powers, _, levels = feature

    def factors(sign):
        sizes = [(NUMBERS[q], power * sign) for q, power in enumerate(powers) if power * sign > 0]
        return [name if size == 1 else f"{name}^{size}" for name, size in sizes]

    above, below = factors(1), factors(-1)
    asked = [f"[{CATEGORIES[c]} is {names[c][level]}]" for c, level in enumerate(levels) if level >= 0]
    fraction = [" / ".join([" * ".join(above) or "1", *below])] if above or below else []
    return " * ".join(fraction + asked)


def main():
    table, most, penalty, folds = sys.argv[1:]
    folds = json.loads(Path(folds).read_text())
    begin = time.perf_counter()
    points, times = points_of(table)
    quantities = np.array([[float(point[0].removesuffix("dataset")), float(point[1])] for point in points])
    names = [list(dict.fromkeys(point[2 + c] for point in points)) for c in range(2)]
    levels = np.array([[names[c].index(point[2 + c]) for c in range(2)] for point in points])
    features, columns = literature.products_up_to(2, quantities, np.zeros((len(points), 0)), levels)
    kept = literature.distinct(columns)
    columns = columns[:, kept]
    _, chosen, model = literature.lattuada(columns, times, folds, [float(penalty)], int(most))
    predicted = np.maximum(model.predict(columns[:, chosen]), times.min())
    seconds = time.perf_counter() - begin
    print(json.dumps({"seconds": seconds, "features": [text_of(features[kept[j]], names) for j in chosen],
                      "percent_error": 100 * np.abs(predicted / times - 1).mean()}))


if __name__ == "__main__":
    main()
