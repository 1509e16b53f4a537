/* One kernel: its first line, what to do, what takes the time, and folded below that all figures. */

function kernelSection(file, kernel) {
  const id = kernelId(file, kernel);
  return element(
    "section",
    { class: "kernel", id, "aria-labelledby": `${id}-name` },
    host ? null : headerCard(kernel, `${id}-name`), // an editor has it on top, over the fields
    timeFigure(file, kernel, roomInside()),
    toDo(kernel),
    file.networks
      .filter((network) => network.stages.some((stage) => stage.kernel === kernel.name))
      .map((network) => networkFigure(file, kernel, network, roomInside())),
    folded(
      `${file.path}:${kernel.name}:figures`,
      "Figures",
      facts(kernel),
      reading(file, kernel),
      rooflineFigure(kernel, Math.min(roomInside(), 760)),
      accessTable(file, kernel, id),
      kernel.loops.length ? loopTable(file, kernel, id) : null,
      kernel.variants.length ? variantTable(file, kernel, id) : null,
    ),
  );
}

function kernelId(file, kernel) {
  return `file-${file.number}-kernel-${file.kernels.indexOf(kernel)}`;
}

function whose(file, kernel) {
  return `${kernel.name} in ${file.path}`;
}

/** What lenses, hovers and the command line say first: time, limit, lever. */
function headerCard(kernel, id) {
  return element(
    "header",
    { class: "head" },
    element("h2", { id }, kernel.name, element("span", { class: "kind" }, `${kernel.kind} · line ${kernel.line}`)),
    timeLine(kernel.time),
    kernel.limit ? element("p", { class: "limit" }, together(kernel.limit)) : null,
    kernel.lever ? element("p", { class: "lever" }, element("span", { class: "label" }, "do"), together(kernel.lever)) : null,
    host && kernel.assumed ? null : element("p", { class: "wall" }, kernel.wall), // fields ask for the sizes there
  );
}

/** A text whose figures are not parted from their units at a line's end. */
function together(text) {
  return text.replace(/(\d|≈\??) (?=[\d.]*(?:\d|[mµn]?s\b|%|[kMG]?B\b))/g, "$1\u00a0");
}

/** The time large, its range small. */
function timeLine(time) {
  const [, figure, rest] = /^(.*?)( \(.*\)(?: at assumed sizes)?| at assumed sizes|)$/.exec(time) ?? [null, time, ""];
  return element("p", { class: "time" }, figure, rest ? element("span", { class: "range" }, rest) : null);
}

/** A part of the page that can be folded, and stays as the user has it. In an editor's narrow column it begins folded. */
function folded(key, title, ...content) {
  const made = element(
    "details",
    { class: "more", open: folds.get(key) ?? !host, toggle: () => folds.set(key, made.open) },
    element("summary", {}, title),
    content,
  );
  return made;
}

const folds = new Map();

function facts(kernel) {
  const shown = [
    kernel.bandwidth ? fact("Bandwidth", kernel.bandwidth, meter(kernel.bandwidth_share, kernel.bandwidth)) : null,
    fact("Units", `${kernel.unit_count} LSU${kernel.unit_count === 1 ? "" : "s"}`, null),
    kernel.confidence ? fact("Confidence", kernel.confidence, null) : null,
    kernel.potentials.map(({ label, value }) =>
      fact(label, value.toFixed(2), meter(value, `${label} ${value.toFixed(2)}`)),
    ),
  ];
  return element("dl", { class: "facts" }, shown);
}

/** What the figures rest on. */
function reading(file, kernel) {
  const inputs = [
    ...kernel.assumptions.map((one) => [one.name, one.value, one.provenance]),
    ["board", file.board, null],
  ];
  return element(
    "div",
    { class: "reading" },
    notes(kernel.notes),
    element(
      "p",
      { class: "inputs" },
      element("strong", {}, "Inputs: "),
      inputs.map(([name, value, source], i) => [
        i ? " · " : "",
        symbol(name),
        " ",
        element("b", {}, value),
        source ? ` (${source})` : "",
      ]),
    ),
  );
}

function fact(label, value, picture) {
  return element("div", {}, element("dt", {}, symbol(label)), element("dd", {}, value, picture));
}

