/** A drawing to zoom and pan, rendered by Sigma. */

import { createNodeBorderProgram } from "@sigma/node-border";
import Graph from "graphology";
import Sigma from "sigma";
import { EdgeArrowProgram, EdgeRectangleProgram } from "sigma/rendering";
import type { DrawingNode, DrawingResponse } from "../api/schemas";
import { type Bundle, bundleLinks } from "./bundles";
import { type DrawingStyle, mixColours, type Region, ringWidth } from "./style";
import { cutToWidth, wrapLabel } from "./wrapLabel";

const MAX_ARROWS = 1500;
const RING_GAP = 1.5;
/** Below this camera ratio nodes of regions have labels, too. */
const NODE_LABEL_RATIO = 0.55;
/** How much of their colour nodes of other regions keep. */
const FADED_SHARE = 0.45;
const FOUND_RATIO = 0.35;
/** How far from its edge a node can be pointed at, in pixels. */
const REACH = 2;
/** Around the text of a label, in pixels. */
const LABEL_MARGIN = 8;
const [REGION_LABEL_SIZE, SMALL_REGION_LABEL, NARROW_STAGE, HALO] = [13, 11, 500, 5];
const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const BorderProgram = createNodeBorderProgram({
  borders: [
    { size: { attribute: "ring", defaultValue: 0, mode: "pixels" }, color: { attribute: "ringColour" } },
    { size: { attribute: "gap", defaultValue: 0, mode: "pixels" }, color: { attribute: "paper" } },
    { size: { fill: true }, color: { attribute: "color" } },
  ],
});

/** Nodes are drawn once: not also in the buffer from which Sigma would read which node is under the pointer. */
class RingNodeProgram extends BorderProgram {
  constructor(gl: WebGLRenderingContext, _picking: WebGLFramebuffer | null, renderer: Sigma) {
    super(gl, null, renderer);
  }
}

/** What is shown of a drawing: nodes that pass, links of at least a weight, the region that stands out. */
export interface Shown {
  hidden: (node: DrawingNode) => boolean;
  minWeight: number;
  region: string;
}

/** Controls of an interactive drawing. */
export interface GraphView {
  select: (node: number | null) => void;
  /** Highlight a node and its links, as hovering over it does. */
  highlight: (node: number | null) => void;
  /** Move the camera to a node. */
  lookAt: (node: number) => void;
  show: (shown: Shown) => void;
  zoom: (factor: number) => void;
  pan: (x: number, y: number) => void;
  reset: () => void;
  destroy: () => void;
}

export interface Listeners {
  onSelect: (node: number | null) => void;
  onHover?: (node: number | null) => void;
  onRegion?: (group: string) => void;
}

