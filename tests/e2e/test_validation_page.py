"""`neph validate --html`: the page of a table with a known law, in a real browser, and the same facts as JSON."""

import csv
import itertools
import math
import random

import pytest
from conftest import Opened
from paths import REPOSITORY

pytestmark = pytest.mark.browser
VTRAIN = REPOSITORY.parent / "shared/data/prediction"
HOSTILE = "<script>alert('x')</script>\"&'.a[0]\x1b[31m"


def write_table(path, heading):
    """3 ms a unit of work, a machine three times as fast as the other, 1 % of noise; the fast one has little work measured,
    and `colour` has no effect."""
    draw = random.Random(1)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heading)
        for work, machine, colour in itertools.product((1, 2, 3, 4, 6, 8, 12, 16), ("slow", "fast"), ("red", "blue")):
            if machine == "slow" or work <= 3:
                ms = 3 * work / {"slow": 1, "fast": 3}[machine]
                writer.writerow([work, machine, colour, ms * draw.lognormvariate(0, 0.01)])


def validated(neph, *options, heading=("work", "machine", "colour", "t (ms)")):
    write_table(neph.folder / "runs.csv", heading)
    return neph.json("validate", "runs.csv", "--target", heading[3], "--use", heading[2], "--method", "process,log-linear", *options)


def test_the_page_draws_everything_and_fetches_nothing(neph, chromium):
    validated(neph, "--html", "page.html")
    with Opened(chromium, neph.folder / "page.html") as opened:
        assert opened.complaints == [] and opened.requests == [opened.page.url]
        assert opened.page.locator("#answer .lead").inner_text().startswith("process predicts half of 22 points")
        sections = opened.page.evaluate("[...document.querySelectorAll('main > section')].map(s => s.id)")
        for needed in ["scores", "predicted", "residuals", "intervals", "contributions", "proposals", "slices"]:
            assert needed in sections
        assert opened.page.evaluate("[...document.querySelectorAll('.role-mark:empty')].map(m => m.closest('section').id)") == []
        assert opened.page.locator("#intervals .mark-rule.role-mark line[stroke-dasharray]").count() == 1, "what is promised"
        assert opened.page.locator("#proposals tbody tr").count() == 5
        assert opened.page.locator("#residuals figcaption").all_inner_texts() == ["work", "machine", "colour"]
        opened.page.locator("#predicted .mark-symbol.role-mark path").last.hover()
        tooltip = opened.page.locator("#vg-tooltip-element.visible")
        tooltip.wait_for()
        assert "machine" in tooltip.inner_text()


def test_names_from_the_table_stay_text(neph, chromium):
    validated(neph, "--html", "page.html", heading=(f"work{HOSTILE}", f"machine{HOSTILE}", "colour", f"t {HOSTILE}"))
    with Opened(chromium, neph.folder / "page.html", width=390) as opened:
        assert opened.complaints == [] and opened.requests == [opened.page.url]
        assert "<script>alert('x')</script>" in opened.page.locator("h1").inner_text()
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert "\x1b" not in (neph.folder / "page.html").read_text()


def test_json_has_what_the_page_shows(neph):
    found = validated(neph, "--explain")
    points = len(found["features"][0]["values"])
    assert points == 22 and len(found["splits"]) == 5 and found["explained"] == "process"
    assert all(row["split"] < 5 and row["point"] < points for row in found["methods"][0]["rows"])
    assert found["contributions"][0]["column"] in ("work", "machine")
    assert next(each["factor"] for each in found["contributions"] if each["column"] == "colour") == pytest.approx(1, abs=0.05)
    measured = set(zip(*(feature["values"] for feature in found["features"])))
    assert len(found["proposals"]) == 5
    for each in found["proposals"]:
        assert tuple(each["cells"]) not in measured and each["cells"][1] == "fast"
        assert each["low"] < each["value"] < each["high"] and 0 < each["gain"] < 1


@pytest.mark.parametrize("name", ["single", "multi"])
def test_what_is_proposed_can_be_run(neph, name):
    found = neph.json("validate", VTRAIN / f"vtrain-{name}.csv", "--target", "iteration time", "--method", "log-linear",
                      "--sample", 60, "--explain", timeout_s=300)  # fmt: skip
    names = [feature["name"] for feature in found["features"]]
    assert len(found["proposals"]) == 5
    for each in found["proposals"]:
        cells = dict(zip(names, each["cells"]))
        assert cells["# GPUs"] == math.prod(cells[f"{kind} parallelism"] for kind in ("tensor", "data", "pipeline"))


def test_nothing_more_is_fitted_unless_asked_for(neph):
    found = validated(neph)
    assert found["explained"] == "" and found["learning_curve"] == found["contributions"] == found["proposals"] == []


def test_a_page_that_cannot_be_written_is_an_error(neph):
    write_table(neph.folder / "runs.csv", ("work", "machine", "colour", "t"))
    done = neph("validate", "runs.csv", "--target", "t", "--method", "log-linear", "--html", "no/such/page.html", code=None)
    assert done.returncode != 0 and "no/such/page.html" in done.stderr
