/* Charts as files for papers: always in the light colours, with every style written into the drawing. */

const KEPT = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "paint-order",
  "font-family",
  "font-size",
  "font-weight",
];
const SCALE = 3;

function exportButtons(chart, name) {
  const button = (kind, save) =>
    element(
      "button",
      { type: "button", class: "quiet-button", "aria-label": `Save ${name} as ${kind}`, click: save },
      kind,
    );
  return element(
    "span",
    { class: "export" },
    button("SVG", () => saved(`${name}.svg`, new Blob([standAlone(chart)], { type: "image/svg+xml" }))),
    button("PNG", () => painted(chart, (blob) => saved(`${name}.png`, blob))),
  );
}

/** The drawing as text that looks the same anywhere. */
function standAlone(chart) {
  const copy = chart.cloneNode(true);
  const { dataset } = document.documentElement;
  const before = { ...dataset };
  for (const name of Object.keys(dataset)) delete dataset[name]; // the page's light colours, not the editor's
  const [from, to] = [
    [chart, ...chart.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  from.forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const name of KEPT) to[i].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "tabindex", "data-key"]) to[i].removeAttribute(name);
  });
  Object.assign(dataset, before);
  copy.setAttribute("xmlns", SVG);
  return new XMLSerializer().serializeToString(copy);
}

function painted(chart, done) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([standAlone(chart)], { type: "image/svg+xml" }));
  image.addEventListener("load", () => {
    const { width, height } = chart.viewBox.baseVal;
    const canvas = element("canvas", { width: width * SCALE, height: height * SCALE });
    const pen = canvas.getContext("2d");
    pen.fillStyle = "white";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    canvas.toBlob(done, "image/png");
  });
  image.src = address;
}

/** Hand a file to the user: through the host where there is one, since web views may not download. */
function saved(name, blob) {
  if (host) {
    const reader = new FileReader();
    reader.addEventListener("load", () => host.postMessage({ type: "save", name, data: reader.result }));
    reader.readAsDataURL(blob);
    return;
  }
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
