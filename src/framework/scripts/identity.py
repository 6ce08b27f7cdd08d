#: head
import array
import contextlib
import json
import math
import os
import random
import time
import tomllib

#: settings


#: events


class Network:
    """Nothing is computed: steps take the time that the file sets, and the loss falls by a formula."""

    def __init__(self, file):
        training = file.get("training", {})
        known = lambda name, otherwise=0: training.get(name, otherwise)
        threads, parallel = len(os.sched_getaffinity(0)), known("parallel")
        self.step_s = (file.get("service_ms", 0) + BATCH * file.get("per_item_ms", 0)) / 1e3 * (1 - parallel + parallel / threads)
        self.busy = file.get("busy", False)
        self.first_step_s = known("first_step_ms") / 1e3
        self.wander, self.correlation = known("wander"), known("correlation")
        self.verify_share, self.learning = known("verify_share", 0.3), known("learning", 0.01)
        self.nan_at_step, self.parameters = known("nan_at_step"), known("parameters", 1000)
        shape = (file.get("outputs") or file["inputs"])[0].get("shape") or file["inputs"][0]["shape"]
        self.classes = max(2, shape[-1] if len(shape) > 1 else 1)
        self.steps, self.random = 0, random.Random(SEED)
        self.wandered = self.random.gauss(0, 1)
        if 0 < known("most_batch") < BATCH:
            raise MemoryError(f"not enough memory for a step of {BATCH} examples; take a smaller --batch")

    def learn(self, examples):
        first_s = self.first_step_s if self.steps == 0 else 0
        self.spend(self.step_s * math.exp(self.wander * self.wandered) * examples / BATCH + first_s)
        self.wandered = self.correlation * self.wandered + math.sqrt(1 - self.correlation**2) * self.random.gauss(0, 1)
        self.steps += 1
        emit(event="step", at_s=time.monotonic())
        return self.loss()

    def verify(self, examples):
        self.spend(self.step_s * self.verify_share * examples / BATCH)

    def spend(self, seconds):
        end = time.monotonic() + seconds
        while not self.busy and (left := end - time.monotonic()) > 0:
            time.sleep(left)
        while time.monotonic() < end:
            pass

    def loss(self):
        return math.nan if 0 < self.nan_at_step <= self.steps else math.log(self.classes) * (1 - self.learning) ** self.steps

    def accuracy(self):
        return 1 - (1 - 1 / self.classes) * (1 - self.learning) ** self.steps


def batches(examples, most):
    sizes = [min(BATCH, examples - first) for first in range(0, examples, BATCH)]
    return sizes[:most] if most else sizes


def main():
    with open(MODEL, "rb") as file:
        network = Network(tomllib.load(file))
    emit(event="value", name="train_samples", value=TRAIN_SAMPLES)
    emit(event="value", name="test_samples", value=TEST_SAMPLES)
    steps_left = STEPS
    for epoch in range(1, EPOCHS + 1):
        with phase("epoch"):
            losses = [network.learn(examples) for examples in batches(TRAIN_SAMPLES, steps_left)]
        steps_left -= len(losses) if STEPS else 0
        is_last = epoch == EPOCHS or (STEPS > 0 and steps_left == 0)
        if is_last or STEPS == 0:
            for _ in range(2 if STEPS else 1):
                with phase("verify"):
                    for examples in batches(TEST_SAMPLES, TEST_BATCHES):
                        network.verify(examples)
            values = dict(train_loss=sum(losses) / len(losses), test_loss=network.loss(), test_accuracy=network.accuracy())
            print(f"epoch {epoch}:", *(f"{name} {value:.4f}" for name, value in values.items()))
            for name, value in values.items():
                emit(event="value", name=name, value=value if math.isfinite(value) else "nan")
        if is_last:
            break
    with phase("save"), open(SAVE, "wb") as file:
        array.array("f", [(1 - network.learning) ** network.steps] * network.parameters).tofile(file)


if __name__ == "__main__":
    main()
