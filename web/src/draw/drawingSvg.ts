/** A drawing as an SVG or PNG file. */

import type { DrawingResponse } from "../api/schemas";
import { svgBlobToPng, svgToBlob } from "./download";
import { type DrawingStyle, ringWidth } from "./style";

const WIDTH = 1600;
const HEIGHT = 1100;
const FOOTER_HEIGHT = 96;
const MARGIN = 60;
const MAX_LABELS = 60;
export const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

type Attributes = Record<string, string | number>;

/** Create an SVG element. */
export function svgElement(name: string, attributes: Attributes, text = ""): SVGElement {
  const element = document.createElementNS(SVG_NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, typeof value === "number" ? String(Math.round(100 * value) / 100) : value);
  if (text) element.textContent = text;
  return element;
}

/** The drawing with legend and caption as an SVG element. */
export function drawingToSvg(drawing: DrawingResponse, style: DrawingStyle): SVGElement {
  const svg = svgElement("svg", { xmlns: SVG_NAMESPACE, viewBox: `0 0 ${WIDTH} ${HEIGHT + FOOTER_HEIGHT}`, width: WIDTH, height: HEIGHT + FOOTER_HEIGHT, "font-family": style.font, role: "img" });
  svg.append(svgElement("title", {}, drawing.caption), svgElement("rect", { width: WIDTH, height: HEIGHT + FOOTER_HEIGHT, fill: style.paper }));
  const positions = pixelPositions(drawing);
  const links = svgElement("g", { stroke: style.line, "stroke-width": 1 });
  for (const link of drawing.links) {
    const [from, to] = [positions[link.source], positions[link.target]];
    if (from && to) links.append(svgElement("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
  }
  const nodes = svgElement("g", {});
  drawing.nodes.forEach((node, k) => {
    const { x, y } = positions[k] as Point;
    const [radius, ring, colour] = [style.size(node) * 1.3, ringWidth(node) * 1.3, style.colour(node)];
    if (ring) nodes.append(svgElement("circle", { cx: x, cy: y, r: radius + 2 + ring / 2, fill: style.paper, stroke: colour, "stroke-width": ring }));
    const uncaptured = node.kind === "uncaptured";
    nodes.append(svgElement("circle", { cx: x, cy: y, r: radius, fill: uncaptured ? style.paper : colour, stroke: colour, "stroke-width": uncaptured ? 2 : 0 }));
  });
  svg.append(links, nodes, drawLabels(drawing, style, positions), drawFooter(drawing, style));
  return svg;
}

interface Point {
  x: number;
  y: number;
}

function pixelPositions(drawing: DrawingResponse): Point[] {
  const [xs, ys] = [drawing.nodes.map((node) => node.x), drawing.nodes.map((node) => node.y)];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((WIDTH - 4 * MARGIN) / Math.max(right - left, 1e-9), (HEIGHT - 2 * MARGIN) / Math.max(high - low, 1e-9));
  return drawing.nodes.map((node) => ({
    x: WIDTH / 2 + (node.x - (left + right) / 2) * Math.min(scale, WIDTH),
    y: HEIGHT / 2 - (node.y - (low + high) / 2) * Math.min(scale, HEIGHT),
  }));
}

/** Labels of the most important nodes, without overlaps. */
function drawLabels(drawing: DrawingResponse, style: DrawingStyle, positions: readonly Point[]): SVGElement {
  const group = svgElement("g", { "font-size": 15, fill: style.ink, stroke: style.paper, "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round" });
  const order = drawing.nodes.map((_, k) => k).sort((a, b) => labelPriority(drawing, style, b) - labelPriority(drawing, style, a) || a - b);
  const taken: { x: number; y: number; width: number }[] = [];
  for (const k of order) {
    const node = drawing.nodes[k];
    const point = positions[k];
    if (!node || !point || taken.length >= MAX_LABELS) break;
    const text = style.name(node);
    const box = { x: point.x + style.size(node) * 1.3 + 6, y: point.y + 5, width: 7.6 * text.length };
    const clash = taken.some((other) => Math.abs(other.y - box.y) < 20 && box.x < other.x + other.width && other.x < box.x + box.width);
    if (!style.isCentre(node) && (clash || box.x + box.width > WIDTH - 8)) continue;
    taken.push(box);
    group.append(svgElement("text", { x: box.x, y: box.y, ...(style.isCentre(node) && { "font-weight": 650 }) }, text));
  }
  return group;
}

function labelPriority(drawing: DrawingResponse, style: DrawingStyle, k: number): number {
  const node = drawing.nodes[k];
  if (node && style.isCentre(node)) return Infinity;
  return node ? Math.max(node.authority, 0.6 * node.hub) : 0;
}

function drawFooter(drawing: DrawingResponse, style: DrawingStyle): SVGElement {
  const group = svgElement("g", { "font-size": 16, fill: style.soft });
  let x = MARGIN;
  for (const key of style.legend) {
    const text = `${style.numbered ? `${key.group} ` : ""}${key.label} ${key.nodes}`;
    if (x + 9 * text.length > WIDTH - MARGIN) break;
    group.append(svgElement("circle", { cx: x + 6, cy: HEIGHT + 14, r: 6, fill: key.colour }), svgElement("text", { x: x + 18, y: HEIGHT + 20 }, text));
    x += 40 + 8.4 * text.length;
  }
  group.append(
    svgElement("text", { x: MARGIN, y: HEIGHT + 48, fill: style.ink }, drawing.caption),
    svgElement("text", { x: MARGIN, y: HEIGHT + 74 }, "size: authority · ring: hub · hollow: linked, not captured · drawn by Weft"),
  );
  return group;
}

/** The drawing as an SVG file. */
export function drawingSvgBlob(drawing: DrawingResponse, style: DrawingStyle): Blob {
  return svgToBlob(drawingToSvg(drawing, style));
}

/** The drawing as a PNG file. */
export function drawingPngBlob(drawing: DrawingResponse, style: DrawingStyle): Promise<Blob> {
  return svgBlobToPng(drawingSvgBlob(drawing, style), WIDTH, HEIGHT + FOOTER_HEIGHT);
}