/** Draw into a container; the listeners get the node or region that was clicked or hovered over. */
export function drawGraph(container: HTMLElement, drawing: DrawingResponse, style: DrawingStyle, listeners: Listeners): GraphView {
  const graph = buildGraph(drawing, style, Math.min(1, Math.max(0.6, container.clientWidth / 900)));
  const nodeOf = (key: string) => drawing.nodes[Number(key)] as DrawingNode;
  let selected: string | null = null;
  let hovered: string | null = null;
  let shown: Shown = { hidden: () => false, minWeight: 0, region: "" };
  let bundles = bundleLinks(drawing);
  let focus: string | null = null;
  let neighbours: ReadonlySet<string> = new Set();
  const sigma = new Sigma(graph, container, {
    allowInvalidContainer: true,
    defaultNodeType: "ringed",
    nodeProgramClasses: { ringed: RingNodeProgram },
    edgeProgramClasses: { line: EdgeRectangleProgram, arrow: EdgeArrowProgram },
    defaultEdgeType: drawing.links.length <= MAX_ARROWS && style.regions.length === 0 ? "arrow" : "line",
    labelFont: style.font,
    labelSize: 12,
    labelColor: { color: style.ink },
    renderLabels: false,
    stagePadding: style.regions.length > 0 ? 10 : 36,
    minCameraRatio: 0.05,
    maxCameraRatio: 3,
    zIndex: true,
    defaultDrawNodeHover: (context, data, settings) => {
      drawRing(context, data, style.accent);
      const size = settings.labelSize + 1;
      const label = fitLabel(context, { ...data, label: data.label ?? null }, size, style, 600, container.clientWidth);
      drawLabel(context, label, style, size, 600);
    },
    nodeReducer: (key, data) => {
      if (shown.hidden(nodeOf(key))) return Object.assign(data, { hidden: true });
      if (key === focus) return Object.assign(data, { highlighted: true });
      if (focus !== null && !neighbours.has(key)) return Object.assign(data, { color: style.line, ringColour: style.line, label: null });
      if (focus === null && shown.region && nodeOf(key).group !== shown.region)
        return Object.assign(data, { color: data["faded"], ringColour: data["faded"] });
      return data;
    },
    edgeReducer: (_, data) => {
      const { source, target, weight, size } = data as LinkAttributes;
      if (focus !== null && source !== focus && target !== focus) return Object.assign(data, { hidden: true });
      const [from, to] = [nodeOf(source), nodeOf(target)];
      const bundled = focus === null && bundles.length > 0 && from.group !== to.group;
      if (bundled || weight < shown.minWeight || shown.hidden(from) || shown.hidden(to)) return Object.assign(data, { hidden: true });
      if (focus === null) return data;
      return Object.assign(data, { color: source === focus ? style.accent : style.incoming, size: Math.max(1.4, size) });
    },
  });
  // Sigma reads a pixel for that, and so waits until the graphics card has drawn everything.
  const getNodeAtPosition = (point: Point) => nodeAt(graph, sigma, point, (key) => shown.hidden(nodeOf(key)));
  Object.assign(sigma, { getNodeAtPosition });
  if (style.regions.length > 0) {
    sigma.setCustomBBox(boundingBox(style.regions));
    sigma.createCanvas("regions", { beforeLayer: "edges", style: { position: "absolute" } });
    // Only after a render does Sigma know the size of the stage and the place of the camera of this render.
    sigma.on("afterRender", () => drawRegions(sigma, style, shown.region, bundles, focus !== null));
  }
  const central = (key: string) => style.isCentre(nodeOf(key));
  const order = graph
    .nodes()
    .sort((a, b) => Number(central(b)) - Number(central(a)) || labelPriority(drawing, b) - labelPriority(drawing, a));
  sigma.on("afterRender", () => {
    const written: Box[] = [];
    const context = sigma.getCanvases()["labels"]?.getContext("2d");
    if (!context) return;
    if (style.regions.length > 0) drawRegionLabels(context, sigma, style, written, shown.region);
    const zoomedIn = sigma.getCamera().ratio < NODE_LABEL_RATIO;
    if (style.regions.length === 0 || zoomedIn || focus !== null) drawLabels(context, sigma, order, style, central, written, focus);
  });
  const animate = () => ({ duration: prefersReducedMotion() ? 0 : 200 });
  // Nodes and links keep their places in the buffers: to order and index them anew takes longer than to colour them.
  const nodesInPlace = { partialGraph: { nodes: graph.nodes() }, skipIndexation: true };
  const linksInPlace = { partialGraph: { edges: graph.edges() }, skipIndexation: true };
  // When the window changes its size, Sigma forgets these places until it draws the next time.
  let indexed = true;
  const forget = () => (indexed = false);
  addEventListener("resize", forget);
  sigma.on("afterProcess", () => (indexed = true));
  let [frame, stale, destroyed] = [0, false, false];
  /** Colour nodes in one frame and links in the next: both at once may take longer than a frame. */
  const colour = () => {
    frame = 0;
    if (!stale) return void sigma.refresh(linksInPlace);
    stale = false;
    if (!indexed) return void sigma.refresh();
    sigma.refresh(nodesInPlace);
    frame = requestAnimationFrame(colour);
  };
  /** Draw what is shown now with the next frame: a pointer that goes from one node to another leaves the first before. */
  const refresh = () => {
    // A screen that has just got another drawing may still speak to the one before.
    if (destroyed) return;
    focus = hovered ?? selected;
    neighbours = new Set(focus === null ? [] : graph.neighbors(focus));
    if (focus === null) delete container.dataset["highlighted"];
    else container.dataset["highlighted"] = nodeOf(focus).url;
    stale = true;
    frame ||= requestAnimationFrame(colour);
  };
  sigma.on("enterNode", ({ node }) => {
    hovered = node;
    container.classList.add("over");
    listeners.onHover?.(Number(node));
    refresh();
  });
  sigma.on("leaveNode", () => {
    hovered = null;
    container.classList.remove("over");
    listeners.onHover?.(null);
    refresh();
  });
  sigma.on("clickNode", ({ node }) => listeners.onSelect(Number(node)));
  sigma.on("clickStage", ({ event }) => {
    const point = sigma.viewportToGraph(event);
    const region = style.regions.find(({ x, y, radius }) => Math.hypot(x - point.x, y - point.y) <= radius);
    if (region && selected === null) listeners.onRegion?.(region.group);
    listeners.onSelect(null);
  });
  sigma.refresh(); // now with the box of the regions, and with what is drawn after a render
  const camera = sigma.getCamera();
  return {
    select: (node) => {
      selected = node === null ? null : String(node);
      refresh();
    },
    highlight: (node) => {
      hovered = node === null ? null : String(node);
      refresh();
    },
    lookAt: (node) => {
      const at = sigma.getNodeDisplayData(String(node));
      if (at) void camera.animate({ x: at.x, y: at.y, ratio: Math.min(camera.ratio, FOUND_RATIO) }, animate());
    },
    show: (next) => {
      shown = next;
      bundles = bundleLinks(drawing, (node) => !next.hidden(node), next.minWeight);
      refresh();
    },
    zoom: (factor) => void camera.animate({ ratio: sigma.getCamera().getBoundedRatio(camera.ratio / factor) }, animate()),
    pan: (x, y) => void camera.animate({ x: camera.x + x * camera.ratio, y: camera.y + y * camera.ratio }, animate()),
    reset: () => void camera.animatedReset(animate()),
    destroy: () => {
      destroyed = true;
      cancelAnimationFrame(frame);
      removeEventListener("resize", forget);
      sigma.kill();
    },
  };
}

