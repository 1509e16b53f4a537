/* What takes a kernel's time as bars: of accesses what the transfer takes at best, and what the memory adds. */

const MOST_BARS = 24;
/** Below this width in pixels names are not next to what they name. */
const NARROW = 560;

/** Every unit of a kernel next to its access, and how it is called. */
function unitsOf(kernel) {
  return kernel.accesses.flatMap((access) =>
    access.units.map((unit) => ({
      access,
      unit,
      name: unit.members > 1 ? `${access.text} +${unit.members - 1}` : access.text,
    })),
  );
}

/** A chart with its caption and its buttons. */
function figure(name, title, legend, chart, remark) {
  return element(
    "figure",
    {},
    element("figcaption", {}, element("span", { class: "figure-title" }, title), legend, exportButtons(chart, name)),
    element("div", { class: "wide" }, chart),
    remark ? element("p", { class: "note" }, remark) : null,
  );
}

/** What takes the time, the longest first, or null where no time is known even at assumed sizes. */
function timeFigure(file, kernel, width) {
  if (!kernel.rows.length) return null;
  const legend = element(
    "span",
    { class: "legend" },
    element("span", { class: "key ideal" }, symbol("T_ideal")),
    element("span", { class: "key overhead" }, symbol("T_ovh")),
    kernel.rows.some((row) => !row.ideal_s) ? element("span", { class: "key other" }, "no transfer") : null,
  );
  const rows = kernel.rows.slice(0, MOST_BARS);
  const left = kernel.rows.length - rows.length;
  const remark = [
    `total ${kernel.total}`,
    kernel.assumed ? `assumed: ${kernel.assumed}` : "",
    left ? `the ${left} shortest are in the table alone` : "",
  ];
  return figure(
    `${kernel.name}-time`,
    "Where the time goes",
    legend,
    timeChart(file, kernel, rows, width),
    remark.filter(Boolean).join("; "),
  );
}

/** Names are on the left of their bars, and above them where there is little room. */
function timeChart(file, kernel, rows, width) {
  const above = width < NARROW;
  const most = Math.max(...rows.map((row) => row.time_s));
  const place = above
    ? { row: 50, labels: 0, figures: 0, bar: 24, height: 16 }
    : { row: 40, labels: Math.min(320, width * 0.36), figures: 150, bar: 8, height: 20 };
  const height = rows.length * place.row + 6;
  const chart = drawn("svg", {
    class: "chart bars",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "group",
    "aria-label": `Where the time of ${kernel.name} goes`,
  });
  const scale = (width - place.labels - place.figures) / most;
  chart.append(...rows.map((row, i) => timeBar(file, row, { ...place, y: 3 + i * place.row, scale, width, above })));
  return chart;
}

function timeBar(file, row, { y, row: height, labels, bar, height: thick, scale, width, above }) {
  const kinds = row.ideal_s ? ["ideal", "overhead"] : ["other", "overhead"];
  const ideal = (row.ideal_s || row.time_s) * scale;
  const overhead = row.ideal_s ? Math.max(0, row.time_s - row.ideal_s) * scale : 0;
  const figures = [row.time, row.share_text].filter(Boolean).join(" · ");
  const name = { class: row.ideal_s ? "name" : "name plain", "text-anchor": above ? "start" : "end" };
  const room = above ? (width - figures.length * 7 - 12) / 7.4 : (labels - 16) / 7.4;
  const texts = above
    ? [
        drawn("text", { ...name, x: 0, y: y + 15 }, cut(row.text, room)),
        drawn("text", { class: "figure", x: width, y: y + 15, "text-anchor": "end" }, figures),
      ]
    : [
        drawn("text", { ...name, x: labels - 10, y: y + (row.detail ? 16 : 22) }, cut(row.text, room)),
        drawn("text", { class: "detail", x: labels - 10, y: y + 31, "text-anchor": "end" }, cut(row.detail, room * 1.2)),
        drawn("text", { class: "figure", x: labels + ideal + overhead + 8, y: y + 23 }, figures),
      ];
  const drawnBar = drawn(
    "g",
    { class: "bar", "data-line": row.place && !row.place.path ? row.place.line : null },
    drawn("rect", { class: "touch", x: 0, y, width, height }),
    drawn("rect", { class: kinds[0], x: labels, y: y + bar, width: ideal, height: thick }),
    drawn("rect", { class: kinds[1], x: labels + ideal, y: y + bar, width: overhead, height: thick }),
    texts,
  );
  return row.place
    ? leadingTo(drawnBar, file, row.place, `${row.text}, ${row.detail}: ${figures}`)
    : drawnBar;
}

function cut(text, room) {
  return text.length <= room ? text : `${text.slice(0, Math.max(Math.floor(room) - 1, 1))}…`;
}

/** How wide a drawing may be that fills the page. */
function roomInside() {
  const main = byId("main");
  const style = getComputedStyle(main);
  const room = main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return Math.max(300, Math.floor(room));
}
