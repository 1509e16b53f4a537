/* The roofline: what the kernel's arithmetic and its memory allow, and where the kernel lies; both axes logarithmic. */

const FORMS = { A: "data sent by the host for each launch", B: "data in the board's memory", C: "data on the chip" };

/** The chart, or null where there is nothing to draw. */
function rooflineFigure(kernel, width) {
  const roofs = (kernel.roofline?.roofs ?? []).filter((roof) => roof.value > 0);
  if (!roofs.length) return null;
  const points = kernel.roofline.points.filter((point) => point.intensity > 0 && point.performance > 0);
  const { limited_by: limit, replication_limit: copies, form } = kernel.roofline;
  const label = [`limit with more copies: ${limit}`];
  if (copies !== null) label.push(copies === 1 ? "more copies do not pay" : `more than ${copies} copies do not pay`);
  label.push(`${FORMS[form]} (form ${form})`);
  return figure(
    `${kernel.name}-roofline`,
    "Roofline",
    null,
    rooflineChart(kernel, roofs, points, width),
    label.join(" · "),
  );
}

function rooflineChart(kernel, roofs, points, width) {
  const of = (kind) => roofs.filter((roof) => roof.kind === kind).sort((a, b) => b.value - a.value);
  const [compute, bandwidth] = [of("compute"), of("bandwidth")];
  const speed = kernel.roofline.unit === "FLOP" ? "GFLOP/s" : "GOP/s";
  const frame = { left: 62, right: 16, top: 14, bottom: 44, width, height: Math.max(320, Math.min(400, width * 0.62)) };
  const scales = rooflineScales(compute, bandwidth, points, frame);
  const label = [
    ...roofs.map((roof) => `${roof.label} ${digits(roof.value)} ${roof.kind === "compute" ? speed : "GB/s"}`),
    ...points.map((p) => `${p.label} at ${digits(p.intensity)} operations per byte, ${digits(p.performance)} ${speed}`),
  ];
  const chart = drawn("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${frame.height}`,
    width,
    height: frame.height,
    role: "img",
    "aria-label": `Roofline of ${kernel.name}: ${label.join("; ")}`,
  });
  chart.append(
    ...rooflineAxes(scales, frame, speed),
    envelope(compute, bandwidth, scales),
    ...bandwidth.map((roof, i) => bandwidthRoof(roof, i, i > 0 && i === bandwidth.length - 1, compute[0], scales)),
    ...compute.map((roof, i) => computeRoof(roof, compute[i - 1], bandwidth[0], scales, speed)),
    ...rooflinePoints(points, scales, frame, speed),
  );
  return chart;
}

/** The range of both axes, whole decades around all that is drawn, and the way from figures to places. */
function rooflineScales(compute, bandwidth, points, frame) {
  const ridges = compute.flatMap((c) => bandwidth.map((b) => c.value / b.value));
  const across = [...ridges, ...points.map((p) => p.intensity)];
  const x = decades(across.length ? across : [1], 0.5);
  const slopes = compute.length ? [] : bandwidth.map((b) => b.value * 10 ** x.most);
  const up = [...compute.map((c) => c.value), ...points.map((p) => p.performance), ...slopes];
  const lowest = bandwidth.map((b) => b.value * Math.min(...across, Infinity));
  const y = decades([...up, ...lowest.filter(Number.isFinite)], 0.2);
  const [w, h] = [frame.width - frame.left - frame.right, frame.height - frame.top - frame.bottom];
  return {
    x: (value) => frame.left + (w * (Math.log10(value) - x.least)) / (x.most - x.least),
    y: (value) => frame.top + h - (h * (Math.log10(value) - y.least)) / (y.most - y.least),
    least: { x: 10 ** x.least, y: 10 ** y.least },
    most: { x: 10 ** x.most, y: 10 ** y.most },
    decades: { x, y },
  };
}

function decades(values, room) {
  const logs = values.map(Math.log10);
  const least = Math.floor(Math.min(...logs) - room);
  return { least, most: Math.max(Math.ceil(Math.max(...logs) + room), least + 1) };
}

