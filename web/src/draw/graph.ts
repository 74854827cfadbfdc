/** A drawing to move about in. */

import { createNodeBorderProgram } from "@sigma/node-border";
import Graph from "graphology";
import Sigma from "sigma";
import { EdgeArrowProgram, EdgeRectangleProgram } from "sigma/rendering";
import type { Drawing, Node } from "../ask/shapes";
import { type Look, ringOf } from "./look";

const MOST_ARROWS = 1500;
const GAP = 1.5;
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const Ringed = createNodeBorderProgram({
  borders: [
    { size: { attribute: "ring", defaultValue: 0, mode: "pixels" }, color: { attribute: "ringColour" } },
    { size: { attribute: "gap", defaultValue: 0, mode: "pixels" }, color: { attribute: "paper" } },
    { size: { fill: true }, color: { attribute: "color" } },
  ],
});

/** The moving picture of a drawing: choose a node, look closer, look from further away. */
export interface Moving {
  select: (node: number | null) => void;
  zoom: (factor: number) => void;
  pan: (x: number, y: number) => void;
  reset: () => void;
  end: () => void;
}

/** Draw into a place; `onSelect` is told which node was clicked. */
export function draw(place: HTMLElement, drawing: Drawing, look: Look, onSelect: (node: number | null) => void): Moving {
  const graph = graphOf(drawing, look, Math.min(1, Math.max(0.6, place.clientWidth / 900)));
  let chosen: string | null = null;
  let near: string | null = null;
  const centre = () => near ?? chosen;
  const sigma = new Sigma(graph, place, {
    allowInvalidContainer: true,
    defaultNodeType: "ringed",
    nodeProgramClasses: { ringed: Ringed },
    edgeProgramClasses: { line: EdgeRectangleProgram, arrow: EdgeArrowProgram },
    defaultEdgeType: drawing.links.length <= MOST_ARROWS ? "arrow" : "line",
    labelFont: look.font,
    labelSize: 12,
    labelColor: { color: look.ink },
    renderLabels: false,
    stagePadding: 36,
    minCameraRatio: 0.05,
    maxCameraRatio: 3,
    zIndex: true,
    defaultDrawNodeHover: (context, data, settings) => {
      circle(context, data, look.accent);
      write(context, data, look, settings.labelSize + 1, 600);
    },
    nodeReducer: (node, data) => {
      const about = centre();
      if (about === null || node === about || graph.areNeighbors(node, about))
        return about === node ? { ...data, highlighted: true, zIndex: 3 } : data;
      return { ...data, color: look.line, ringColour: look.line, label: null, zIndex: 0 };
    },
    edgeReducer: (edge, data) => {
      const about = centre();
      if (about === null) return data;
      return graph.hasExtremity(edge, about) ? { ...data, color: look.accent, zIndex: 1 } : { ...data, hidden: true };
    },
  });
  const central = (node: string) => look.centre(drawing.nodes[Number(node)] as Node);
  const order = graph.nodes().sort((a, b) => Number(central(b)) - Number(central(a)) || weight(drawing, b) - weight(drawing, a));
  sigma.on("afterRender", () => label(sigma, order, look, central));
  const animate = () => ({ duration: calm() ? 0 : 200 });
  sigma.on("enterNode", ({ node }) => {
    near = node;
    place.classList.add("over");
    sigma.refresh({ skipIndexation: true });
  });
  sigma.on("leaveNode", () => {
    near = null;
    place.classList.remove("over");
    sigma.refresh({ skipIndexation: true });
  });
  sigma.on("clickNode", ({ node }) => onSelect(Number(node)));
  sigma.on("clickStage", () => onSelect(null));
  const camera = sigma.getCamera();
  return {
    select: (node) => {
      chosen = node === null ? null : String(node);
      sigma.refresh({ skipIndexation: true });
    },
    zoom: (factor) => void camera.animate({ ratio: sigma.getCamera().getBoundedRatio(camera.ratio / factor) }, animate()),
    pan: (x, y) => void camera.animate({ x: camera.x + x * camera.ratio, y: camera.y + y * camera.ratio }, animate()),
    reset: () => void camera.animatedReset(animate()),
    end: () => sigma.kill(),
  };
}

