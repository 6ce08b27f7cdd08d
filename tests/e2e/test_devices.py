"""Data sheets of devices, and predictions for machines of which no row was measured."""

import json

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
