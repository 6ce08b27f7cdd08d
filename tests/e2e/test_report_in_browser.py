"""The report in a real browser: charts drawn, nothing complained of, nothing fetched, at home on paper and on a phone.

The pages are those that report_test wrote into the build folder (made-up documents of every shape). Their folder is
NEPH_BUILD, or build/release.
"""

import functools
import subprocess
from types import SimpleNamespace

import pytest
from conftest import BUILD, Opened

pytestmark = pytest.mark.browser
ALL = ["typical", "single", "failed", "empty", "hostile", "large", "served", "load", "training", "study", "command", "validation", "validation-hostile", "advice", "comparison", "comparison-large", "comparison-hostile", "comparison-refused", "history", "history-hostile"]
WITH_CHARTS = ["typical", "single", "hostile", "large", "served", "load", "training", "study", "command", "validation", "validation-hostile", "advice", "comparison", "comparison-large", "comparison-hostile", "history", "history-hostile"]
FEWEST = {"advice": 4, "history": 2, "history-hostile": 2}  # charts; others have 5

# The extent of each drawn mark; an axis or a background alone is no chart. Marks without a visible extent (a line of
# one point) do not count.
MARKS = """
() => [...document.querySelectorAll("figure")].map((figure) => ({
  caption: figure.querySelector("figcaption").textContent,
  label: figure.querySelector("svg g[aria-label], .chart[aria-label]")?.getAttribute("aria-label") ?? "",
  marks: [...figure.querySelectorAll(".role-mark path, .role-mark line, .role-mark text, .role-mark rect")].filter((mark) => {
    const box = mark.getBBox();
    return box.width + box.height > 0.5;
  }).length,
  width: figure.querySelector("svg")?.getBoundingClientRect().width ?? 0,
}))
"""


def sample(name):
    file = BUILD / f"report-sample-{name}.html"
    assert file.exists(), f"{file} is missing: run report_test with NEPH_BUILD={BUILD} first"
    return file


@pytest.fixture(scope="module")
def seen(chromium):
    """`seen(name, width)`: what there is to see of that page in a window of that width, which is opened once."""

    @functools.cache
    def look(name, width):
        with Opened(chromium, sample(name), width) as opened:
            return SimpleNamespace(
                url=opened.page.url, complaints=opened.complaints, requests=opened.requests, figures=opened.page.evaluate(MARKS),
                charts=opened.page.evaluate("document.documentElement.dataset.charts"),
                width=opened.page.evaluate("document.documentElement.scrollWidth"),
            )

    return look


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_complained_of_and_nothing_fetched(seen, name):
    page = seen(name, 1200)
    assert page.charts == "drawn"
    assert page.complaints == []
    assert page.requests == [page.url]


@pytest.mark.parametrize("name", WITH_CHARTS)
@pytest.mark.parametrize("width", [390, 1200])
def test_every_chart_is_drawn_with_marks_and_a_description(seen, name, width):
    figures = seen(name, width).figures
    assert len(figures) >= FEWEST.get(name, 5)
    for figure in figures:
        assert figure["marks"] >= 2, figure
        assert len(figure["label"]) > 20, figure
        assert 200 < figure["width"] <= width, figure


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [320, 390, 768])
def test_the_page_never_scrolls_sideways(seen, name, width):
    assert seen(name, width).width <= width


def test_wide_tables_scroll_in_their_own_box(chromium):
    with Opened(chromium, sample("typical"), 390) as opened:
        boxes = opened.page.evaluate(
            "[...document.querySelectorAll('#figures .scroll')].map(b => [b.scrollWidth, b.clientWidth, b.tabIndex])"
        )
        assert len(boxes) >= 3
        assert all(inner > outer and tab == 0 for inner, outer, tab in boxes), boxes


