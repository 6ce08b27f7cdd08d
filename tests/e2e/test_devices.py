"""Data sheets of devices, and predictions for machines of which no row was measured."""

import json
import re

import pytest
from tables import write_csv


def test_host_lists_the_data_sheets_of_devices(neph):
    shown = neph("host", "--devices").stdout
    assert "H100 SXM" in shown and "Xeon Platinum 8488C" in shown and shown.count("\n") > 400
    one, four = neph.json("host", "--devices", "NVIDIA A100-SXM4-80GB, p3.8xlarge")
    assert one["sheet"]["name"] == "A100 SXM 80GB" and one["sheet"]["bandwidth_gb_s"] == 2039 and one["sheet"]["source"]
    assert four["sheet"]["name"] == "V100 SXM2 16GB" and four["devices"] == 4
    assert "unknown device 'RTX 4091': did you mean 'RTX 4090'?" in neph("host", "--devices", "RTX 4091", code=None).stderr
    assert "neph host --devices t4" in neph("host", "t4", code=None).stderr


def test_a_machine_without_a_row_is_predicted_by_its_data_sheet(neph):
    work = {"K80": 4.37 * 240, "T4": 8.1 * 320, "NVIDIA V100": 15.7 * 900, "rtx_3090": 35.6 * 936}  # peak times bandwidth
    write_csv(neph.folder / "runs.csv", [{"batch": batch, "layers": layers, "gpu": gpu, "t": batch * layers / speed**0.5}
                                         for batch in (1, 2, 4, 8, 16) for layers in (4, 8, 12) for gpu, speed in work.items()])  # fmt: skip
    assert "taken for the machine: 'gpu'" in neph("fit", "runs.csv", "--target", "t", "--force").stdout
    (neph.folder / "ask.csv").write_text("batch,layers,gpu\n8,8,Tesla P100-PCIE-16GB\n8,8,abacus\n")
    known, unknown = json.loads(neph("predict", "model.json", "ask.csv", "--json").stdout)["rows"]
    assert known["value"] == pytest.approx(64 / (9.3 * 732) ** 0.5, rel=0.1)
    assert known["low"] < known["value"] < known["high"] and known["extrapolates"][0]["how_far"] == "'Tesla P100-PCIE-16GB' was not measured"
    assert unknown["value"] is None and "unknown device 'abacus'" in unknown["refused"]


@pytest.fixture
def model(neph):
    """A time that falls with the root of peak times bandwidth, on four machines."""
    work = {"K80": 4.37 * 240, "T4": 8.1 * 320, "NVIDIA V100": 15.7 * 900, "rtx_3090": 35.6 * 936}
    write_csv(neph.folder / "runs.csv", [{"batch": batch, "generation": gpu[:3], "gpu": gpu, "memory_gb": len(gpu), "t": batch / speed**0.5}
                                         for batch in (1, 2, 4, 8, 16) for gpu, speed in work.items()])  # fmt: skip
    neph("fit", "runs.csv", "--target", "t", "--force")
    return neph


def test_the_measured_configurations_are_predicted_on_devices_by_name(model):
    shown = model("predict", "model.json", "--devices", "tesla-v100,h100,g6.xlarge").stdout
    assert "tesla-v100: V100 SXM2 16GB" in shown and "measured as 'NVIDIA V100' (5 different rows)" in shown
    assert "g6.xlarge: L4, 30.3 TFLOP/s at fp32" in shown and "not measured, predicted by its data sheet" in shown
    rows = model.json("predict", "model.json", "--devices", "h100,t4")["rows"]
    assert [(row["asked"]["gpu"], row["asked"]["batch"]) for row in rows] == [(gpu, batch) for gpu in ("h100", "T4") for batch in (1, 2, 4, 8, 16)]
    assert rows[2]["value"] == pytest.approx(4 / (67 * 3350) ** 0.5, rel=0.25) and rows[0]["low"] < rows[0]["value"] < rows[0]["high"]
    assert rows[7]["value"] == pytest.approx(4 / (8.1 * 320) ** 0.5, rel=0.05) and not rows[7]["extrapolates"]


def test_own_rows_are_predicted_on_devices(model):
    (model.folder / "ask.csv").write_text("batch\n3\n5\n")
    rows = model.json("predict", "model.json", "ask.csv", "--devices", "a100_80gb,l40s")["rows"]
    assert [(row["asked"]["batch"], row["asked"]["gpu"]) for row in rows] == [(3, "a100_80gb"), (5, "a100_80gb"), (3, "l40s"), (5, "l40s")]


def test_devices_that_cannot_be_predicted_are_refused_in_a_line(model):
    assert "did you mean 'RTX 4090'?" in model("predict", "model.json", "--devices", "rtx4091", code=None).stderr
    assert "'T4' is given twice" in model("predict", "model.json", "--devices", "t4,T4", code=None).stderr
    assert "--devices names no device" in model("predict", "model.json", "--devices", ",", code=None).stderr
    assert "give a table of rows, or --devices" in model("predict", "model.json", code=None).stderr
    write_csv(model.folder / "plain.csv", [{"batch": batch, "t": batch + 1} for batch in range(1, 20)])
    model("fit", "plain.csv", "--target", "t", "--out", "plain.json")
    assert "the model knows no machines" in model("predict", "plain.json", "--devices", "h100", code=None).stderr


def test_a_rate_rises_with_the_speed_of_the_machine(neph):
    speeds = {"T4": 8.1 * 320, "V100": 15.7 * 900, "A100": 19.5 * 1555}
    write_csv(neph.folder / "runs.csv", [{"batch": batch, "gpu": gpu, "images_per_s": batch**0.3 * speed**0.5}
                                         for batch in (1, 2, 4, 8, 16) for gpu, speed in speeds.items()])  # fmt: skip
    neph("fit", "runs.csv", "--target", "images_per_s", "--force")
    rows = neph.json("predict", "model.json", "--devices", "h100,p4")["rows"]
    assert rows[0]["value"] == pytest.approx((66.9 * 3350) ** 0.5, rel=0.25) and rows[5]["value"] == pytest.approx((5.5 * 192) ** 0.5, rel=0.25)
    said = neph("predict", "model.json", "--devices", "h100").stdout
    assert re.search(r"h100: .* predicted by its data sheet: [2-3]\.\d+ times as fast as", said)
