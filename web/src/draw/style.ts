/** The style of a drawing: colours of groups, sizes and rings of nodes. */

import type { DrawingNode, DrawingResponse } from "../api/schemas";
import { COLOUR_COUNT } from "../pieces/controls";
import { displayUrl, hostOfUrl, stripControlChars, truncateText } from "../pieces/format";

export interface LegendEntry {
  group: string;
  label: string;
  nodes: number;
  colour: string;
}

export interface DrawingStyle {
  paper: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  font: string;
  legend: LegendEntry[];
  otherNodes: number;
  /** Whether groups are numbered, as topics and communities are. */
  numbered: boolean;
  /** Whether a node is the page that the drawing is centred on. */
  isCentre: (node: DrawingNode) => boolean;
  name: (node: DrawingNode) => string;
  colour: (node: DrawingNode) => string;
  size: (node: DrawingNode) => number;
}

const NEIGHBOUR_COLOURS: Record<string, string> = { page: "--t6", in: "--t1", out: "--t2", both: "--t3" };
const MAX_COLOURED_GROUPS = 8;
const MAX_LEGEND_ENTRIES = 30;
const MANY_LINKS = 2500;
const MAX_LABEL_LENGTH = 44;
const CENTRE_NODE_SIZE = 11;

/** The style of a drawing in the current colour scheme; `topic` is the topic drawn. */
export function drawingStyle(drawing: DrawingResponse, topic: number): DrawingStyle {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const topicColour = (k: number) => {
    const plain = read(`--t${((k - 1) % COLOUR_COUNT) + 1}`);
    const repeat = Math.floor((k - 1) / COLOUR_COUNT) % 3;
    return repeat === 0 ? plain : repeat === 1 ? mixColours(plain, read("--ink"), 0.55) : mixColours(plain, read("--paper"), 0.5);
  };
  const colours = new Map<string, string>();
  const large = drawing.groups.filter((group) => group.nodes >= Math.max(3, 0.02 * drawing.nodes.length));
  if (drawing.groups.some((group) => group.group in NEIGHBOUR_COLOURS)) {
    for (const { group } of drawing.groups) colours.set(group, read(NEIGHBOUR_COLOURS[group] ?? "--s0"));
  } else if (drawing.groups.every(({ group }) => group === "hub" || group === "authority")) {
    colours.set("authority", topicColour(topic || 1)).set("hub", read("--s0"));
  } else if (drawing.groups.every(({ group }) => /^\d+$/.test(group))) {
    for (const { group } of drawing.groups) colours.set(group, topicColour(Number(group)));
  } else if (drawing.level === "page" || large.length > 1) {
    large.slice(0, MAX_COLOURED_GROUPS).forEach(({ group }, k) => colours.set(group, topicColour(k + 1)));
  }
  const otherColour = read(colours.size > 0 ? "--s0" : "--t1");
  const numbered = drawing.groups.every(({ group }) => /^\d+$/.test(group));
  const ranked = numbered || drawing.groups.every(({ group }) => group === "hub" || group === "authority");
  const ordered = numbered ? [...drawing.groups].sort((a, b) => Number(a.group) - Number(b.group)) : drawing.groups;
  const legend = ordered
    .filter(({ group }) => colours.has(group))
    .slice(0, MAX_LEGEND_ENTRIES)
    .map((group) => ({ ...group, colour: colours.get(group.group) ?? otherColour }));
  const many = numbered && drawing.groups.length > COLOUR_COUNT;
  const isCentre = (node: DrawingNode) => node.group === "page";
  return {
    paper: read("--paper"),
    ink: read("--ink"),
    soft: read("--soft"),
    line: read(drawing.links.length > MANY_LINKS ? "--thin" : "--thread"),
    accent: read("--accent"),
    font: getComputedStyle(document.body).fontFamily,
    legend,
    otherNodes: drawing.nodes.length - legend.reduce((sum, key) => sum + key.nodes, 0),
    numbered,
    isCentre,
    name: (node) => (many ? `${node.group} · ${shortLabel(node)}` : shortLabel(node)),
    colour: (node) => colours.get(node.group) ?? otherColour,
    size: nodeSizes(drawing, ranked, isCentre),
  };
}

/** A short label of a node: its title, or both ends of its address. */
function shortLabel(node: DrawingNode): string {
  const title = stripControlChars(node.title);
  if (title) return truncateText(title, MAX_LABEL_LENGTH);
  const address = displayUrl(node.url);
  if (address.length <= MAX_LABEL_LENGTH) return address;
  const site = hostOfUrl(node.url);
  const head = site.length < MAX_LABEL_LENGTH / 2 ? `${site}/` : site.slice(0, MAX_LABEL_LENGTH / 2);
  return `${head}…${address.slice(head.length - MAX_LABEL_LENGTH + 1)}`;
}

/** Mix two colours, each as #rrggbb or #rgb. */
function mixColours(first: string, other: string, share: number): string {
  const [a, b] = [first, other].map((colour) => {
    const digits = colour.slice(1).replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3");
    return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
  }) as [number[], number[]];
  return `#${a.map((value, k) => Math.round(share * value + (1 - share) * (b[k] ?? 0)).toString(16).padStart(2, "0")).join("")}`;
}

/** Sizes of nodes: by authority, or by the square root of it; smaller in large drawings. */
function nodeSizes(drawing: DrawingResponse, ranked: boolean, isCentre: (node: DrawingNode) => boolean): (node: DrawingNode) => number {
  const scale = Math.min(1, Math.max(0.6, Math.sqrt(120 / drawing.nodes.length)));
  const weight = (node: DrawingNode) => (ranked ? Math.max(0, node.authority) : Math.sqrt(Math.max(0, node.authority)));
  return (node) => Math.max(scale * Math.max(3 + 11 * weight(node), node.kind === "uncaptured" ? 5 : 0), isCentre(node) ? CENTRE_NODE_SIZE : 0);
}

/** The width of the ring that marks a hub. */
export function ringWidth(node: DrawingNode): number {
  return node.hub > 0.05 ? 0.8 + 2 * node.hub : 0;
}
