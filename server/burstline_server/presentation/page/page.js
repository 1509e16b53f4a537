/* The page: for each file its kernels, then its source. */

function fileSection(file) {
  return element(
    "article",
    { class: "file" },
    element("h1", {}, file.path, element("span", { class: "kind" }, file.board)),
    file.remark ? element("p", { class: "note" }, file.remark) : null,
    file.kernels.map((kernel) => kernelSection(file, kernel)),
    element(
      "section",
      { class: "listing", "aria-label": `Source of ${file.path}` },
      element("h2", {}, "Source"),
      sourceTable(file),
    ),
  );
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
          element("span", {}, kernel.time.replace("≈ ", "").replace(/ at assumed sizes$/, "")),
        ),
      ),
    ),
  );
  return links.length > 1 ? element("nav", { "aria-label": "Kernels" }, element("ul", {}, links)) : null;
}

/** Draw a document; what was open, sorted and focused stays so. */
function render(given) {
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
  if (controls.isConnected) byId("bar").firstElementChild?.replaceWith(bar);
  else byId("bar").replaceChildren(bar, controls);
  byId("main").replaceChildren(...files.map(fileSection));
  byId("foot").replaceChildren(
    element("p", {}, `Predicted by ${given.tool}. Times are estimates of a model, not measurements.`),
  );
  const again = focus ? document.querySelector(`[data-key="${CSS.escape(focus)}"]`) : null;
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

addEventListener("message", (event) => {
  if (host && event.data?.type === "update") render(event.data.document);
  if (host && event.data?.type === "variants") document.querySelector("[id$=-variants]")?.scrollIntoView();
});
followTheme();
render(JSON.parse(byId("document").textContent ?? ""));
