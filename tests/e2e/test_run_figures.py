"""What JSON tells of each run by itself: of a configuration with one run it is what the configuration has."""

import json

import pytest

PRICE = ("--price", "3.6USD/h")  # a second costs 0.001


def test_a_run_tells_its_own_percentiles_memory_cpu_time_and_cost(neph, small_model, pictures):
    neph("infer", small_model, "--images", pictures, "--count", 80, "--batch", "1,2", "--warmup", 1,
         "--warmup-max-s", 0.1, "--repeat", 1)
    results = json.loads(neph("export", "--format", "json", *PRICE).stdout)
    for cell, run in zip(results["cells"], sorted(results["runs"], key=lambda run: run["cell"])):
        figures, telemetry = run["figures"], cell["telemetry"]
        batches = 80 // cell["factors"]["batch"]
        assert batches in (80, 40)
        told = {name.split("_")[1]: value for name, value in figures.items() if name.startswith("latency_")}
        assert list(told) == (["p50", "p90", "p95"] if batches == 80 else ["p50", "p90"]), "p95 needs 59 batches, p99 299"
        for name, value in told.items():
            assert cell["latency_ms"][name]["value"] == value
        assert figures["peak_memory_bytes"] == telemetry["process.memory_peak"]["maximum"] > 20e6
        cores = telemetry["process.cpu"]["mean"]
        assert figures["cpu_ms_per_item"] == pytest.approx(1e3 * cores / figures["images_per_s"], rel=1e-12)
        assert figures["cost_per_million"] == pytest.approx(1e6 * 0.001 / figures["images_per_s"], rel=1e-12)
        assert cell["figures"]["cost_per_million"]["value"] == figures["cost_per_million"]