function rooflineAxes(scales, frame, speed) {
  const [low, right] = [frame.height - frame.bottom, frame.width - frame.right];
  const lines = [];
  for (let power = scales.decades.x.least; power <= scales.decades.x.most; power++) {
    const at = scales.x(10 ** power);
    lines.push(
      drawn("line", { class: "grid", x1: at, x2: at, y1: frame.top, y2: low }),
      drawn("text", { class: "tick", x: at, y: low + 16, "text-anchor": "middle" }, short(10 ** power)),
    );
  }
  for (let power = scales.decades.y.least; power <= scales.decades.y.most; power++) {
    const at = scales.y(10 ** power);
    lines.push(
      drawn("line", { class: "grid", x1: frame.left, x2: right, y1: at, y2: at }),
      drawn("text", { class: "tick", x: frame.left - 8, y: at + 4, "text-anchor": "end" }, short(10 ** power)),
    );
  }
  const middle = (frame.top + low) / 2;
  lines.push(
    drawn(
      "text",
      { class: "axis", x: (frame.left + right) / 2, y: frame.height - 6, "text-anchor": "middle" },
      "intensity (operations per byte)",
    ),
    drawn(
      "text",
      { class: "axis", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` },
      `performance (${speed})`,
    ),
  );
  return lines;
}

/** What can be attained: under the lowest roof of each kind. */
function envelope(compute, bandwidth, scales) {
  const top = compute.at(-1)?.value ?? scales.most.y;
  const slope = bandwidth.at(-1)?.value;
  const start = slope ? Math.max(scales.least.x, scales.least.y / slope) : scales.least.x;
  const ridge = slope ? Math.min(Math.max(top / slope, start), scales.most.x) : start;
  const corner = slope ? Math.min(top, slope * ridge) : top;
  const places = [
    [start, scales.least.y],
    [start, slope ? Math.max(slope * start, scales.least.y) : top],
    [ridge, corner],
    [scales.most.x, corner],
    [scales.most.x, scales.least.y],
  ];
  return drawn("polygon", {
    class: "attainable",
    points: places.map(([x, y]) => `${scales.x(x)},${scales.y(y)}`).join(" "),
  });
}

/** The widest is named above its line, the narrowest at its far end, away from the kernel, and the others between. */
function bandwidthRoof(roof, i, narrowest, highest, scales) {
  const top = Math.min(highest?.value ?? scales.most.y, scales.most.y);
  const start = Math.max(scales.least.x, scales.least.y / roof.value);
  const end = Math.min(top / roof.value, scales.most.x);
  const [x1, y1, x2, y2] = [scales.x(start), scales.y(start * roof.value), scales.x(end), scales.y(end * roof.value)];
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const along = narrowest ? 0.97 : 0.04 + 0.3 * Math.max(i - 1, 0);
  const [x, y] = [x1 + (x2 - x1) * along, y1 + (y2 - y1) * along];
  return drawn(
    "g",
    {},
    drawn("title", {}, roof.why),
    drawn("line", { class: "roof bandwidth", x1, y1, x2, y2 }),
    drawn(
      "text",
      {
        class: "roof-label",
        x,
        y: i ? y + 15 : y - 6,
        "text-anchor": narrowest ? "end" : "start",
        transform: `rotate(${angle} ${x} ${y})`,
      },
      `${roof.label} · ${digits(roof.value)} GB/s`,
    ),
  );
}

/** Named above its line, where the roof over it leaves room. */
function computeRoof(roof, next, widest, scales, speed) {
  const start = widest ? Math.max(roof.value / widest.value, scales.least.x) : scales.least.x;
  const y = scales.y(roof.value);
  const crowded = next && y - scales.y(next.value) < 20;
  return drawn(
    "g",
    {},
    drawn("title", {}, roof.why),
    drawn("line", { class: "roof compute", x1: scales.x(start), y1: y, x2: scales.x(scales.most.x), y2: y }),
    drawn(
      "text",
      { class: "roof-label", x: scales.x(scales.most.x) - 4, y: crowded ? y + 15 : y - 6, "text-anchor": "end" },
      `${roof.label} · ${digits(roof.value)} ${speed}`,
    ),
  );
}

/** The kernel, and smaller its copies; those too near to one that has a name stay without. */
function rooflinePoints(points, scales, frame, speed) {
  const named = [];
  return points
    .map((point, i) => {
      const [x, y] = [scales.x(point.intensity), scales.y(point.performance)];
      const free = named.every((other) => Math.abs(other - y) > 15);
      if (free) named.push(y);
      const onTheRight = !i && x < frame.width * 0.7;
      const place = {
        x: onTheRight ? x + 8 : x - 10,
        y: i ? y + 4 : y + 17,
        "text-anchor": onTheRight ? "start" : "end",
      };
      const label = `${point.label} · ${digits(point.performance)} ${speed}`;
      return drawn(
        "g",
        {},
        drawn("title", {}, label),
        drawn("circle", { class: i ? "point copy" : "point", cx: x, cy: y, r: i ? 3.5 : 5.5 }),
        free ? drawn("text", { class: i ? "point-label copy" : "point-label", ...place }, label) : null,
      );
    })
    .reverse();
}
