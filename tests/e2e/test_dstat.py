"""Telemetry as a CSV of dstat: written by measuring verbs, and read from dstat by `neph report`."""

import csv
import re
from datetime import datetime

import pytest
from conftest import Opened

COLUMNS = ["time", "usr", "sys", "idl", "wai", "stl", "used", "free", "buff", "cach", "read", "writ", "read", "writ", "recv", "send"]
GROUPS = ["system", "total cpu usage", "", "", "", "", "memory usage", "", "", "", "dsk/total", "", "io/total", "", "net/total", ""]
TRAINING = """"Dstat 0.8.0 CSV output"
"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
"Host:","node3",,,,"User:","root"
"Cmdline:","dstat -tcm --output training.csv 10",,,,"Date:","25 Nov 2026 11:36:49 UTC"
"system","total cpu usage",,,,,"memory usage",,,
"time","usr","sys","idl","wai","stl","used","free","buff","cach"
25-11 11:36:49,73.287,10.698,15.830,0.097,0.088,1449988096,9261514752,150253568,13578862592
25-11 11:36:59,79.695,15.228,1.015,2.538,1.523,1476808704,9243471872,150261760,13570560000
25-11 11:37:09,87.940,12.060,0,0,0,1474666496,9243602944,150446080,13571936256
"""


@pytest.fixture
def measured(neph, small_model, pictures):
    """The lines of the file, and the folder in which it was made."""
    neph("infer", small_model, "--images", pictures, "--count", 240, "--batch", "1,4", "--repeat", 2, "--dstat", "m.csv",
         "--warmup", 1, "--warmup-max-s", 0.3)
    return (neph.folder / "m.csv").read_text()


def test_the_file_is_one_of_dstat(measured):
    lines = list(csv.reader(measured.splitlines()))
    assert measured.startswith('"Dstat 0.8.0 CSV output"\n"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:",')
    assert [line[0] for line in lines[:4]] == ["Dstat 0.8.0 CSV output", "Author:", "Host:", "Cmdline:"]
    assert all(len(line) == 7 for line in lines[1:4]) and lines[3][1].startswith("neph infer ")
    began = datetime.strptime(lines[3][6], "%d %b %Y %H:%M:%S UTC")
    assert lines[4] == GROUPS and lines[5] == COLUMNS
    rows = lines[6:]
    assert len(rows) >= 2
    moments = [datetime.strptime(f"{began.year}-{row[0]}", "%Y-%d-%m %H:%M:%S") for row in rows]
    assert moments == sorted(set(moments)) and moments[0] == began, "one row a second, in the order of time"
    for row in rows:
        assert len(row) == 16
        for cell in row[1:]:
            assert re.fullmatch(r"-?\d+(\.\d{3})?|", cell), cell
    busy = [list(map(float, row[1:6])) for row in rows if row[1]]
    assert busy and all(abs(sum(shares) - 100) < 0.01 for shares in busy)
    total_kib = int(re.search(r"MemTotal:\s+(\d+)", open("/proc/meminfo").read())[1])
    memory = [list(map(int, row[6:10])) for row in rows if row[6]]
    assert memory and all(0 < value < 1024 * total_kib for one in memory for value in one)


def test_the_file_is_read_back(neph, measured):
    neph("report", "--telemetry", "m.csv", "--out", "both.html")
    page = (neph.folder / "both.html").read_text()
    assert 'id="recordings"' in page and 'id="telemetry"' in page, "beside the experiment of the store"
    (neph.folder / "neph.db").unlink()
    said = neph("report", "--telemetry", "m.csv")
    assert said.stdout == "neph-report.html\n"
    page = (neph.folder / "neph-report.html").read_text()
    assert "<h1>Recorded telemetry</h1>" in page and "one every 1.00 s" in page


def test_a_file_of_dstat_needs_no_store(neph):
    (neph.folder / "training.csv").write_text(TRAINING)
    neph("report", "--telemetry", "training.csv")
    page = (neph.folder / "neph-report.html").read_text()
    for said in ("Dstat 0.8.0 on node3", "3 rows, one every 10.0 s, over 20.0 s", "At most 1.38 GiB of memory was used"):
        assert said in page, said
    assert not (neph.folder / "neph.db").exists()


@pytest.mark.browser
def test_its_charts_are_drawn_without_a_complaint(neph, chromium):
    """Of two files, one of which stopped for an hour."""
    (neph.folder / "training.csv").write_text(TRAINING)
    (neph.folder / "gap.csv").write_text(TRAINING + "".join(TRAINING.splitlines(True)[-2:]).replace("25-11 11", "25-11 12"))
    neph("report", "--telemetry", "training.csv", "--telemetry", "gap.csv")
    page = neph.folder / "neph-report.html"
    assert "in 1 gap" in page.read_text()
    with Opened(chromium, page) as opened:
        drawn = opened.page.locator("#recordings figure svg .role-mark path")
        assert drawn.count() >= 2
        opened.page.locator("#recordings select").select_option("1")
        opened.page.wait_for_timeout(500)
        assert drawn.count() >= 2 and opened.complaints == [] and opened.requests == [opened.page.url]


def test_what_cannot_be_read_or_written_is_said_at_once(neph, small_model, pictures):
    (neph.folder / "x.csv").write_text("a,b\n1,2\n")
    said = neph("report", "--telemetry", "x.csv", code=None)
    assert said.returncode not in (0, 1) and "x.csv: line 2 names no column of dstat's" in said.stderr
    assert "missing.csv" in neph("report", "--telemetry", "missing.csv", code=None).stderr
    assert list(neph.folder.iterdir()) == [neph.folder / "x.csv"]
    (neph.folder / "t.csv").write_text(TRAINING)
    assert "would be lost" in neph("report", "--telemetry", "t.csv", "--out", "t.csv", code=None).stderr
    assert (neph.folder / "t.csv").read_text() == TRAINING
    said = neph("report", "--telemetry", "t.csv", "--store", "no.db", code=None)
    assert said.returncode not in (0, 1) and "no.db" in said.stderr, "a store that is asked for must be there"
    said = neph("infer", small_model, "--images", pictures, "--dstat", "no/where.csv", code=None)
    assert said.returncode not in (0, 1) and "--dstat no/where.csv" in said.stderr
