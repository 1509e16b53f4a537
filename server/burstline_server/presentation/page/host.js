/* The editor around the page, where there is one: it gets what the user does, and sends documents to draw. */

const host = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : null;

/** Make something lead to its place in the source: in the editor, else further down the page. */
function leadingTo(made, file, place, label) {
  if (place.path !== null && !host) return made;
  const go = () =>
    host
      ? host.postMessage({ type: "reveal", path: place.path, line: place.line, column: place.column })
      : goTo(file, place.line);
  made.setAttribute("tabindex", 0);
  made.setAttribute("role", "link");
  made.setAttribute("aria-label", label);
  made.classList.add("leads");
  made.addEventListener("click", go);
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // else the line's own button, focused by now, takes the key as well
    go();
  });
  return made;
}

function goTo(file, line) {
  const row = document.getElementById(lineId(file, line));
  if (!row) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  row.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  row.querySelector("button")?.focus({ preventScroll: true });
  row.classList.remove("found");
  requestAnimationFrame(() => row.classList.add("found"));
}

/* -- light and dark ------------------------------------------------------------------------------------ */

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const themeButton = element("button", {
  type: "button",
  class: "quiet-button",
  click: () => setTheme(theme() === "dark" ? "light" : "dark"),
});
let chosen = null;

function theme() {
  if (host) return /vscode-(dark|high-contrast(?!-light))/.test(document.body.className) ? "dark" : "light";
  return chosen ?? (prefersDark.matches ? "dark" : "light");
}

function setTheme(next = chosen) {
  chosen = next;
  const { dataset } = document.documentElement;
  dataset.theme = theme();
  if (host && /vscode-high-contrast/.test(document.body.className)) dataset.contrast = "";
  else delete dataset.contrast;
  themeButton.textContent = theme() === "dark" ? "Light" : "Dark";
  themeButton.setAttribute("aria-label", `${themeButton.textContent} colours`);
}

function followTheme() {
  setTheme();
  prefersDark.addEventListener("change", () => setTheme());
  if (host)
    new MutationObserver(() => setTheme()).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  addEventListener("beforeprint", () => (document.documentElement.dataset.theme = "light"));
  addEventListener("afterprint", () => setTheme());
}
