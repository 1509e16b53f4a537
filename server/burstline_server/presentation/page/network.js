/* Kernels that channels join: who sends to whom, the time of each, and the slowest, which all others wait for. */

function networkFigure(file, kernel, network, width) {
  return figure(
    `${kernel.name}-network`,
    "Kernels that run at the same time",
    null,
    networkChart(file, kernel, network, width),
    network.remark,
  );
}

/** Each kernel one step behind the last one that it reads from; what closes a circle leads back. */
function levels(network) {
  const level = network.stages.map(() => 0);
  for (let pass = 1; pass < network.stages.length; pass++)
    for (const [from, to] of network.links)
      if (level[to] <= level[from] && from !== to && level[from] + 1 < network.stages.length) level[to] = level[from] + 1;
  const used = [...new Set(level)].sort((a, b) => a - b);
  return level.map((one) => used.indexOf(one));
}

function networkChart(file, kernel, network, width) {
  const level = levels(network);
  const depth = Math.max(...level) + 1;
  const rows = Array.from({ length: depth }, (_, i) => level.flatMap((one, stage) => (one === i ? [stage] : [])));
  const widest = Math.max(...rows.map((row) => row.length));
  const across = width >= Math.max(NARROW, depth * 230);
  const [high, gap] = [46, across ? 16 : 44];
  const broad = across ? Math.min(220, width / depth - 64) : Math.min(260, width / widest - 12);
  const step = across ? (width - broad) / Math.max(depth - 1, 1) : high + gap;
  const height = across ? widest * (high + gap) : depth * step - gap + 4;
  const at = new Map();
  rows.forEach((row, i) =>
    row.forEach((stage, j) => {
      const along = (j + 0.5) / row.length;
      at.set(
        stage,
        across
          ? { x: Math.min(i * step, width - broad - 1) + 0.5, y: along * height - high / 2 }
          : { x: along * width - broad / 2, y: i * step + 2 },
      );
    }),
  );
  const chart = drawn("svg", {
    class: "chart network",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "group",
    "aria-label": `Kernels joined by channels: ${network.stages.map((stage) => `${stage.kernel} ${stage.time}`).join(", ")}`,
  });
  const ends = { broad, high, across };
  chart.append(
    ...linksOf(network).map(([from, to, names]) => channelLine(at.get(from), at.get(to), names, ends)),
    ...network.stages.map((stage, i) => stageBox(file, kernel, stage, at.get(i), ends)),
  );
  return chart;
}

/** One line for all channels between two kernels. */
function linksOf(network) {
  const found = new Map();
  for (const [from, to, name] of network.links) {
    const key = `${from} ${to}`;
    if (!found.has(key)) found.set(key, [from, to, []]);
    found.get(key)[2].push(name);
  }
  return [...found.values()];
}

function channelLine(from, to, names, { broad, high, across }) {
  const start = across ? [from.x + broad, from.y + high / 2] : [from.x + broad / 2, from.y + high];
  const end = across ? [to.x - 7, to.y + high / 2] : [to.x + broad / 2, to.y - 7];
  const [x, y] = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
  const turn = across ? `C ${x} ${start[1]} ${x} ${end[1]}` : `C ${start[0]} ${y} ${end[0]} ${y}`;
  const [tipX, tipY] = across ? [end[0] + 7, end[1]] : [end[0], end[1] + 7];
  const tip = across
    ? `${end[0]},${end[1] - 4} ${end[0]},${end[1] + 4} ${tipX},${tipY}`
    : `${end[0] - 4},${end[1]} ${end[0] + 4},${end[1]} ${tipX},${tipY}`;
  const label = names.length > 1 ? `${names[0]} +${names.length - 1}` : names[0];
  const place = across ? { x, y: y - 7, "text-anchor": "middle" } : { x: x + 8, y: y + 4 };
  return drawn(
    "g",
    {},
    drawn("title", {}, names.join(", ")),
    drawn("path", { class: "channel", d: `M ${start.join(" ")} ${turn} ${end.join(" ")}` }),
    drawn("polygon", { class: "tip", points: tip }),
    drawn("text", { class: "detail", ...place }, cut(label, across ? 9 : 32)),
  );
}

function stageBox(file, kernel, stage, { x, y }, { broad, high }) {
  const kinds = ["stage", stage.slowest ? "slowest" : "", stage.kernel === kernel.name ? "own" : ""];
  const box = drawn(
    "g",
    { class: kinds.filter(Boolean).join(" ") },
    drawn("rect", { x, y, width: broad, height: high, rx: 5 }),
    drawn("text", { class: "name", x: x + 10, y: y + 19 }, cut(stage.kernel, (broad - 20) / 7.4)),
    drawn("text", { class: "figure", x: x + 10, y: y + 36 }, stage.slowest ? `${stage.time} · slowest` : stage.time),
  );
  const place = { path: null, line: stage.line, column: 1 };
  return leadingTo(box, file, place, `${stage.kernel}: ${stage.time}${stage.slowest ? ", the slowest" : ""}`);
}
