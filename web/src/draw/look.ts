/** How a drawing looks: the colour of each group, the size and ring of each node. */

import type { Drawing, Node } from "../ask/shapes";
import { COLOURS } from "../pieces/small";
import { bare, clean, host, shortened } from "../pieces/words";

export interface Key {
  group: string;
  label: string;
  nodes: number;
  colour: string;
}

export interface Look {
  paper: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  font: string;
  keys: Key[];
  others: number;
  /** Whether groups have numbers, as topics and communities do. */
  numbered: boolean;
  /** Whether a node is the one that the drawing is about. */
  centre: (node: Node) => boolean;
  name: (node: Node) => string;
  colour: (node: Node) => string;
  size: (node: Node) => number;
}

const AROUND: Record<string, string> = { page: "--t6", in: "--t1", out: "--t2", both: "--t3" };
const MOST_KEYS = 8;
const MOST_NAMED = 30;
const MANY_LINKS = 2500;
const LONGEST = 44;
const CENTRE = 11;

/** The colours of a drawing in the colour scheme of the moment; `topic` is the one that is drawn. */
export function lookOf(drawing: Drawing, topic: number): Look {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const own = (k: number) => {
    const plain = read(`--t${((k - 1) % COLOURS) + 1}`);
    const again = Math.floor((k - 1) / COLOURS) % 3;
    return again === 0 ? plain : again === 1 ? mixed(plain, read("--ink"), 0.55) : mixed(plain, read("--paper"), 0.5);
  };
  const colours = new Map<string, string>();
  const large = drawing.groups.filter((group) => group.nodes >= Math.max(3, 0.02 * drawing.nodes.length));
  if (drawing.groups.some((group) => group.group in AROUND)) {
    for (const { group } of drawing.groups) colours.set(group, read(AROUND[group] ?? "--s0"));
  } else if (drawing.groups.every(({ group }) => group === "hub" || group === "authority")) {
    colours.set("authority", own(topic || 1)).set("hub", read("--s0"));
  } else if (drawing.groups.every(({ group }) => /^\d+$/.test(group))) {
    for (const { group } of drawing.groups) colours.set(group, own(Number(group)));
  } else if (drawing.level === "page" || large.length > 1) {
    large.slice(0, MOST_KEYS).forEach(({ group }, k) => colours.set(group, own(k + 1)));
  }
  const rest = read(colours.size > 0 ? "--s0" : "--t1");
  const numbered = drawing.groups.every(({ group }) => /^\d+$/.test(group));
  const ranked = numbered || drawing.groups.every(({ group }) => group === "hub" || group === "authority");
  const ordered = numbered ? [...drawing.groups].sort((a, b) => Number(a.group) - Number(b.group)) : drawing.groups;
  const keys = ordered
    .filter(({ group }) => colours.has(group))
    .slice(0, MOST_NAMED)
    .map((group) => ({ ...group, colour: colours.get(group.group) ?? rest }));
  const many = numbered && drawing.groups.length > COLOURS;
  const centre = (node: Node) => node.group === "page";
  return {
    paper: read("--paper"),
    ink: read("--ink"),
    soft: read("--soft"),
    line: read(drawing.links.length > MANY_LINKS ? "--thin" : "--thread"),
    accent: read("--accent"),
    font: getComputedStyle(document.body).fontFamily,
    keys,
    others: drawing.nodes.length - keys.reduce((sum, key) => sum + key.nodes, 0),
    numbered,
    centre,
    name: (node) => (many ? `${node.group} · ${briefly(node)}` : briefly(node)),
    colour: (node) => colours.get(node.group) ?? rest,
    size: sizes(drawing, ranked, centre),
  };
}

/** What a node is called where there is little room: its title, or the two ends of its address. */
function briefly(node: Node): string {
  const title = clean(node.title);
  if (title) return shortened(title, LONGEST);
  const address = bare(node.page);
  if (address.length <= LONGEST) return address;
  const site = host(node.page);
  const head = site.length < LONGEST / 2 ? `${site}/` : site.slice(0, LONGEST / 2);
  return `${head}…${address.slice(head.length - LONGEST + 1)}`;
}

/** Some of one colour and the rest of another, each as #rrggbb or #rgb. */
function mixed(one: string, other: string, part: number): string {
  const [a, b] = [one, other].map((colour) => {
    const digits = colour.slice(1).replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3");
    return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
  }) as [number[], number[]];
  return `#${a.map((value, k) => Math.round(part * value + (1 - part) * (b[k] ?? 0)).toString(16).padStart(2, "0")).join("")}`;
}

/** How large a node is drawn: by its authority, or the root of its links; many are drawn smaller. */
function sizes(drawing: Drawing, ranked: boolean, centre: (node: Node) => boolean): (node: Node) => number {
  const room = Math.min(1, Math.max(0.6, Math.sqrt(120 / drawing.nodes.length)));
  const worth = (node: Node) => (ranked ? Math.max(0, node.authority) : Math.sqrt(Math.max(0, node.authority)));
  return (node) => Math.max(room * Math.max(3 + 11 * worth(node), node.kind === "seen" ? 5 : 0), centre(node) ? CENTRE : 0);
}

/** How wide the ring of a hub is. */
export function ringOf(node: Node): number {
  return node.hub > 0.05 ? 0.8 + 2 * node.hub : 0;
}