function accessTable(file, kernel, id) {
  const rows = unitsOf(kernel);
  if (!rows.length) return element("p", { class: "note" }, "No access to global memory.");
  const place = (row) => (row.access.place.path ? `${row.access.place.path}:` : "") + row.access.place.line;
  const time = (field) => ({ number: true, value: (row) => row.unit[`${field}_s`], cell: (row) => row.unit[field] });
  return table(
    `${id}-accesses`,
    "Accesses",
    whose(file, kernel),
    [
      {
        label: "Access",
        value: (row) => row.name,
        cell: (row) =>
          leadingTo(element("code", {}, row.name), file, row.access.place, `${row.name}, line ${place(row)}`),
      },
      { label: "Line", number: true, value: (row) => row.access.place.line, cell: place },
      { label: "Op", value: (row) => row.access.op, cell: (row) => row.access.op },
      {
        label: "Unit",
        value: (row) => row.unit.style,
        cell: (row) => (row.unit.count > 1 ? `${row.unit.count} × ${row.unit.style}` : row.unit.style),
      },
      { label: "Width", number: true, value: (row) => parseFloat(row.unit.width), cell: (row) => row.unit.width },
      {
        label: "δ",
        title: "stride, in elements",
        number: true,
        value: (row) => row.unit.stride,
        cell: (row) => row.unit.stride,
      },
      { label: "T_ideal", ...time("t_ideal") },
      { label: "T_ovh", ...time("t_ovh") },
      { label: "Time", ...time("time") },
      {
        label: "Share",
        title: "of the kernel's time",
        number: true,
        value: (row) => row.unit.share,
        cell: (row) => row.unit.share_text,
      },
      {
        label: "Saturated",
        value: (row) => row.unit.saturated,
        cell: (row) => (row.unit.saturated === null ? "–" : row.unit.saturated ? "yes" : "no"),
      },
      { label: "Confidence", value: (row) => row.unit.confidence, cell: (row) => row.unit.confidence },
    ],
    rows,
  );
}

function loopTable(file, kernel, id) {
  const known = (value) => (value === null ? "not known" : whole(value));
  const number = (label, title, field) => ({
    label,
    title,
    number: true,
    value: (loop) => loop[field],
    cell: (loop) => known(loop[field]),
  });
  return table(
    `${id}-loops`,
    "Loops",
    whose(file, kernel),
    [
      { label: "Line", number: true, value: (loop) => loop.line, cell: (loop) => String(loop.line) },
      number("Trips", "iterations", "trip"),
      number("II", "initiation interval, in clock cycles", "ii"),
      number("Unroll", "copies of the body", "unroll"),
      {
        label: "Pipelined",
        value: (loop) => loop.pipelined,
        cell: (loop) => (loop.pipelined === null ? "not known" : loop.pipelined ? "yes" : "no"),
      },
      { label: "Waits for", cell: (loop) => loop.serialised_by ?? "–" },
    ],
    kernel.loops,
  );
}

function variantTable(file, kernel, id) {
  const knobs = [...new Set(kernel.variants.flatMap((variant) => Object.keys(variant.knobs)))];
  const known = (field) => kernel.variants.some((variant) => variant[field] !== null);
  const share = (label, field) => ({
    label,
    number: true,
    value: (variant) => variant[field],
    cell: (variant) =>
      variant[field] === null
        ? "–"
        : element(
            "span",
            { class: "share" },
            percent(variant[field]),
            meter(variant[field], `${label} ${percent(variant[field])}`),
          ),
  });
  const resources = { logic: "Logic", registers: "Registers", rams: "RAM", dsps: "DSP" };
  const [fits, others] = [kernel.variants.filter((v) => v.feasible), kernel.variants.filter((v) => !v.feasible)];
  const ranked = [...inOrder(fits, (variant) => variant.time_ms, false), ...others];
  return table(
    `${id}-variants`,
    "Variants",
    whose(file, kernel),
    [
      { label: "#", number: true, value: (variant) => variant.number, cell: (variant) => String(variant.number) },
      ...knobs.map((knob) => ({
        label: knob,
        value: (variant) => variant.knobs[knob],
        cell: (variant) => variant.knobs[knob] ?? "–",
      })),
      {
        label: "Time",
        number: true,
        value: (variant) => variant.time_ms,
        cell: (variant) => variant.time,
      },
      {
        label: "f_max",
        number: true,
        value: (variant) => variant.f_max_mhz,
        cell: (variant) => variant.f_max,
      },
      ...Object.keys(resources)
        .filter(known)
        .map((field) => share(resources[field], field)),
      {
        label: "Pareto",
        title: "no other is better in time and resources at once",
        value: (variant) => (variant.pareto ? 0 : 1),
        cell: (variant) => (variant.pareto ? "● front" : ""),
      },
      { label: "Remark", cell: (variant) => (variant.feasible ? variant.why : `does not fit: ${variant.why}`) },
      ...(host && kernel.variants.some((variant) => variant.setting !== null)
        ? [{ label: "Edit", cell: (variant) => applyButton(kernel, variant) }]
        : []),
    ],
    ranked,
    (variant) => (variant.feasible ? (variant.pareto ? "front" : null) : "infeasible"),
  );
}

/** A button that has the editor make a variant. */
function applyButton(kernel, variant) {
  const { number, setting } = variant;
  if (setting === null) return "";
  const label = `Edit the kernel into variant ${number}`;
  const click = () => host?.postMessage({ type: "apply", kernel: kernel.name, setting });
  return element("button", { type: "button", class: "quiet-button", "aria-label": label, click }, "Apply");
}
