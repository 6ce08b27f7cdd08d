"""How long a choice takes among fifty thousand offers."""

import csv
import random
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

from frame import Goal, Row
from programs import program

OFFERS, CONFIGURATIONS = 50_000, 100
PROVIDERS = ("aws", "gcp", "azure", "lambda", "runpod", "vast", "scaleway", "yandex", "selectel", "vk")
GPUS = ("T4", "V100", "A100", "L4", "H100")


def write_offers(file, draw):
    writer = csv.writer(file)
    writer.writerow("provider,instance,region,vcpus,memory_gib,gpu,gpus,price,currency,date".split(","))
    for i in range(OFFERS):
        gpus = draw.choice((0, 0, 0, 1, 2, 4, 8))
        cores = draw.choice((1, 2, 4, 8, 16, 32, 64, 96))
        price = f"{(0.04 * cores + 1.5 * gpus) * draw.uniform(0.7, 1.5):.5f}"
        row = (draw.choice(PROVIDERS), f"m{i % 900}", f"region-{i // 900}", cores, 4 * cores)
        writer.writerow((*row, draw.choice(GPUS) if gpus else "", gpus or "", price, "USD", "2026-11-24"))


def write_times(file, draw):
    writer = csv.writer(file)
    writer.writerow("batch,cores,gpus,gpu,train_s,train_s_low,train_s_high".split(","))
    for i in range(CONFIGURATIONS):
        cores, gpu = draw.choice((1, 2, 4, 8, 16, 32)), draw.choice(("", "", *GPUS))
        seconds = draw.uniform(500, 20_000) / (cores**0.8)
        spread = draw.uniform(1.01, 1.3)
        writer.writerow((i, cores, 1 if gpu else 0, gpu, seconds, seconds / spread, seconds * spread))


@cache
def market():
    folder = tempfile.TemporaryDirectory()
    draw = random.Random(1)
    for name, write in (("prices.csv", write_offers), ("times.csv", write_times)):
        with open(f"{folder.name}/{name}", "w", newline="") as file:
            write(file, draw)
    return folder


def advise_s():
    """From the start of the program to its end: prices read, all chosen, as JSON."""
    folder = Path(market().name)
    command = [program("neph"), "advise", "times.csv", "--offers", "prices.csv", "--deadline", "5h", "--json"]
    begin = time.monotonic()
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def rows():
    return [
        Row("advise", "neph advise, 50,000 offers × 100 configurations, 10,000 simulations, process start to end", "",
            Goal(2, at_least=False), advise_s, unit="s"),
    ]  # fmt: skip