interface LinkAttributes {
  size: number;
  color: string;
  weight: number;
  /** The keys of both nodes: Sigma does not say them when it asks how a link looks. */
  source: string;
  target: string;
}

function buildGraph(drawing: DrawingResponse, style: DrawingStyle, scale: number): Graph {
  const graph = new Graph({ type: "directed", multi: false });
  drawing.nodes.forEach((node, k) => {
    const ring = scale * ringWidth(node);
    const colour = style.colour(node);
    const uncaptured = node.kind === "uncaptured";
    graph.addNode(k, {
      x: node.x,
      y: node.y,
      size: scale * style.size(node) + (ring && ring + RING_GAP),
      label: style.name(node),
      color: uncaptured ? style.paper : colour,
      ring: uncaptured ? Math.max(ring, 1.8) : ring,
      ringColour: colour,
      faded: mixColours(colour, style.paper, FADED_SHARE),
      gap: ring && !uncaptured ? RING_GAP : 0,
      paper: style.paper,
      zIndex: style.isCentre(node) ? 2 : 1,
    });
  });
  const most = Math.max(1, ...drawing.links.map((link) => link.weight));
  const thinnest = style.regions.length > 0 ? 0.5 : 0.7;
  for (const link of drawing.links) {
    const [source, target] = [drawing.nodes[link.source], drawing.nodes[link.target]] as [DrawingNode, DrawingNode];
    graph.mergeEdge(link.source, link.target, {
      size: thinnest + 1.6 * Math.sqrt(link.weight / most) * (most > 1 ? 1 : 0),
      color: style.linkColour(source, target),
      weight: link.weight,
      source: String(link.source),
      target: String(link.target),
    } satisfies LinkAttributes);
  }
  return graph;
}

/** The node that covers a point of the stage, or is next to it; the closest of several. */
function nodeAt(graph: Graph, sigma: Sigma, point: Point, hidden: (node: string) => boolean): string | null {
  const { x, y } = sigma.viewportToGraph(point);
  const beside = sigma.viewportToGraph({ x: point.x + 1, y: point.y });
  const pixel = Math.hypot(beside.x - x, beside.y - y);
  const scale = sigma.scaleSize(1);
  let [closest, least]: [string | null, number] = [null, Number.POSITIVE_INFINITY];
  graph.forEachNode((node, { x: nodeX, y: nodeY, size }) => {
    const distance = Math.hypot(nodeX - x, nodeY - y) / pixel;
    if (distance < least && distance <= scale * size + REACH && !hidden(node)) [closest, least] = [node, distance];
  });
  return closest;
}

/** The box around all regions. */
function boundingBox(regions: readonly Region[]): { x: [number, number]; y: [number, number] } {
  const side = (middle: (region: Region) => number): [number, number] => [
    Math.min(...regions.map((region) => middle(region) - region.radius)),
    Math.max(...regions.map((region) => middle(region) + region.radius)),
  ];
  return { x: side(({ x }) => x), y: side(({ y }) => y) };
}

