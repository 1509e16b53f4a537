/* Elements and numbers. Every text goes in as text: nothing of the document is ever read as markup. */

const SVG = "http://www.w3.org/2000/svg";

/** An element; attributes that are null or false are left out, functions listen to the event of their name. */
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** A field's sign such as T_ideal with its index set low. */
function symbol(text) {
  const [sign, index] = text.split("_");
  return index ? [sign, element("sub", {}, index)] : [text];
}

/** Three significant digits, no exponent, as `three_digits` of quantities.py writes them. */
function digits(value) {
  const size = Math.abs(value);
  return size === 0 ? "0" : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** A count, in groups of three digits from five digits on, as `whole_text` of quantities.py writes it. */
function whole(value) {
  if (!Number.isInteger(value)) return String(Number(value.toPrecision(6)));
  return value >= 1e4 ? value.toLocaleString("en").replaceAll(",", " ") : String(value);
}

/** A number for an axis: as short as it can be. */
function short(value) {
  return value >= 1e6 || (value > 0 && value < 1e-3) ? value.toExponential(0) : String(Number(value.toPrecision(3)));
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/** Round steps over 0 to `most`, about `count` of them. */
function steps(most, count) {
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
}

/** A bar of a share, 0 to 1. */
function meter(share, label) {
  const inside = drawn("rect", { class: "meter-value", width: 100 * Math.min(Math.max(share, 0), 1), height: 8 });
  return drawn(
    "svg",
    { class: "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": label },
    drawn("rect", { class: "meter-whole", width: 100, height: 8 }),
    inside,
  );
}

/** Announce to those who do not see the page change. */
function say(text) {
  byId("status").textContent = text;
}

/** An element that page.html has. */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element #${id}`);
  return found;
}