def luminance(colour):
    """Relative luminance of "rgb(r, g, b)" (WCAG 2.1)."""
    parts = [int(part) / 255 for part in colour[4:-1].split(",")]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted([luminance(a), luminance(b)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_page_and_charts(chromium, scheme):
    with Opened(chromium, sample("typical"), scheme=scheme) as opened:
        paper = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (luminance(paper) < 0.1) == (scheme == "dark")
        for selector, style in [
            ("body", "color"),
            (".meta", "color"),
            ("figcaption", "color"),
            (".verdict.valid", "color"),
            (".verdict.doubtful", "color"),
            (".verdict.invalid", "color"),
            ("nav a", "color"),
            (".role-axis-label text", "fill"),
            (".role-legend-label text", "fill"),
            ("#settings .role-mark text", "fill"),
        ]:
            colour = opened.page.evaluate(
                "([selector, style]) => getComputedStyle(document.querySelector(selector))[style]", [selector, style]
            )
            assert contrast(colour, paper) >= 4.5, (selector, colour, paper)


def test_the_setting_of_the_telemetry_can_be_chosen(chromium):
    with Opened(chromium, sample("typical")) as opened:
        area = "#telemetry figure .mark-area path"
        before = opened.page.locator(area).first.get_attribute("d")
        select = opened.page.locator("#telemetry select")
        select.select_option(index=select.locator("option").count() - 1)
        opened.page.wait_for_function(
            "([area, before]) => document.querySelector(area).getAttribute('d') !== before", arg=[area, before]
        )
        assert opened.complaints == []


def test_the_batch_of_the_memory_can_be_chosen(chromium):
    with Opened(chromium, sample("served")) as opened:
        lines = "#memory figure .mark-line path"
        before = opened.page.locator(lines).first.get_attribute("d")
        opened.page.locator("#memory select").select_option(label="batch 16")
        opened.page.wait_for_function(
            "([lines, before]) => document.querySelector(lines).getAttribute('d') !== before", arg=[lines, before]
        )
        assert opened.complaints == []


def test_architectures_are_answered_in_words_and_in_charts(chromium):
    with Opened(chromium, sample("served")) as opened:
        lead = opened.page.locator("#answer .lead").inner_text()
        assert lead.startswith("This machine should run resnet50.onnx in-process (batch 16, async)"), lead
        drawn = opened.page.evaluate("[...document.querySelectorAll('main > section:has(figure)')].map(s => s.id)")
        for needed in ["throughput", "settings", "requests", "processor", "memory", "standard_error"]:
            assert needed in drawn
        dashed = opened.page.locator("#throughput .mark-line path[stroke-dasharray='5,4']").count()
        assert dashed == opened.page.locator("#throughput .mark-line path").count() // 2 > 2


def test_a_load_is_answered_in_words_and_in_charts(chromium):
    with Opened(chromium, sample("load")) as opened:
        assert "met at 80.1 requests/s; violated at 120." in opened.page.locator("#answer .lead").inner_text()
        captions = opened.page.locator("#load_times figcaption").all_inner_texts()
        assert captions == ["response time, ms", "response time, ms, closed loop"]
        assert opened.page.locator("#load_times figure").first.get_by_text("SLO: 99 % within 50 ms").is_visible()


def test_a_chart_says_what_is_under_the_pointer(chromium):
    with Opened(chromium, sample("typical")) as opened:
        opened.page.locator("#settings .mark-rect path").first.hover(position={"x": 20, "y": 5})
        tooltip = opened.page.locator("#vg-tooltip-element.visible")
        tooltip.wait_for()
        assert "images/s" in tooltip.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_print_holds_charts_on_white_paper(chromium, scheme, tmp_path):
    pdf = tmp_path / "report.pdf"
    with Opened(chromium, sample("typical"), scheme=scheme) as opened:
        opened.page.emulate_media(media="print")
        assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert opened.page.evaluate("document.querySelectorAll('figure svg .role-mark').length") > 10
        opened.page.pdf(path=pdf, format="A4", print_background=True)
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
    for needed in ["images per second", "thread time per image, ms", "The machine", "How to read this page"]:
        assert needed in text, needed  # the first two are titles of axes: charts are on paper, as text
    assert 4 <= text.count("\f") <= 20


def test_headings_are_in_order_and_tables_have_captions(chromium):
    with Opened(chromium, sample("typical")) as opened:
        levels = opened.page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => Number(h.tagName[1]))")
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(later <= earlier + 1 for earlier, later in zip(levels, levels[1:]))
        assert opened.page.evaluate("[...document.querySelectorAll('table')].every(t => t.caption?.textContent)")
        assert opened.page.evaluate("document.documentElement.lang") == "en"


def test_the_figures_stand_in_tables_without_scripts(chromium):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((BUILD / "report-sample-typical.html").as_uri())
    assert page.locator("noscript p").is_visible()
    assert page.locator("#figures tbody tr").count() == 80
    context.close()
