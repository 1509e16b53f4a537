/* The source with what each line costs next to it. */

const opened = new Set();
const WORDS =
  "__kernel kernel __global global __local local __constant constant __private private __attribute__ restrict const volatile " +
  "unsigned signed static inline struct union enum typedef if else for while do switch case default break continue return sizeof channel";
const TYPES = /^(?:(?:bool|u?char|u?short|u?int|u?long|half|float|double)(?:2|3|4|8|16)?|void|size_t|ptrdiff_t)$/;
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"?|^[ \t]*#(?:\\\r?\n|[^\n])*|\b\d[\w.]*|[A-Za-z_]\w*/gm;
const KEYWORDS = new Set(WORDS.split(" "));

function lineId(file, line) {
  return `file-${file.number}-line-${line}`;
}

/** The whole file as a table: line, text, cost. */
function sourceTable(file) {
  const starts = lineStarts(file.text);
  const marks = marksOf(file);
  const pieces = piecesOf(file.text, starts, marks);
  const findings = grouped(file.findings, (finding) => finding.line);
  const byLine = grouped(marks, (mark) => mark.access.place.line);
  const rows = starts.flatMap((_, i) =>
    sourceRows(file, i + 1, pieces[i], byLine.get(i + 1) ?? [], findings.get(i + 1) ?? []),
  );
  const heads = ["Line", "Source", "Cost"].map((label) => element("th", { scope: "col" }, label));
  return element(
    "table",
    { class: "source" },
    element("caption", { class: "unseen" }, `Source of ${file.path}`),
    element("thead", { class: "unseen" }, element("tr", {}, heads)),
    element("tbody", {}, rows),
  );
}

/** The accesses of the file's own text, one entry for each place and kernel. */
function marksOf(file) {
  return file.kernels.flatMap((kernel) =>
    kernel.accesses.filter((access) => access.place.path === null).map((access) => ({ kernel, access })),
  );
}

function grouped(items, key) {
  const groups = new Map();
  for (const item of items) {
    if (!groups.has(key(item))) groups.set(key(item), []);
    groups.get(key(item)).push(item);
  }
  return groups;
}

function lineStarts(text) {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\n|\r/g)) starts.push(end.index + end[0].length);
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  return starts;
}

/** Each line as pieces with the classes they are shown in. */
function piecesOf(text, starts, marks) {
  const spans = [];
  for (const token of text.matchAll(TOKEN)) {
    const kind = tokenKind(token[0]);
    if (kind) spans.push({ start: token.index, end: token.index + token[0].length, kind });
  }
  for (const { access } of marks) {
    const { line, column, end_line: last, end_column: end } = access.place;
    if (last <= starts.length)
      spans.push({ start: starts[line - 1] + column - 1, end: starts[last - 1] + end - 1, kind: "access" });
  }
  const cuts = [...new Set([...starts, text.length, ...spans.flatMap((span) => [span.start, span.end])])].sort(
    (a, b) => a - b,
  );
  const opening = grouped(spans, (span) => span.start);
  const pieces = starts.map(() => []);
  let live = [];
  let line = 0;
  for (let i = 0; i + 1 < cuts.length; i++) {
    const at = cuts[i];
    live = [...live.filter((span) => span.end > at), ...(opening.get(at) ?? []).filter((span) => span.end > at)];
    while (line + 1 < starts.length && starts[line + 1] <= at) line++;
    const shown = text.slice(at, cuts[i + 1]).replace(/[\r\n]+$/, "");
    const kinds = [...new Set(live.map((span) => span.kind))].join(" ");
    if (shown) pieces[line].push(kinds ? element("span", { class: kinds }, shown) : shown);
  }
  return pieces;
}

function tokenKind(token) {
  if (token.startsWith("//") || token.startsWith("/*")) return "comment";
  if (token.startsWith('"')) return "string";
  if (token.trimStart().startsWith("#")) return "directive";
  if (/^\d/.test(token)) return "literal";
  return KEYWORDS.has(token) ? "keyword" : TYPES.test(token) ? "type" : null;
}

function sourceRows(file, line, pieces, marks, findings) {
  const share = Math.max(0, ...marks.flatMap(({ access }) => access.units.map((unit) => unit.share ?? 0)));
  const key = `${file.path}:${line}`;
  const detail = marks.length || findings.length ? detailRow(marks, findings) : null;
  const row = element(
    "tr",
    { id: lineId(file, line), class: marks.length ? "costs" : null },
    element("th", { scope: "row", class: "line" }, String(line)),
    element("td", { class: "code", colspan: detail ? null : 2 }, pieces),
    detail ? element("td", { class: "cost" }, costButton(key, line, marks, findings, detail)) : null,
  );
  row.style.setProperty("--share", share);
  return detail ? [row, detail] : [row];
}

function costButton(key, line, marks, findings, detail) {
  const hints = marks.flatMap(({ access }) => access.units.map((unit) => unit.hint));
  const served = marks.filter(({ access }) => !access.units.length && access.served_at).length;
  const chips = [...new Set(hints)].map((hint) => element("span", { class: "chip" }, hint));
  if (!chips.length && served) chips.push(element("span", { class: "chip quiet" }, "shares a unit"));
  const codes = [...new Set(findings.map((finding) => finding.code))].map((code) =>
    element("span", { class: "code-mark" }, code),
  );
  const button = element(
    "button",
    {
      type: "button",
      class: "reveal",
      "data-key": key,
      "aria-label": `Line ${line}: ${[...hints, ...findings.map((f) => f.code)].join(", ")}`,
      click: toggled,
    },
    chips,
    codes,
  );
  function show(open) {
    button.setAttribute("aria-expanded", String(open));
    detail.hidden = !open;
    if (open) opened.add(key);
    else opened.delete(key);
  }
  function toggled() {
    show(detail.hidden);
  }
  show(opened.has(key));
  return button;
}

function detailRow(marks, findings) {
  const cards = marks.map(({ kernel, access }) =>
    element(
      "section",
      { class: "card" },
      element("h3", {}, element("code", {}, access.text), ` · ${access.op} in ${kernel.name}`),
      access.units.map((unit) =>
        element(
          "p",
          {},
          element("strong", {}, unit.style),
          `, ${unit.detail} · T_ideal ${unit.t_ideal} · T_ovh ${unit.t_ovh} · ${unit.bandwidth}`,
        ),
      ),
      notes(access.units.length ? access.notes : access.notes.slice(0, 1)),
    ),
  );
  const messages = [...grouped(findings, (finding) => finding.code + finding.message).values()].map(([finding]) =>
    element(
      "section",
      { class: "card" },
      element("p", {}, element("span", { class: "code-mark" }, finding.code), ` ${finding.message}`),
      finding.fixes.length
        ? element(
            "ul",
            {},
            finding.fixes.map((fix) => element("li", {}, fix.title)),
          )
        : null,
    ),
  );
  return element("tr", { class: "detail" }, element("td", {}), element("td", { colspan: 2 }, cards, messages));
}

function notes(list) {
  return list.map(({ label, text }) => element("p", { class: "note" }, element("strong", {}, `${label}: `), text));
}
