"""Triton's load generator, as tools/counterparts installs it."""

import csv
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from paths import COUNTERPARTS

HOME = COUNTERPARTS / "perf_analyzer"


@dataclass(frozen=True)
class Measured:
    in_flight: int
    per_s: float
    p50_s: float
    p90_s: float
    p95_s: float
    p99_s: float


def run_perf_analyzer(address, model, protocol="grpc", in_flight=1, window_s=1.0, options=(), limit_s=120):
    """Measures one server in a closed loop with `in_flight` requests. It takes three windows, and whatever their spread:
    by itself it prints no figures where they differ by more than 10 %. It is known to hang at high rates, hence the limit:
    subprocess.TimeoutExpired."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.csv"
        command = [
            HOME / "bin/perf_analyzer", "-m", model, "-u", address, "-i", protocol,
            "--concurrency-range", str(in_flight), "-p", str(int(window_s * 1e3)), "-r", "3", "-s", "100000",
            "-f", str(file), *options,
        ]
        env = {**os.environ, "LD_LIBRARY_PATH": str(HOME / "libraries")}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=limit_s)
        if done.returncode != 0 or not file.exists():
            raise RuntimeError(f"perf_analyzer ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        row = next(csv.DictReader(file.open()))
    return Measured(
        int(row["Concurrency"]), float(row["Inferences/Second"]),
        *(float(row[f"p{percent} latency"]) * 1e-6 for percent in (50, 90, 95, 99)),
    )
