/** A drawing as a picture to keep: SVG, and PNG made from it. */

import type { Drawing } from "../ask/shapes";
import { asFile, dotted } from "./keep";
import { type Look, ringOf } from "./look";

const WIDTH = 1600;
const HEIGHT = 1100;
const FOOT = 96;
const MARGIN = 60;
const MOST_LABELS = 60;
export const SPACE = "http://www.w3.org/2000/svg";

type Attributes = Record<string, string | number>;

/** A piece of SVG. */
export function tag(name: string, attributes: Attributes, text = ""): SVGElement {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? String(Math.round(100 * value) / 100) : value);
  if (text) made.textContent = text;
  return made;
}

/** The whole drawing with its keys and its caption, as an SVG element. */
export function picture(drawing: Drawing, look: Look): SVGElement {
  const svg = tag("svg", { xmlns: SPACE, viewBox: `0 0 ${WIDTH} ${HEIGHT + FOOT}`, width: WIDTH, height: HEIGHT + FOOT, "font-family": look.font, role: "img" });
  svg.append(tag("title", {}, drawing.caption), tag("rect", { width: WIDTH, height: HEIGHT + FOOT, fill: look.paper }));
  const at = placed(drawing);
  const threads = tag("g", { stroke: look.line, "stroke-width": 1 });
  for (const link of drawing.links) {
    const [from, to] = [at[link.source], at[link.target]];
    if (from && to) threads.append(tag("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
  }
  const nodes = tag("g", {});
  drawing.nodes.forEach((node, k) => {
    const { x, y } = at[k] as Point;
    const [radius, ring, own] = [look.size(node) * 1.3, ringOf(node) * 1.3, look.colour(node)];
    if (ring) nodes.append(tag("circle", { cx: x, cy: y, r: radius + 2 + ring / 2, fill: look.paper, stroke: own, "stroke-width": ring }));
    const seen = node.kind === "seen";
    nodes.append(tag("circle", { cx: x, cy: y, r: radius, fill: seen ? look.paper : own, stroke: own, "stroke-width": seen ? 2 : 0 }));
  });
  svg.append(threads, nodes, labels(drawing, look, at), foot(drawing, look));
  return svg;
}

interface Point {
  x: number;
  y: number;
}

function placed(drawing: Drawing): Point[] {
  const [xs, ys] = [drawing.nodes.map((node) => node.x), drawing.nodes.map((node) => node.y)];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((WIDTH - 4 * MARGIN) / Math.max(right - left, 1e-9), (HEIGHT - 2 * MARGIN) / Math.max(high - low, 1e-9));
  return drawing.nodes.map((node) => ({
    x: WIDTH / 2 + (node.x - (left + right) / 2) * Math.min(scale, WIDTH),
    y: HEIGHT / 2 - (node.y - (low + high) / 2) * Math.min(scale, HEIGHT),
  }));
}

/** Names of the nodes that count most, where there is room for them. */
function labels(drawing: Drawing, look: Look, at: readonly Point[]): SVGElement {
  const group = tag("g", { "font-size": 15, fill: look.ink, stroke: look.paper, "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round" });
  const order = drawing.nodes.map((_, k) => k).sort((a, b) => weight(drawing, look, b) - weight(drawing, look, a) || a - b);
  const taken: { x: number; y: number; width: number }[] = [];
  for (const k of order) {
    const node = drawing.nodes[k];
    const point = at[k];
    if (!node || !point || taken.length >= MOST_LABELS) break;
    const words = look.name(node);
    const box = { x: point.x + look.size(node) * 1.3 + 6, y: point.y + 5, width: 7.6 * words.length };
    const clash = taken.some((other) => Math.abs(other.y - box.y) < 20 && box.x < other.x + other.width && other.x < box.x + box.width);
    if (!look.centre(node) && (clash || box.x + box.width > WIDTH - 8)) continue;
    taken.push(box);
    group.append(tag("text", { x: box.x, y: box.y, ...(look.centre(node) && { "font-weight": 650 }) }, words));
  }
  return group;
}

function weight(drawing: Drawing, look: Look, k: number): number {
  const node = drawing.nodes[k];
  if (node && look.centre(node)) return Infinity;
  return node ? Math.max(node.authority, 0.6 * node.hub) : 0;
}

function foot(drawing: Drawing, look: Look): SVGElement {
  const group = tag("g", { "font-size": 16, fill: look.soft });
  let x = MARGIN;
  for (const key of look.keys) {
    const words = `${look.numbered ? `${key.group} ` : ""}${key.label} ${key.nodes}`;
    if (x + 9 * words.length > WIDTH - MARGIN) break;
    group.append(tag("circle", { cx: x + 6, cy: HEIGHT + 14, r: 6, fill: key.colour }), tag("text", { x: x + 18, y: HEIGHT + 20 }, words));
    x += 40 + 8.4 * words.length;
  }
  group.append(
    tag("text", { x: MARGIN, y: HEIGHT + 48, fill: look.ink }, drawing.caption),
    tag("text", { x: MARGIN, y: HEIGHT + 74 }, "size: authority · ring: hub · hollow: only seen, not fetched · drawn by Weft"),
  );
  return group;
}

/** The picture as a file. */
export function svgFile(drawing: Drawing, look: Look): Blob {
  return asFile(picture(drawing, look));
}

/** The picture as dots. */
export function pngFile(drawing: Drawing, look: Look): Promise<Blob> {
  return dotted(svgFile(drawing, look), WIDTH, HEIGHT + FOOT);
}
