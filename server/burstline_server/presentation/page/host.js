/* The editor around the page, where there is one: it gets what the user does, and sends documents to draw. */

const host = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : null;
const SETTLE_MS = 80;

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

/* -- what can be changed ------------------------------------------------------------------------------- */

const controls = element("form", { class: "controls", submit: (event) => event.preventDefault() });
const clock = element("input", { type: "range", id: "f-max", step: 5, input: changed });
const clockText = element("output", { for: "f-max" });
const items = element("input", {
  type: "text",
  id: "items",
  size: 16,
  pattern: "\\s*[1-9]\\d*(\\s*[,×]\\s*[1-9]\\d*){0,2}\\s*",
  title: "One to three sizes: 1024 or 1024,1024",
  input: changed,
});
const board = element("select", { id: "board", change: changed });
controls.append(
  element("label", { for: "board" }, "Board"),
  board,
  element("label", { for: "f-max" }, symbol("f_max")),
  clock,
  clockText,
  element("label", { for: "items" }, "N"),
  items,
);
const knobs = element("span", { class: "controls" });
controls.append(knobs);
let settling = null;

function changed() {
  clockText.textContent = `${clock.value} MHz`;
  clearTimeout(settling);
  if (controls.checkValidity())
    settling = setTimeout(() => host?.postMessage({ type: "set", overrides: overrides() }), SETTLE_MS);
}

/** All that is set, in the words of the server's request. */
function overrides() {
  const sizes = items.value
    .split(/[,×]/)
    .map(Number)
    .filter((size) => size > 0);
  return {
    board: board.value,
    f_max_mhz: Number(clock.value),
    ...(items.disabled || !sizes.length ? {} : { global_size: sizes }),
    knobs: [...knobs.querySelectorAll("input")].map((input) => [input.name, Number(input.value)]),
  };
}

/** Show what a document was made for; what the user is changing right now stays as it is. */
function showControls(given) {
  controls.hidden = !host || !given;
  if (controls.hidden) return;
  const set = (input, value) => {
    if (document.activeElement !== input) input.value = value;
  };
  const names = Object.keys(given.boards);
  if (names.length !== board.options.length)
    board.replaceChildren(...names.map((name) => element("option", { value: name }, given.boards[name])));
  set(board, given.board);
  [clock.min, clock.max] = given.f_max_range_mhz;
  set(clock, given.f_max_mhz);
  clockText.textContent = `${clock.value} MHz`;
  items.disabled = given.global_size === null;
  set(items, (given.global_size ?? []).join(","));
  const inputs = [...knobs.querySelectorAll("input")];
  if (inputs.map((input) => input.name).join() !== Object.keys(given.knobs).join())
    knobs.replaceChildren(...Object.entries(given.knobs).flatMap(knobFor));
  else for (const input of inputs) set(input, given.knobs[input.name]);
}

/** A label and an input for lanes, compute units or the unrolling of a loop (0: fully). */
function knobFor([name, value]) {
  const id = `knob-${name.replaceAll(" ", "-")}`;
  const min = name.startsWith("unroll") ? 0 : 1;
  const given = { type: "number", id, name, min, max: 1024, step: 1, required: "", input: changed };
  return [element("label", { for: id }, name), element("input", { ...given, value })];
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
  document.documentElement.dataset.theme = theme();
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
