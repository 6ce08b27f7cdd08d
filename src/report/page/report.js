// Draws every chart from the specification beside it. Each figure is on its own: one that fails says so in its place.
(async function () {
  "use strict";

  const ink = "var(--ink, #1c1f24)", muted = "var(--muted, #59616d)", line = "var(--line, #dde1e7)";

  // Colours are the page's variables, so that a change between light and dark, or printing, needs no redrawing.
  function theme(width, longest) {
    return {
      background: "transparent",
      font: "system-ui, sans-serif",
      padding: { left: 0, right: 8, top: 12, bottom: 4 },
      view: { stroke: null },
      text: { fill: ink, fontSize: 13 },
      axis: {
        labelColor: muted, titleColor: muted, gridColor: line, domainColor: line, tickColor: line,
        labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8,
      },
      axisQuantitative: { tickCount: Math.max(3, Math.round(width / 110)) },
      axisY: { tickCount: 5 },
      legend: {
        orient: "top", columns: Math.max(1, Math.floor((width - 60) / (6.6 * longest + 34))), symbolOpacity: 1, labelLimit: width - 60, labelColor: ink,
        labelFontSize: 12, symbolType: "circle", symbolSize: 70, rowPadding: 2, padding: 0, offset: 12,
      },
    };
  }

  // Of all names that a legend of this chart will hold, the longest, in characters.
  function longestName(spec) {
    const scales = [spec, ...(spec.layer ?? [])].map((part) => part.encoding?.color).filter((color) => color && color.legend !== null);
    return Math.max(0, ...scales.flatMap((color) => color.scale?.domain ?? []).map((name) => name.length));
  }

  async function draw(figure) {
    const chart = figure.querySelector(".chart");
    try {
      const spec = JSON.parse(figure.querySelector("script").textContent);
      const options = { renderer: "svg", actions: false, ast: true, config: theme(chart.clientWidth, longestName(spec)), tooltip: { disableDefaultStyle: true } };
      const { view } = await window.vegaEmbed(chart, spec, options);
      chart.classList.add("drawn");
      return view;
    } catch (error) {
      chart.classList.add("failed");
      chart.textContent = "This chart could not be drawn: " + error.message;
      throw error;
    }
  }

  const failures = [];
  for (const section of document.querySelectorAll("section")) {
    const views = [];
    for (const figure of section.querySelectorAll("figure")) {
      try {
        views.push(await draw(figure));
      } catch (error) {
        failures.push(error);
      }
    }
    const select = section.querySelector(".choice select");
    if (select) {
      select.addEventListener("change", () => views.forEach((view) => view.signal("cell", Number(select.value)).runAsync()));
    }
  }
  document.documentElement.dataset.charts = failures.length ? "failed" : "drawn";
  if (failures.length) throw failures[0];
})();
