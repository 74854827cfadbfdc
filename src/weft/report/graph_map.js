// A map of a graph in a notebook: zoom, move, search, select. It loads nothing.

const LABELS = 24;
const MIN_ZOOM = 0.2, MAX_ZOOM = 40;

function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function drawMap(model, el) {
  const frame = element("div", { class: "weft-map" });
  const caption = element("p", { class: "weft-map-caption" });
  const search = element("input", { type: "search", placeholder: "Find a node", "aria-label": "Find a node" });
  const canvas = element("canvas", { tabindex: "0", role: "img" });
  const about = element("p", { class: "weft-map-about", "aria-live": "polite" });
  const legend = element("ul", { class: "weft-map-legend" });
  frame.append(caption, search, canvas, about, legend);
  el.append(frame);

  const context = canvas.getContext("2d");
  let nodes = [], links = [], neighbours = [], hovered = -1, width = 0, height = 0, unit = 1;
  const view = { x: 0, y: 0, zoom: 1 };

  function read() {
    ({ nodes, links } = model.get("drawing"));
    neighbours = nodes.map(() => new Set());
    for (const [source, target] of links) {
      neighbours[source].add(target);
      neighbours[target].add(source);
    }
    caption.textContent = model.get("caption");
    canvas.setAttribute("aria-label", model.get("caption"));
    legend.replaceChildren(
      ...model.get("legend").map(([color, name]) => {
        const item = element("li", {}, name);
        item.style.setProperty("--own", color);
        return item;
      }),
    );
    Object.assign(view, { x: 0, y: 0, zoom: 1 });
    describe();
    draw();
  }

  const selected = () => nodes.findIndex((node) => node.name === model.get("selected"));
  const screenX = (node) => width / 2 + (node.x - view.x) * unit * view.zoom;
  const screenY = (node) => height / 2 - (node.y - view.y) * unit * view.zoom;
  const radius = (node) => Math.max(2, node.size * 0.3 * Math.sqrt(Math.min(view.zoom, 6)));

  function resize() {
    const scale = window.devicePixelRatio || 1;
    width = frame.clientWidth || 640;
    height = model.get("height");
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    draw();
  }

  function draw() {
    const extent = Math.max(1, ...nodes.map((node) => Math.max(Math.abs(node.x), Math.abs(node.y))));
    unit = (Math.min(width, height) / 2 - 24) / extent;
    const focus = hovered >= 0 ? hovered : selected();
    const near = focus >= 0 ? neighbours[focus] : null;
    const ink = getComputedStyle(frame).color;
    context.clearRect(0, 0, width, height);
    context.strokeStyle = ink;
    for (const strong of [false, true]) {
      context.beginPath();
      context.globalAlpha = strong ? 0.6 : near ? 0.05 : 0.14;
      for (const [source, target] of links) {
        if ((source === focus || target === focus) !== strong) continue;
        context.moveTo(screenX(nodes[source]), screenY(nodes[source]));
        context.lineTo(screenX(nodes[target]), screenY(nodes[target]));
      }
      context.stroke();
    }
    nodes.forEach((node, at) => {
      context.globalAlpha = !near || at === focus || near.has(at) ? 1 : 0.25;
      context.fillStyle = node.color;
      context.beginPath();
      context.arc(screenX(node), screenY(node), radius(node), 0, 7);
      context.fill();
      if (at === selected()) {
        context.lineWidth = 2;
        context.stroke();
        context.lineWidth = 1;
      }
    });
    context.globalAlpha = 1;
    context.fillStyle = ink;
    context.font = "12px system-ui, sans-serif";
    drawLabels(focus, near);
  }

  function drawLabels(focus, near) {
    const wanted = near ? [focus, ...near] : nodes.map((_, at) => at);
    const taken = [];
    wanted.sort((a, b) => (b === focus) - (a === focus) || nodes[b].size - nodes[a].size);
    for (const at of wanted) {
      if (taken.length >= LABELS) break;
      const node = nodes[at];
      const x = screenX(node) + radius(node) + 3, y = screenY(node) + 4;
      const box = { x, y: y - 12, right: x + context.measureText(node.label).width, bottom: y + 2 };
      if (box.right < 0 || x > width || y < 0 || box.y > height) continue;
      if (taken.some((t) => box.x < t.right && box.right > t.x && box.y < t.bottom && box.bottom > t.y)) continue;
      taken.push(box);
      context.fillText(node.label, x, y);
    }
  }

  function describe() {
    const at = selected();
    about.replaceChildren();
    if (at < 0) return;
    const node = nodes[at];
    const isWeb = /^https?:\/\//i.test(node.name);
    const name = isWeb
      ? element("a", { href: node.name, rel: "noreferrer nofollow", target: "_blank" }, node.label)
      : element("strong", {}, node.label);
    about.append(name, ` ${isWeb ? node.name : ""} · ${node.group || "no group"} · ${neighbours[at].size} neighbours`);
  }

  function select(at) {
    model.set("selected", at >= 0 ? nodes[at].name : "");
    model.save_changes();
    describe();
    draw();
  }

  function nodeAt(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, least = 64;
    nodes.forEach((node, at) => {
      const distance = (screenX(node) - x) ** 2 + (screenY(node) - y) ** 2;
      if (distance < Math.max(least, best < 0 ? radius(node) ** 2 : 0)) [best, least] = [at, distance];
    });
    return best;
  }

  function zoom(factor) {
    view.zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, view.zoom * factor));
    draw();
  }

  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) {
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      drag.moved ||= Math.hypot(dx, dy) > 4;
      if (!drag.moved) return;
      view.x -= dx / unit / view.zoom;
      view.y += dy / unit / view.zoom;
      Object.assign(drag, { x: event.clientX, y: event.clientY });
      draw();
    } else if (nodeAt(event) !== hovered) {
      hovered = nodeAt(event);
      canvas.title = hovered >= 0 ? nodes[hovered].label : "";
      draw();
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) select(nodeAt(event));
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => {
    hovered = -1;
    draw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = 40 / unit / view.zoom;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      draw();
    } else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else if (event.key === "0") Object.assign(view, { x: 0, y: 0, zoom: 1 }), draw();
    else if (event.key === "Escape") select(-1);
    else return;
    event.preventDefault();
  });
  search.addEventListener("change", () => {
    const words = search.value.trim().toLowerCase();
    const matches = (node) => `${node.label}\n${node.name}`.toLowerCase().includes(words);
    const at = words ? nodes.findIndex(matches) : -1;
    if (at >= 0) Object.assign(view, { x: nodes[at].x, y: nodes[at].y, zoom: Math.max(view.zoom, 3) });
    about.textContent = words && at < 0 ? `no node has ${search.value} in its name` : "";
    if (at >= 0 || !words) select(at);
  });
  const observer = new ResizeObserver(resize);
  observer.observe(frame);
  const onSelected = () => (describe(), draw());
  model.on("change:drawing", read);
  model.on("change:selected", onSelected);
  read();
  resize();
  return () => {
    observer.disconnect();
    model.off("change:drawing", read);
    model.off("change:selected", onSelected);
  };
}

export default { render: ({ model, el }) => drawMap(model, el) };