/** The circle of a region on the screen. */
function screenCircle(sigma: Sigma, region: Region): { x: number; y: number; radius: number } {
  const { x, y } = sigma.graphToViewport(region);
  const edge = sigma.graphToViewport({ x: region.x + region.radius, y: region.y });
  return { x, y, radius: Math.hypot(edge.x - x, edge.y - y) };
}

function drawRegions(sigma: Sigma, style: DrawingStyle, chosen: string, bundles: readonly Bundle[], behind: boolean): void {
  const canvas = sigma.getCanvases()["regions"];
  const context = canvas?.getContext("2d");
  if (!canvas || !context) return;
  const { width, height } = sigma.getDimensions();
  const density = devicePixelRatio || 1;
  if (canvas.width !== width * density || canvas.height !== height * density) {
    canvas.width = width * density;
    canvas.height = height * density;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  const regions = new Map(style.regions.map((region) => [region.group, region]));
  context.strokeStyle = style.thread;
  for (const bundle of bundles) {
    const [source, target] = [regions.get(bundle.source), regions.get(bundle.target)];
    if (!source || !target) continue;
    const [from, to] = [sigma.graphToViewport(source), sigma.graphToViewport(target)];
    const aside = behind || (chosen !== "" && chosen !== bundle.source && chosen !== bundle.target);
    context.globalAlpha = aside ? 0.25 : 0.8;
    context.lineWidth = bundle.width;
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.stroke();
  }
  for (const region of style.regions) {
    const { x, y, radius } = screenCircle(sigma, region);
    const dimmed = chosen !== "" && chosen !== region.group;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.globalAlpha = 1;
    context.fillStyle = style.paper;
    context.fill();
    context.globalAlpha = dimmed ? 0.06 : 0.13;
    context.fillStyle = region.colour;
    context.fill();
    context.globalAlpha = dimmed ? 0.3 : 0.8;
    context.lineWidth = chosen === region.group ? 2 : 1;
    context.strokeStyle = region.colour;
    context.stroke();
  }
  context.globalAlpha = 1;
}

interface Point {
  x: number;
  y: number;
}

interface NodeLabel {
  x: number;
  y: number;
  size: number;
  label: string | null;
  /** Whether the label is left of the node. */
  left?: boolean;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The label of each region at its upper edge, or else where there is room; the chosen and the largest first. */
function drawRegionLabels(context: CanvasRenderingContext2D, sigma: Sigma, style: DrawingStyle, written: Box[], chosen: string): void {
  const { width, height } = sigma.getDimensions();
  const ordered = [...style.regions].sort((a, b) => Number(b.group === chosen) - Number(a.group === chosen) || b.radius - a.radius);
  const size = width < NARROW_STAGE ? SMALL_REGION_LABEL : REGION_LABEL_SIZE;
  context.textAlign = "center";
  for (const region of ordered) {
    const { x, y, radius } = screenCircle(sigma, region);
    if (x + radius < 0 || x - radius > width || y + radius < 0 || y - radius > height) continue;
    context.font = `650 ${size}px ${style.font}`;
    const measure = (text: string) => context.measureText(text).width;
    const placesOf = (lines: string[]) => {
      const tall = lines.length * (size + 3);
      const wide = Math.max(...lines.map(measure));
      const centre = Math.min(Math.max(x, wide / 2 + 4), width - wide / 2 - 4);
      return [y - radius, y + radius, y].map((middle) => {
        const top = Math.min(Math.max(middle - tall / 2, 2), Math.max(2, height - tall - 6));
        return { lines, centre, box: { left: centre - wide / 2 - 3, right: centre + wide / 2 + 3, top, bottom: top + tall + 4 } };
      });
    };
    // Where neither the whole label nor its first line has room, a number still tells which region it is.
    const lines = wrapLabel(region.label, Math.max(1.9 * radius, 90), 2, measure);
    const number = /^\d+(?=\u00a0)/.exec(region.label)?.[0];
    const places = [lines, lines.slice(0, 1), ...(number ? [[number]] : [])].flatMap(placesOf);
    const place =
      places.find(({ box }) => !written.some((other) => boxesOverlap(box, other))) ?? (region.group === chosen ? places[0] : undefined);
    if (!place) continue;
    const { centre, box } = place;
    written.push(box);
    context.lineJoin = "round";
    context.lineWidth = HALO;
    context.strokeStyle = style.paper;
    context.fillStyle = chosen && chosen !== region.group ? style.soft : style.ink;
    const baseline = (k: number) => box.top + 2 + (k + 0.8) * (size + 3);
    for (const [k, line] of place.lines.entries()) context.strokeText(line, centre, baseline(k));
    for (const [k, line] of place.lines.entries()) context.fillText(line, centre, baseline(k));
  }
  context.textAlign = "start";
}

/** Draw labels of the most important nodes without overlaps; the closer the zoom, the more. */
function drawLabels(
  context: CanvasRenderingContext2D,
  sigma: Sigma,
  order: readonly string[],
  style: DrawingStyle,
  central: (node: string) => boolean,
  written: Box[],
  focus: string | null,
): void {
  const { width, height } = sigma.getDimensions();
  const most = written.length + Math.ceil(width / 70 / Math.max(0.1, sigma.getCamera().ratio));
  const size = sigma.getSetting("labelSize");
  const inFocus = focus === null ? undefined : sigma.getNodeDisplayData(focus);
  if (inFocus) {
    const data = { ...sigma.framedGraphToViewport(inFocus), size: sigma.scaleSize(inFocus.size), label: inFocus.label };
    written.push(labelBox(context, data, size + 1, style, 600));
  }
  for (const node of order) {
    const shown = sigma.getNodeDisplayData(node);
    if (!shown?.label || shown.highlighted || shown.hidden) continue;
    const middle = central(node);
    const strength = middle ? 650 : 400;
    let data: NodeLabel = { ...sigma.framedGraphToViewport(shown), size: sigma.scaleSize(shown.size), label: shown.label };
    if (data.x < 0 || data.y < 0 || data.x > width || data.y > height) continue;
    if (middle) {
      drawRing(context, data, style.ink);
      data = fitLabel(context, data, size, style, strength, width);
    }
    const box = labelBox(context, data, size, style, strength);
    const inside = box.left > 0 && box.top > 0 && box.right < width && box.bottom < height;
    if (!middle && (!inside || written.some((other) => boxesOverlap(box, other)))) continue;
    written.push(box);
    drawLabel(context, data, style, size, strength);
    if (written.length >= most) return;
  }
}

function labelPriority(drawing: DrawingResponse, node: string): number {
  const { authority = 0, hub = 0 } = drawing.nodes[Number(node)] ?? {};
  return Math.max(authority, hub / 2);
}

function labelBox(context: CanvasRenderingContext2D, data: NodeLabel, size: number, style: DrawingStyle, weight: number): Box {
  context.font = `${weight} ${size}px ${style.font}`;
  const width = context.measureText(data.label ?? "").width + LABEL_MARGIN;
  const left = data.left ? data.x - data.size - width : data.x + data.size;
  return { left, right: left + width, top: data.y - size, bottom: data.y + size };
}

/** A label right of its node, or else left of it; what fits neither is cut off on the side with more room. */
function fitLabel(
  context: CanvasRenderingContext2D,
  data: NodeLabel,
  size: number,
  style: DrawingStyle,
  weight: number,
  width: number,
): NodeLabel {
  const box = labelBox(context, data, size, style, weight);
  const [needed, left, right] = [box.right - box.left, data.x - data.size, width - data.x - data.size];
  if (needed <= right) return data;
  const side = { ...data, left: left > right };
  if (needed <= left) return side;
  const label = cutToWidth(data.label ?? "", Math.max(left, right) - LABEL_MARGIN, (text) => context.measureText(text).width);
  return { ...side, label };
}

function boxesOverlap(first: Box, other: Box): boolean {
  return first.left < other.right && other.left < first.right && first.top < other.bottom && other.top < first.bottom;
}

/** A ring around a node. */
function drawRing(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number }, colour: string): void {
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.stroke();
}

function drawLabel(context: CanvasRenderingContext2D, data: NodeLabel, style: DrawingStyle, size: number, weight: number): void {
  if (!data.label) return;
  const text = data.label;
  context.font = `${weight} ${size}px ${style.font}`;
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = style.paper;
  context.fillStyle = style.ink;
  const y = data.y + size / 3;
  const x = data.left ? data.x - data.size - 4 - context.measureText(text).width : data.x + data.size + 4;
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}