function graphOf(drawing: Drawing, look: Look, scale: number): Graph {
  const graph = new Graph({ type: "directed", multi: false });
  drawing.nodes.forEach((node, k) => {
    const ring = scale * ringOf(node);
    const own = look.colour(node);
    const seen = node.kind === "seen";
    graph.addNode(k, {
      x: node.x,
      y: node.y,
      size: scale * look.size(node) + (ring && ring + GAP),
      label: look.name(node),
      color: seen ? look.paper : own,
      ring: seen ? Math.max(ring, 1.8) : ring,
      ringColour: own,
      gap: ring && !seen ? GAP : 0,
      paper: look.paper,
      zIndex: look.centre(node) ? 2 : 1,
    });
  });
  const most = Math.max(1, ...drawing.links.map((link) => link.weight));
  for (const link of drawing.links)
    graph.mergeEdge(link.source, link.target, { size: 0.7 + 1.6 * Math.sqrt(link.weight / most) * (most > 1 ? 1 : 0), color: look.line });
  return graph;
}

interface Labelled {
  x: number;
  y: number;
  size: number;
  label: string | null;
  /** Whether the label stands on the left. */
  left?: boolean;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Write the names of the nodes that count most, where there is room; the closer, the more. */
function label(sigma: Sigma, order: readonly string[], look: Look, central: (node: string) => boolean): void {
  const context = sigma.getCanvases()["labels"]?.getContext("2d");
  if (!context) return;
  const { width, height } = sigma.getDimensions();
  const most = Math.ceil(width / 70 / Math.max(0.1, sigma.getCamera().ratio));
  const size = sigma.getSetting("labelSize");
  const written: Box[] = [];
  for (const node of order) {
    const shown = sigma.getNodeDisplayData(node);
    if (!shown?.label || shown.highlighted) continue;
    const middle = central(node);
    const strength = middle ? 650 : 400;
    const data: Labelled = { ...sigma.framedGraphToViewport(shown), size: sigma.scaleSize(shown.size), label: shown.label };
    if (middle) {
      circle(context, data, look.ink);
      data.left = boxOf(context, data, size, look, strength).right > width;
    }
    const box = boxOf(context, data, size, look, strength);
    const inside = box.left > 0 && box.top > 0 && box.right < width && box.bottom < height;
    if (!middle && (!inside || written.some((other) => meets(box, other)))) continue;
    written.push(box);
    write(context, data, look, size, strength);
    if (written.length >= most) return;
  }
}

function weight(drawing: Drawing, node: string): number {
  const { authority = 0, hub = 0 } = drawing.nodes[Number(node)] ?? {};
  return Math.max(authority, hub / 2);
}

function boxOf(context: CanvasRenderingContext2D, data: Labelled, size: number, look: Look, weight: number): Box {
  context.font = `${weight} ${size}px ${look.font}`;
  const wide = context.measureText(data.label ?? "").width + 8;
  const left = data.left ? data.x - data.size - wide : data.x + data.size;
  return { left, right: left + wide, top: data.y - size, bottom: data.y + size };
}

function meets(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** A ring around a node. */
function circle(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number }, colour: string): void {
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.stroke();
}

function write(context: CanvasRenderingContext2D, data: Labelled, look: Look, size: number, weight: number): void {
  if (!data.label) return;
  const words = data.label;
  context.font = `${weight} ${size}px ${look.font}`;
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = look.paper;
  context.fillStyle = look.ink;
  const y = data.y + size / 3;
  const x = data.left ? data.x - data.size - 4 - context.measureText(words).width : data.x + data.size + 4;
  context.strokeText(words, x, y);
  context.fillText(words, x, y);
}
