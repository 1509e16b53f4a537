/* What an editor lets the user try: sizes, the board, its clock, and how much is built in parallel. */

const SETTLE_MS = 80;
const controls = element("form", { class: "controls", submit: (event) => event.preventDefault() });
const asked = element("p", { class: "asked" });
const sizes = element("div", { class: "fields" });
const hardware = element("div", { class: "fields" });
const board = element("select", { id: "board", "data-key": "board", change: changed });
const clock = element("input", { type: "range", id: "f-max", "data-key": "f-max", step: 5, input: changed });
const clockText = element("output", { for: "f-max" });
const keep = element("button", { type: "button", class: "act", click: keepSizes }, "Write them to the source");
const reset = element("button", { type: "button", class: "quiet-button", click: undo }, "Drop what was tried");
const outcome = element("div", { class: "outcome" }, keep, reset);
const boardField = field("board", "Board", board);
const clockField = field("f-max", symbol("f_max"), clock, clockText);
const panel = element("details", { class: "trying" }, element("summary", {}, "Try another board, clock or width"), hardware);
controls.append(asked, sizes, outcome, panel);
/** What the user has changed: nothing else is sent, so that all else follows the source. */
const tried = new Map();
let missing = new Set();
let settling = null;

function field(id, label, ...inside) {
  return element("div", { class: "field" }, element("label", { for: id }, label), element("div", {}, inside));
}

function changed(event) {
  const input = event.currentTarget;
  if (input === board) tried.set("board", board.value);
  else if (input === clock) tried.set("f_max_mhz", Number(clock.value));
  else if (input.name) tried.set(input.name, input.value.trim());
  if (input.name && !input.value.trim()) tried.delete(input.name);
  clockText.textContent = `${clock.value} MHz`;
  showOutcome();
  clearTimeout(settling);
  if (controls.checkValidity()) settling = setTimeout(sendTried, SETTLE_MS);
}

function sendTried() {
  host?.postMessage({ type: "set", overrides: tried.size ? overrides() : null });
}

function undo() {
  tried.clear();
  showOutcome();
  sendTried();
}

/** All that was changed, in the words of the server's request. */
function overrides() {
  const named = (kind) =>
    [...tried].filter(([name]) => name.startsWith(kind)).map(([name, value]) => [name.slice(kind.length), value]);
  const [given, knobs] = [named("size:"), named("knob:").map(([name, value]) => [name, Number(value)])];
  return {
    ...(tried.has("board") ? { board: tried.get("board") } : {}),
    ...(tried.has("f_max_mhz") ? { f_max_mhz: tried.get("f_max_mhz") } : {}),
    ...(given.length ? { sizes: given } : {}),
    ...(knobs.length ? { knobs } : {}),
  };
}

/** Ask the editor to write the sizes that the time waits for; a field that is empty has its usual value. */
function keepSizes() {
  const inputs = [...sizes.querySelectorAll("input")].filter((input) => missing.has(input.name));
  const given = inputs.map((input) => [input.name.slice("size:".length), input.value.trim() || input.placeholder]);
  tried.clear();
  host?.postMessage({ type: "keep", sizes: Object.fromEntries(given) });
}

function showOutcome() {
  keep.hidden = missing.size === 0;
  reset.hidden = tried.size === 0;
  outcome.hidden = keep.hidden && reset.hidden;
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
  // A size that is tried is no longer missing to the server: it still is to the source.
  const isTried = (one) => tried.has(`size:${one.setting}`) && missing.has(`size:${one.setting}`);
  const waits = given.fields.filter((one) => one.missing || isTried(one));
  missing = new Set(waits.map((one) => `size:${one.setting}`));
  asked.hidden = waits.length === 0;
  const open = waits.filter((one) => !tried.has(`size:${one.setting}`)).map((one) => one.label);
  const every = inWords(waits.map((one) => one.label));
  asked.textContent = open.length ? `Set ${inWords(open)} to see the time` : `Tried, and not yet in the source: ${every}`;
  const shown = [...sizes.querySelectorAll("input")];
  const settings = given.fields.map((one) => `size:${one.setting}`);
  if (shown.map((input) => input.name).join() === settings.join())
    shown.forEach((input, i) => set(input, given.fields[i].value));
  else sizes.replaceChildren(...given.fields.map(sizeField));
  for (const [i, one] of [...sizes.children].entries()) one.classList.toggle("missing", missing.has(settings[i]));
  const knobs = [...hardware.querySelectorAll("input[type=number]")];
  if (!boardField.isConnected || knobs.map(nameOf).join() !== given.knobs.map((one) => `knob:${one.id}`).join())
    hardware.replaceChildren(boardField, clockField, ...given.knobs.map(knobFor));
  else for (const [i, input] of knobs.entries()) set(input, given.knobs[i].value);
  showOutcome();
}

function nameOf(input) {
  return input.getAttribute("name") ?? "";
}

/** A field for work-items, an argument, or the iterations of a loop. */
function sizeField(one) {
  const id = `size-${one.setting.replace(/\W/g, "-")}`;
  const several = "\\s*[1-9]\\d*(\\s*,\\s*[1-9]\\d*){0,2}\\s*";
  const input = element("input", {
    type: "text",
    inputmode: "numeric",
    id,
    name: `size:${one.setting}`,
    "data-key": id,
    size: 10,
    value: one.value,
    placeholder: one.usual,
    pattern: one.sizes ? several : "\\s*-?\\d{1,18}\\s*",
    title: one.sizes ? "One to three sizes: 1024 or 1024,1024" : "A whole number",
    input: changed,
  });
  return field(id, one.label, input);
}

/** A field for lanes, compute units or the unrolling of a loop (0: fully). */
function knobFor(knob) {
  const id = `knob-${knob.id.replace(/\W/g, "-")}`;
  const given = { type: "number", id, "data-key": id, name: `knob:${knob.id}`, min: knob.least, max: 1024, step: 1, required: "" };
  return field(id, knob.label, element("input", { ...given, value: knob.value, input: changed }));
}

function inWords(names) {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
