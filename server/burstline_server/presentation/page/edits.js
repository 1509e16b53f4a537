/* What to do about a kernel: changes in words, and edits with the lines before and after each. */

const NEEDS = {
  assertion: "you assert something about the buffers",
  host: "the host program changes as well",
};

function toDo(kernel) {
  const words = kernel.levers.length ? element("ol", { class: "levers" }, kernel.levers.map(leverItem)) : null;
  const edits = element("div", { class: "edits", "data-kernel": kernel.name }, editList(kernel.name, kernel.edits));
  if (!words && !host && !kernel.edits?.length) return null;
  return element("section", { class: "do" }, element("h3", {}, "What to do"), words, edits);
}

function leverItem(text) {
  const [, before, gain] = /^(.*): (.* → .*)$/.exec(text) ?? [null, text, ""];
  return element("li", {}, before, gain ? element("span", { class: "gain" }, gain) : null);
}

/** The edits that an editor sent last, by kernel: they stay, and cannot be made, until it has tried those of now. */
const lastEdits = new Map();

/** The edits of a kernel, the first one open; null while an editor still looks for them. */
function editList(kernel, edits) {
  if (edits === null && !host) return [];
  if (edits === null) {
    const before = lastEdits.get(kernel);
    return before ? [element("div", { class: "old", inert: true }, editList(kernel, before))] : [element("p", { class: "note" }, "Trying edits…")];
  }
  const none = missing.size ? "What edits gain is known once the sizes are given." : "No edit on offer pays here.";
  if (!edits.length) return [element("p", { class: "note" }, none)];
  return edits.map((edit, i) => editCard(kernel, edit, i === 0));
}

function editCard(kernel, edit, first) {
  const key = `${kernel}:edit:${edit.id}`;
  const gain = edit.before && edit.after ? `${edit.before} → ${edit.after}` : "";
  const click = (event) => {
    event.preventDefault();
    host?.postMessage({ type: "applyEdit", kernel, edit: edit.id });
  };
  const made = element(
    "details",
    { class: "edit", open: folds.get(key) ?? first, toggle: () => folds.set(key, made.open) },
    element(
      "summary",
      { "data-key": key },
      element("span", { class: "edit-title" }, edit.title),
      gain ? element("span", { class: "gain" }, gain) : null,
    ),
    edit.reason ? element("p", { class: "note" }, `${edit.reason}.`) : null,
    edit.needs === "proved" ? null : element("p", { class: "note needs" }, `Note: ${NEEDS[edit.needs]}.`),
    edit.hunks.map((hunk) => hunkTable(edit, hunk)),
    edit.host
      ? [element("p", { class: "note" }, "In the host program:"), element("pre", { class: "code host-code" }, edit.host)]
      : null,
    host ? element("button", { type: "button", class: "act", click }, "Make this edit") : null,
  );
  return made;
}

/** Lines before and after an edit, next to each other; one under the other where there is little room. */
function hunkTable(edit, hunk) {
  let number = hunk.line;
  const rows = hunk.pairs.map(([before, after]) => {
    const changed = before !== after;
    const row = element(
      "tr",
      { class: changed ? "changed" : null },
      element("td", { class: "line" }, before === null ? "" : String(number)),
      element("td", { class: changed && before !== null ? "code gone" : "code" }, before ?? ""),
      element("td", { class: changed && after !== null ? "code come" : "code" }, after ?? ""),
    );
    if (before === null) row.classList.add("added");
    if (after === null) row.classList.add("left");
    if (before !== null) number += 1;
    return row;
  });
  const heads = ["Line", "Before", "After"].map((label) => element("th", { scope: "col" }, label));
  return element(
    "table",
    { class: "hunk" },
    element("caption", { class: "unseen" }, `${edit.title}: before and after`),
    element("thead", {}, element("tr", {}, heads)),
    element("tbody", {}, rows),
  );
}

/** Put in the edits of a kernel that came after its page. */
function showEdits(kernel, edits) {
  lastEdits.set(kernel, edits);
  for (const place of document.querySelectorAll(".edits"))
    if (place instanceof HTMLElement && place.dataset.kernel === kernel) place.replaceChildren(...editList(kernel, edits));
}
