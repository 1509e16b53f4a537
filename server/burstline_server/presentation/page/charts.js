/* Time of each access as bars: what the transfer takes at best, and what the memory adds. */

const MOST_BARS = 24;
/** @type {[number, string][]} */
const TIMES = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];

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

/** The bars, the longest first, or null where no time is known. */
function timeFigure(file, kernel, width) {
  const timed = unitsOf(kernel).filter(({ unit }) => unit.time_s);
  if (!timed.length) return null;
  const per = ["launch", "work-item", "iteration"].find((one) => timed.some(({ unit }) => unit.per === one));
  const bars = timed.filter(({ unit }) => unit.per === per).sort((a, b) => b.unit.time_s - a.unit.time_s);
  const left = [];
  if (bars.length > MOST_BARS) left.push(`the ${bars.length - MOST_BARS} shortest are in the table alone`);
  if (bars.length < timed.length) left.push("accesses whose time is known for another span are in the table alone");
  const legend = element(
    "span",
    { class: "legend" },
    element("span", { class: "key ideal" }, symbol("T_ideal")),
    element("span", { class: "key overhead" }, symbol("T_ovh")),
  );
  const title = per === "launch" ? "Time per access" : `Time per access and ${per}`;
  return figure(
    `${kernel.name}-time`,
    title,
    legend,
    timeChart(file, kernel, bars.slice(0, MOST_BARS), width),
    left.join("; "),
  );
}

function timeChart(file, kernel, bars, width) {
  const [row, top, bottom, labels, figures] = [38, 6, 40, Math.min(300, width * 0.36), 118];
  const height = top + bars.length * row + bottom;
  const most = Math.max(...bars.map(({ unit }) => unit.time_s));
  const scale = (width - labels - figures) / most;
  const [size, unitName] = TIMES.find(([one]) => most >= one) ?? TIMES[TIMES.length - 1];
  const floor = height - bottom;
  const chart = drawn("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "group",
    "aria-label": `Time per access of ${kernel.name}`,
  });
  for (const tick of steps(most / size, width > 700 ? 8 : 4)) {
    const x = labels + tick * size * scale;
    chart.append(
      drawn("line", { class: "grid", x1: x, x2: x, y1: top, y2: floor }),
      drawn("text", { class: "tick", x, y: floor + 16, "text-anchor": "middle" }, short(tick)),
    );
  }
  chart.append(
    drawn(
      "text",
      { class: "axis", x: labels + (most * scale) / 2, y: height - 6, "text-anchor": "middle" },
      `time (${unitName})`,
    ),
    ...bars.map((bar, i) => timeBar(file, bar, { y: top + i * row, row, labels, scale, width })),
    drawn("line", { class: "base", x1: labels, x2: labels, y1: top, y2: floor }),
  );
  return chart;
}

function timeBar(file, { access, unit, name }, { y, row, labels, scale, width }) {
  const ideal = (unit.t_ideal_s ?? 0) * scale;
  const overhead = (unit.t_ovh_s ?? 0) * scale;
  const room = Math.floor((labels - 16) / 7.3);
  const where = access.place.path ? `${access.place.path}, line ${access.place.line}` : `line ${access.place.line}`;
  const share = unit.share === null ? "" : ` · ${unit.share_text}`;
  const bar = drawn(
    "g",
    { class: "bar" },
    drawn("rect", { class: "touch", x: 0, y, width, height: row }),
    drawn("text", { class: "name", x: labels - 10, y: y + 15, "text-anchor": "end" }, cut(name, room)),
    drawn(
      "text",
      { class: "detail", x: labels - 10, y: y + 29, "text-anchor": "end" },
      cut(`${access.op} · ${unit.hint.split(" · ")[0]} · ${where}`, room * 1.3),
    ),
    drawn("rect", { class: "ideal", x: labels, y: y + 8, width: ideal, height: 20 }),
    drawn("rect", { class: "overhead", x: labels + ideal, y: y + 8, width: overhead, height: 20 }),
    drawn("text", { class: "figure", x: labels + ideal + overhead + 8, y: y + 22 }, `${unit.time}${share}`),
  );
  const label = `${name}, ${where}: ${unit.time}${share}; T_ideal ${unit.t_ideal}, T_ovh ${unit.t_ovh}`;
  return leadingTo(bar, file, access.place, label);
}

function cut(text, room) {
  return text.length <= room ? text : `${text.slice(0, Math.max(Math.floor(room) - 1, 1))}…`;
}
