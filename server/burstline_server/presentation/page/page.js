/* The page: for each file its kernels, then its source. */

function fileSection(file) {
  return element(
    "article",
    { class: "file" },
    element("h1", { title: file.path }, host ? baseName(file.path) : file.path, element("span", { class: "kind" }, file.board)),
    file.remark ? element("p", { class: "note" }, file.remark) : null,
    file.kernels.map((kernel) => kernelSection(file, kernel)),
    // An editor has the source next to the page.
    host
      ? null
      : element(
          "section",
          { class: "listing", "aria-label": `Source of ${file.path}` },
          element("h2", {}, "Source"),
          sourceTable(file),
        ),
  );
}

function heads(files) {
  return files.flatMap((file) => file.kernels.map((kernel) => headerCard(kernel, `${kernelId(file, kernel)}-name`)));
}

function baseName(path) {
  return path.split(/[\\/]/).at(-1);
}

function contents(files) {
  const links = files.flatMap((file) =>
    file.kernels.map((kernel) =>
      element(
        "li",
        {},
        element(
          "a",
          { href: `#${kernelId(file, kernel)}` },
          kernel.name,
          " ",
          element("span", {}, kernel.time.replace("≈ ", "").replace(/(?: \(.*\))? at assumed sizes$/, "")),
        ),
      ),
    ),
  );
  return links.length > 1 ? element("nav", { "aria-label": "Kernels" }, element("ul", {}, links)) : null;
}

let last = null;
let width = 0;

/** Draw a document; what was open, sorted and focused stays so. */
function render(given) {
  last = given;
  width = document.documentElement.clientWidth;
  const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.key : undefined;
  const files = given.files.map((file, number) => ({ ...file, number }));
  document.title = `${given.title} · Burstline`;
  showControls(given.controls);
  const bar = element(
    "div",
    { class: "top" },
    element("span", { class: "mark" }, "Burstline"),
    contents(files),
    host ? null : themeButton,
  );
  bar.hidden = host !== null && files.flatMap((file) => file.kernels).length < 2;
  const first = element("div", { class: "first" }, host ? heads(files) : null);
  first.hidden = !host;
  if (controls.isConnected) {
    for (const old of byId("bar").querySelectorAll(":scope > .top, :scope > .first")) old.remove();
    byId("bar").prepend(bar, first);
  } else byId("bar").replaceChildren(bar, first, controls);
  byId("main").replaceChildren(...files.map(fileSection));
  byId("foot").replaceChildren(
    element("p", {}, `Predicted by ${given.tool}. Times are estimates of a model, not measurements.`),
  );
  const again = focus ? document.querySelector(`[data-key="${CSS.escape(focus)}"]`) : null;
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/** Mark what belongs to the line of the caret. */
function showCaret(line) {
  for (const one of document.querySelectorAll("[data-line]"))
    one.classList.toggle("here", one instanceof Element && one.getAttribute("data-line") === String(line));
}

addEventListener("message", (event) => {
  if (!host) return;
  const { type, document: given, kernel, edits, line } = event.data ?? {};
  if (type === "update") render(given);
  if (type === "edits") showEdits(kernel, edits);
  if (type === "caret") showCaret(line);
  if (type === "forget") tried.clear();
  if (type === "variants") showVariants();
});

function showVariants() {
  const table = document.querySelector("[id$=-variants]");
  const holds = table?.closest("details");
  if (holds) holds.open = true;
  table?.scrollIntoView();
}

// Drawings are made for the page's width.
addEventListener("resize", () => {
  if (last && document.documentElement.clientWidth !== width) render(last);
});
if (host) document.documentElement.dataset.host = "";
followTheme();
render(JSON.parse(byId("document").textContent ?? ""));
