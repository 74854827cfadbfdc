/** A drawing to zoom and pan, rendered by Sigma. */

import { createNodeBorderProgram } from "@sigma/node-border";
import Graph from "graphology";
import Sigma from "sigma";
import { EdgeArrowProgram, EdgeRectangleProgram } from "sigma/rendering";
import type { DrawingNode, DrawingResponse } from "../api/schemas";
import { type DrawingStyle, ringWidth } from "./style";

const MAX_ARROWS = 1500;
const RING_GAP = 1.5;
const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const RingNodeProgram = createNodeBorderProgram({
  borders: [
    { size: { attribute: "ring", defaultValue: 0, mode: "pixels" }, color: { attribute: "ringColour" } },
    { size: { attribute: "gap", defaultValue: 0, mode: "pixels" }, color: { attribute: "paper" } },
    { size: { fill: true }, color: { attribute: "color" } },
  ],
});

/** Controls of an interactive drawing. */
export interface GraphView {
  select: (node: number | null) => void;
  zoom: (factor: number) => void;
  pan: (x: number, y: number) => void;
  reset: () => void;
  destroy: () => void;
}

/** Draw into a container; `onSelect` gets the node that was clicked. */
export function drawGraph(container: HTMLElement, drawing: DrawingResponse, style: DrawingStyle, onSelect: (node: number | null) => void): GraphView {
  const graph = buildGraph(drawing, style, Math.min(1, Math.max(0.6, container.clientWidth / 900)));
  let selected: string | null = null;
  let hovered: string | null = null;
  const centre = () => hovered ?? selected;
  const sigma = new Sigma(graph, container, {
    allowInvalidContainer: true,
    defaultNodeType: "ringed",
    nodeProgramClasses: { ringed: RingNodeProgram },
    edgeProgramClasses: { line: EdgeRectangleProgram, arrow: EdgeArrowProgram },
    defaultEdgeType: drawing.links.length <= MAX_ARROWS ? "arrow" : "line",
    labelFont: style.font,
    labelSize: 12,
    labelColor: { color: style.ink },
    renderLabels: false,
    stagePadding: 36,
    minCameraRatio: 0.05,
    maxCameraRatio: 3,
    zIndex: true,
    defaultDrawNodeHover: (context, data, settings) => {
      drawRing(context, data, style.accent);
      drawLabel(context, data, style, settings.labelSize + 1, 600);
    },
    nodeReducer: (node, data) => {
      const focus = centre();
      if (focus === null || node === focus || graph.areNeighbors(node, focus))
        return focus === node ? { ...data, highlighted: true, zIndex: 3 } : data;
      return { ...data, color: style.line, ringColour: style.line, label: null, zIndex: 0 };
    },
    edgeReducer: (edge, data) => {
      const focus = centre();
      if (focus === null) return data;
      return graph.hasExtremity(edge, focus) ? { ...data, color: style.accent, zIndex: 1 } : { ...data, hidden: true };
    },
  });
  const central = (node: string) => style.isCentre(drawing.nodes[Number(node)] as DrawingNode);
  const order = graph.nodes().sort((a, b) => Number(central(b)) - Number(central(a)) || labelPriority(drawing, b) - labelPriority(drawing, a));
  sigma.on("afterRender", () => drawLabels(sigma, order, style, central));
  const animate = () => ({ duration: prefersReducedMotion() ? 0 : 200 });
  sigma.on("enterNode", ({ node }) => {
    hovered = node;
    container.classList.add("over");
    sigma.refresh({ skipIndexation: true });
  });
  sigma.on("leaveNode", () => {
    hovered = null;
    container.classList.remove("over");
    sigma.refresh({ skipIndexation: true });
  });
  sigma.on("clickNode", ({ node }) => onSelect(Number(node)));
  sigma.on("clickStage", () => onSelect(null));
  const camera = sigma.getCamera();
  return {
    select: (node) => {
      selected = node === null ? null : String(node);
      sigma.refresh({ skipIndexation: true });
    },
    zoom: (factor) => void camera.animate({ ratio: sigma.getCamera().getBoundedRatio(camera.ratio / factor) }, animate()),
    pan: (x, y) => void camera.animate({ x: camera.x + x * camera.ratio, y: camera.y + y * camera.ratio }, animate()),
    reset: () => void camera.animatedReset(animate()),
    destroy: () => sigma.kill(),
  };
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
      gap: ring && !uncaptured ? RING_GAP : 0,
      paper: style.paper,
      zIndex: style.isCentre(node) ? 2 : 1,
    });
  });
  const most = Math.max(1, ...drawing.links.map((link) => link.weight));
  for (const link of drawing.links)
    graph.mergeEdge(link.source, link.target, { size: 0.7 + 1.6 * Math.sqrt(link.weight / most) * (most > 1 ? 1 : 0), color: style.line });
  return graph;
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

/** Draw labels of the most important nodes without overlaps; the closer the zoom, the more. */
function drawLabels(sigma: Sigma, order: readonly string[], style: DrawingStyle, central: (node: string) => boolean): void {
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
    const data: NodeLabel = { ...sigma.framedGraphToViewport(shown), size: sigma.scaleSize(shown.size), label: shown.label };
    if (middle) {
      drawRing(context, data, style.ink);
      data.left = labelBox(context, data, size, style, strength).right > width;
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
  const width = context.measureText(data.label ?? "").width + 8;
  const left = data.left ? data.x - data.size - width : data.x + data.size;
  return { left, right: left + width, top: data.y - size, bottom: data.y + size };
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
