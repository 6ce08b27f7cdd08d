"""Pages of `neph compare` and `history` in a real browser: the verdict first, and charts that say what it rests on.

The pages are those that report_test wrote into the build folder, as in test_report_in_browser.py.
"""

import pytest
from conftest import Opened
from test_report_in_browser import contrast, sample

pytestmark = pytest.mark.browser


def middles(opened, selector):
    """Of drawn marks: (x, y) on the page."""
    return opened.page.evaluate(
        "(selector) => [...document.querySelectorAll(selector)].map(m => m.getBoundingClientRect())"
        ".map(b => [b.x + b.width / 2, b.y + b.height / 2])", selector)  # fmt: skip


def test_a_reviewer_sees_the_verdict_then_the_changes_then_what_else_differs(chromium):
    with Opened(chromium, sample("comparison")) as opened:
        assert opened.page.locator("#answer .lead").inner_text().startswith("✕ worse: 1 of 4 configurations is slower")
        sections = opened.page.evaluate("[...document.querySelectorAll('main > section')].map(s => s.id)")
        assert sections == ["answer", "changes", "remarks", "figures", "pairs", "reading"]
        assert opened.page.locator("#changes .chart").bounding_box()["y"] < 900, "in sight without scrolling"
        verdicts = opened.page.locator("#figures tbody td:last-child").all_inner_texts()
        assert verdicts == ["✕ worse", "! undecided", "✓ better", "✓ equivalent"]


def test_changes_lie_where_the_axis_says(chromium):
    with Opened(chromium, sample("comparison")) as opened:
        title = opened.page.locator("#changes .role-axis-title text").first.text_content()
        assert title.startswith("← slower") and title.endswith("faster →")
        worse, undecided, better, equivalent = middles(opened, "#changes .mark-symbol.role-mark path")
        assert worse[0] < undecided[0] < equivalent[0] < better[0]
        assert worse[1] < undecided[1] < better[1] < equivalent[1], "the gravest on top"
        (band,) = opened.page.evaluate(
            "[...document.querySelectorAll('#changes .mark-rect.role-mark path')].map(m => m.getBoundingClientRect())")  # fmt: skip
        assert worse[0] < band["x"] < undecided[0] < band["x"] + band["width"] < better[0]


def test_forty_configurations_of_three_metrics_can_be_read(chromium):
    with Opened(chromium, sample("comparison-large")) as opened:
        assert opened.page.locator("#changes figcaption").count() == 3
        rows = middles(opened, "#changes figure:first-of-type .mark-symbol.role-mark path")[:40]
        assert all(later[1] - earlier[1] > 14 for earlier, later in zip(rows, rows[1:]))
        assert opened.page.locator("#figures tbody tr").count() == 120


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_verdicts_stand_out(chromium, scheme):
    with Opened(chromium, sample("comparison"), scheme=scheme) as opened:
        paper = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        for kind in ("valid", "doubtful", "invalid"):
            colour = opened.page.evaluate("(kind) => getComputedStyle(document.querySelector(`#figures .${kind}`)).color", kind)
            assert contrast(colour, paper) >= 4.5, (kind, colour, paper)


def test_a_refusal_says_what_to_do(chromium):
    with Opened(chromium, sample("comparison-refused")) as opened:
        lead = opened.page.locator("#answer .lead").inner_text()
        assert lead.startswith("! not comparable: machine") and "neph ab" in lead
        assert opened.page.locator("figure").count() == 0


def test_a_history_shows_where_it_changed_and_what_else_did(chromium):
    with Opened(chromium, sample("history")) as opened:
        lead = opened.page.locator("#answer .lead").inner_text().replace("\xa0", " ")
        assert lead == "batch 8 has been 3.1 % faster since experiment 12 (2026-11-12)."
        labels = opened.page.locator("#history figure:first-of-type .mark-text.role-mark text").all_text_contents()
        assert labels[0].startswith("5.1 % slower: openvino 2025.1") and labels[1] == "3.1 % faster"
        dashed = "#history figure:first-of-type .mark-rule.role-mark line[stroke-dasharray]"
        assert opened.page.locator(dashed).count() == 2
        first, second = (x for x, _ in middles(opened, dashed))
        dots = [x for x, _ in middles(opened, "#history figure:first-of-type .mark-symbol.role-mark path")][:14]
        assert sum(x < first for x in dots) == 6 and sum(x < second for x in dots) == 11
        assert opened.page.locator("#changes tbody tr").count() == 2
        opened.page.locator("#details summary").first.click()
        assert opened.page.locator("#details table").first.locator("tbody tr").count() == 14
