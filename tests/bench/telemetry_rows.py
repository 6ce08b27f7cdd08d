"""What the telemetry costs while a run is measured."""

import json

from frame import Goal, Row
from programs import output_of, program


def percent_of_one_core():
    """Of a process with twenty threads, two of them busy, sampled at 10 Hz for some seconds."""
    said = json.loads(output_of(program("host_bench"), "--benchmark_filter=telemetry_at/10/", "--benchmark_format=json"))
    shares = [run["percent_of_one_core"] for run in said["benchmarks"] if run["run_type"] == "iteration"]
    return sum(shares) / len(shares)


def rows():
    return [Row("telemetry", "telemetry at 10 Hz, CPU time of its thread", "", Goal(0.3, at_least=False),
                percent_of_one_core, unit="% of one core", rounds=7)]
