/** A drawing as an SVG or PNG file. */

import type { DrawingResponse } from "../api/schemas";
import { type Bundle, bundleLinks } from "./bundles";
import { svgBlobToPng, svgToBlob } from "./download";
import { type DrawingStyle, ringWidth } from "./style";
import { wrapLabel } from "./wrapLabel";

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
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, typeof value === "number" ? String(Math.round(100 * value) / 100) : value);
  if (text) element.textContent = text;
  return element;
}

/** The drawing with legend and caption as an SVG element. */
export function drawingToSvg(drawing: DrawingResponse, style: DrawingStyle): SVGElement {
  const svg = svgElement("svg", {
    xmlns: SVG_NAMESPACE,
    viewBox: `0 0 ${WIDTH} ${HEIGHT + FOOTER_HEIGHT}`,
    width: WIDTH,
    height: HEIGHT + FOOTER_HEIGHT,
    "font-family": style.font,
    role: "img",
  });
  svg.append(
    svgElement("title", {}, drawing.caption),
    svgElement("rect", { width: WIDTH, height: HEIGHT + FOOTER_HEIGHT, fill: style.paper }),
  );
  const frame = fitFrame(drawing, style);
  const positions = drawing.nodes.map((node) => frame.place(node));
  const links = svgElement("g", { "stroke-width": 1 });
  const bundles = bundleLinks(drawing);
  for (const link of drawing.links) {
    const [from, to] = [positions[link.source], positions[link.target]];
    const [source, target] = [drawing.nodes[link.source], drawing.nodes[link.target]];
    if (bundles.length > 0 && source?.group !== target?.group) continue;
    if (from && to && source && target)
      links.append(svgElement("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, stroke: style.linkColour(source, target) }));
  }
  const nodes = svgElement("g", {});
  drawing.nodes.forEach((node, k) => {
    const { x, y } = positions[k] as Point;
    const [radius, ring, colour] = [style.size(node) * 1.3, ringWidth(node) * 1.3, style.colour(node)];
    if (ring)
      nodes.append(
        svgElement("circle", { cx: x, cy: y, r: radius + 2 + ring / 2, fill: style.paper, stroke: colour, "stroke-width": ring }),
      );
    const uncaptured = node.kind === "uncaptured";
    nodes.append(
      svgElement("circle", {
        cx: x,
        cy: y,
        r: radius,
        fill: uncaptured ? style.paper : colour,
        stroke: colour,
        "stroke-width": uncaptured ? 2 : 0,
      }),
    );
  });
  const labels = style.regions.length > 0 ? drawRegionLabels(style, frame) : drawLabels(drawing, style, positions);
  svg.append(drawBundles(bundles, style, frame), drawRegions(style, frame), links, nodes, labels, drawFooter(drawing, style));
  return svg;
}

interface Point {
  x: number;
  y: number;
}

/** How coordinates become pixels. */
interface Frame {
  scale: number;
  place: (point: Point) => Point;
}

/** A frame that shows all nodes and regions. */
function fitFrame(drawing: DrawingResponse, style: DrawingStyle): Frame {
  const circles = [...drawing.nodes.map(({ x, y }) => ({ x, y, radius: 0 })), ...style.regions];
  const [left, right] = [
    Math.min(...circles.map((each) => each.x - each.radius)),
    Math.max(...circles.map((each) => each.x + each.radius)),
  ];
  const [low, high] = [Math.min(...circles.map((each) => each.y - each.radius)), Math.max(...circles.map((each) => each.y + each.radius))];
  const fit = Math.min((WIDTH - 4 * MARGIN) / Math.max(right - left, 1e-9), (HEIGHT - 2 * MARGIN) / Math.max(high - low, 1e-9));
  const scale = Math.min(fit, WIDTH);
  return {
    scale,
    place: ({ x, y }) => ({ x: WIDTH / 2 + (x - (left + right) / 2) * scale, y: HEIGHT / 2 - (y - (low + high) / 2) * scale }),
  };
}

function drawBundles(bundles: readonly Bundle[], style: DrawingStyle, frame: Frame): SVGElement {
  const regions = new Map(style.regions.map((region) => [region.group, region]));
  const group = svgElement("g", { stroke: style.thread, "stroke-opacity": 0.8 });
  for (const bundle of bundles) {
    const [from, to] = [bundle.source, bundle.target].map((name) => regions.get(name)).map((region) => region && frame.place(region));
    if (from && to) group.append(svgElement("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, "stroke-width": bundle.width }));
  }
  return group;
}

function drawRegions(style: DrawingStyle, frame: Frame): SVGElement {
  const group = svgElement("g", {});
  for (const region of style.regions) {
    const { x, y } = frame.place(region);
    const circle = { cx: x, cy: y, r: region.radius * frame.scale };
    group.append(
      svgElement("circle", { ...circle, fill: style.paper }),
      svgElement("circle", { ...circle, fill: region.colour, "fill-opacity": 0.13, stroke: region.colour }),
    );
  }
  return group;
}

function drawRegionLabels(style: DrawingStyle, frame: Frame): SVGElement {
  const outline = { stroke: style.paper, "stroke-width": 5, "paint-order": "stroke", "stroke-linejoin": "round" };
  const group = svgElement("g", { "font-size": 17, "font-weight": 650, "text-anchor": "middle", fill: style.ink, ...outline });
  for (const region of style.regions) {
    const { x, y } = frame.place(region);
    const lines = wrapLabel(region.label, Math.max(1.9 * region.radius * frame.scale, 120), 2, (text) => 9 * text.length);
    lines.forEach((line, k) => {
      group.append(svgElement("text", { x, y: y - region.radius * frame.scale + (k - (lines.length - 1) / 2) * 20 + 6 }, line));
    });
  }
  return group;
}

/** Labels of the most important nodes, without overlaps. */
function drawLabels(drawing: DrawingResponse, style: DrawingStyle, positions: readonly Point[]): SVGElement {
  const group = svgElement("g", {
    "font-size": 15,
    fill: style.ink,
    stroke: style.paper,
    "stroke-width": 4,
    "paint-order": "stroke",
    "stroke-linejoin": "round",
  });
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
    const text = `${style.numbered ? `${key.value} ` : ""}${key.label} ${key.nodes}`;
    if (x + 9 * text.length > WIDTH - MARGIN) break;
    group.append(
      svgElement("circle", { cx: x + 6, cy: HEIGHT + 14, r: 6, fill: key.colour }),
      svgElement("text", { x: x + 18, y: HEIGHT + 20 }, text),
    );
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
