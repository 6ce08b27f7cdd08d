"""A training of a few seconds without any framework, for `neph train -- python3 train.py`: docs/EVENTS.md has the events."""

import json
import os
import random


def event(**fields):
    """One line into neph's pipe; without neph there is none."""
    if pipe := os.environ.get("NEPH_EVENTS"):
        with open(pipe, "w") as lines:
            lines.write(json.dumps(fields) + "\n")


random.seed(1)
rows = [[random.gauss(0, 1) for _ in range(8)] for _ in range(4096)]
labels = [float(sum(row[:4]) > sum(row[4:])) for row in rows]
weights = [0.0] * 8
event(event="value", name="samples_per_step", value=64)
for step in range(200):
    for i in random.sample(range(len(rows)), 64):
        score = sum(w * x for w, x in zip(weights, rows[i]))
        error = labels[i] - (score > 0)
        weights = [w + 0.1 * error * x for w, x in zip(weights, rows[i])]
    event(event="step")
right = sum((sum(w * x for w, x in zip(weights, row)) > 0) == label for row, label in zip(rows, labels))
event(event="value", name="train_accuracy", value=right / len(rows))
print(f"accuracy {right / len(rows):.3f}")
