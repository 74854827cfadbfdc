/** The style of a drawing: colours of groups or attributes, sizes and rings of nodes, regions. */

import type { DrawingNode, DrawingResponse } from "../api/schemas";
import { COLOUR_COUNT } from "../pieces/controls";
import { distinctLabels } from "./wrapLabel";
import { displayUrl, formatNumber, hostOfUrl, languageName, stripControlChars, truncateText } from "../pieces/format";

export interface LegendEntry {
  /** The value that nodes of this colour have. */
  value: string;
  label: string;
  nodes: number;
  /** The size of the group, of which perhaps not all is drawn. */
  pages?: number;
  colour: string;
}

/** A labelled circle around the nodes of a group. */
export interface Region {
  group: string;
  label: string;
  detail: string;
  colour: string;
  x: number;
  y: number;
  radius: number;
}

export interface DrawingStyle {
  paper: string;
  ink: string;
  soft: string;
  line: string;
  /** The colour of lines between regions. */
  thread: string;
  accent: string;
  incoming: string;
  font: string;
  legend: LegendEntry[];
  regions: Region[];
  /** What colours the nodes: empty for their groups, else an attribute, a tag or a number. */
  colourBy: string;
  otherNodes: number;
  /** Whether groups are numbered, as topics and communities are. */
  numbered: boolean;
  /** Whether a node is the page that the drawing is centred on. */
  isCentre: (node: DrawingNode) => boolean;
  name: (node: DrawingNode) => string;
  /** The value that colours a node, as in the legend; empty for none. */
  value: (node: DrawingNode) => string;
  colour: (node: DrawingNode) => string;
  size: (node: DrawingNode) => number;
  /** The colour of the links of a node. */
  linkColour: (source: DrawingNode, target: DrawingNode) => string;
}

export interface StyleChoice {
  colourBy?: string;
  sizeBy?: string;
}

const NEIGHBOUR_COLOURS: Record<string, string> = { page: "--group-5", in: "--group-1", out: "--group-2", both: "--group-3" };
const NUMBERS = ["inlinks", "outlinks", "authority", "hub"] as const;
type NumberName = (typeof NUMBERS)[number];
const NUMBER_STEPS = 5;
const MAX_LEGEND_ENTRIES = 30;
const [MANY_LINKS, MANY_LINKS_OF_REGIONS] = [2500, 600];
const [MAX_LABEL_LENGTH, MAX_REGION_LABEL] = [44, 52];
const CENTRE_NODE_SIZE = 11;

/** What nodes can be coloured by, with a name for each: attributes that differ among the nodes, tags, numbers. */
export function colourChoices(drawing: DrawingResponse): [string, string][] {
  const names = new Set(drawing.nodes.flatMap((node) => Object.keys(node.attributes)));
  return [
    ["", drawing.groups.some((group) => group.radius > 0) ? "region" : "group"],
    ...[...names].map((name) => [`attribute:${name}`, name === "status" ? "HTTP status" : name] as [string, string]),
    ...Object.keys(drawing.facets).map((facet) => [`tag:${facet}`, `tag ${facet}`] as [string, string]),
    ["number:inlinks", "in-links"],
    ["number:outlinks", "out-links"],
  ];
}

export const SIZE_CHOICES: readonly [string, string][] = [
  ["authority", "authority"],
  ["hub", "hub"],
  ["inlinks", "in-links"],
  ["outlinks", "out-links"],
  ["same", "nothing"],
];

/** The style of a drawing in the current colour scheme; `topic` is the topic drawn. */
export function drawingStyle(
  given: DrawingResponse,
  topic: number,
  { colourBy = "", sizeBy = "authority" }: StyleChoice = {},
): DrawingStyle {
  const drawing = { ...given, groups: nameLanguages(given) };
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const groupColour = (k: number) => read(`--group-${((k - 1) % COLOUR_COUNT) + 1}`);
  const numbered = drawing.groups.every(({ group }) => /^\d+$/.test(group));
  const ofGroup = groupColours(drawing, topic, groupColour, read);
  const paint = paintBy(drawing, colourBy, ofGroup, groupColour, read);
  const ranked = numbered || drawing.groups.every(({ group }) => group === "hub" || group === "authority");
  const many = numbered && drawing.groups.length > COLOUR_COUNT;
  const isCentre = (node: DrawingNode) => node.group === "page";
  const hasRegions = drawing.groups.some((group) => group.radius > 0);
  const line = read(drawing.links.length > (hasRegions ? MANY_LINKS_OF_REGIONS : MANY_LINKS) ? "--thin" : "--thread");
  const regionLabels = distinctLabels(drawing.groups.map(({ label }) => stripControlChars(label)));
  return {
    paper: read("--paper"),
    ink: read("--ink"),
    soft: read("--soft"),
    line,
    thread: read("--thread"),
    accent: read("--accent"),
    incoming: read("--group-2"),
    font: getComputedStyle(document.body).fontFamily,
    legend: paint.legend.slice(0, MAX_LEGEND_ENTRIES),
    regions: drawing.groups
      .map((group, k) => ({ ...group, label: regionLabels[k] || "(no label)" }))
      .filter((group) => group.radius > 0)
      .map((group) => ({
        group: group.group,
        label: `${numbered ? `${group.group}\u00a0` : ""}${truncateText(group.label.replace(/^www\./, ""), MAX_REGION_LABEL)}`,
        detail: group.pages > 0 ? `${formatNumber(group.pages)} ${drawing.level}s` : "",
        colour: ofGroup.get(group.group) ?? read("--neutral-0"),
        x: group.x,
        y: group.y,
        radius: group.radius,
      })),
    colourBy,
    otherNodes: drawing.nodes.length - paint.legend.reduce((sum, key) => sum + key.nodes, 0),
    numbered: numbered && !colourBy,
    isCentre,
    name: (node) => (many && !hasRegions ? `${node.group} · ${shortLabel(node)}` : shortLabel(node)),
    value: paint.value,
    colour: paint.colour,
    size: nodeSizes(drawing, ranked, sizeBy, isCentre),
    linkColour: (source, target) =>
      hasRegions && source.group === target.group ? mixColours(ofGroup.get(source.group) ?? line, read("--paper"), 0.38) : line,
  };
}

/** The groups of a drawing; where they are languages, by the names of these. */
export function nameLanguages({ groups, nodes }: Pick<DrawingResponse, "groups" | "nodes">): DrawingResponse["groups"] {
  const languages = new Set(nodes.map((node) => node.attributes["language"]));
  const named = groups.every(({ group }) => languages.has(group));
  return named ? groups.map((group) => ({ ...group, label: languageName(group.label) })) : groups;
}

interface Paint {
  value: (node: DrawingNode) => string;
  colour: (node: DrawingNode) => string;
  legend: LegendEntry[];
}

/** The colours of the groups: those of numbers are the same on all screens. */
function groupColours(
  drawing: DrawingResponse,
  topic: number,
  groupColour: (k: number) => string,
  read: (name: string) => string,
): Map<string, string> {
  const { groups } = drawing;
  if (groups.some((group) => group.group in NEIGHBOUR_COLOURS))
    return new Map(groups.map(({ group }) => [group, read(NEIGHBOUR_COLOURS[group] ?? "--neutral-0")]));
  if (groups.every(({ group }) => group === "hub" || group === "authority"))
    return new Map([
      ["authority", groupColour(topic || 1)],
      ["hub", read("--neutral-0")],
    ]);
  if (groups.every(({ group }) => /^\d+$/.test(group))) return new Map(groups.map(({ group }) => [group, groupColour(Number(group))]));
  const large = groups.filter((group) => group.radius > 0 || group.nodes >= Math.max(3, 0.02 * drawing.nodes.length));
  return new Map(large.slice(0, groups[0]?.radius ? undefined : COLOUR_COUNT).map(({ group }, k) => [group, groupColour(k + 1)]));
}

/** Colours by group, by the most frequent values of an attribute or tag, or by the size of a number. */
function paintBy(
  drawing: DrawingResponse,
  colourBy: string,
  ofGroup: Map<string, string>,
  groupColour: (k: number) => string,
  read: (name: string) => string,
): Paint {
  const [kind = "", ...rest] = colourBy.split(":");
  const name = rest.join(":");
  if (kind === "number" && NUMBERS.includes(name as NumberName)) return paintByNumber(drawing, name as NumberName, read);
  const other = read(ofGroup.size > 0 ? "--neutral-0" : "--group-1");
  if (kind === "attribute" || kind === "tag") {
    const value = (node: DrawingNode) => (kind === "tag" ? node.tags[name] : node.attributes[name]) ?? "";
    const known = kind === "tag" ? (drawing.facets[name] ?? []) : frequentValues(drawing, value);
    const colours = new Map(known.map((each, k) => [each, groupColour(k + 1)]));
    const legend = known
      .map((each) =>
        entry(drawing, value, each, name === "language" && kind === "attribute" ? languageName(each) : each, colours.get(each) ?? other),
      )
      .filter(({ nodes }) => nodes > 0);
    return { value, colour: (node) => colours.get(value(node)) ?? read("--neutral-0"), legend };
  }
  const value = (node: DrawingNode) => node.group;
  const numbered = drawing.groups.every(({ group }) => /^\d+$/.test(group));
  const ordered = numbered ? [...drawing.groups].sort((a, b) => Number(a.group) - Number(b.group)) : drawing.groups;
  const legend = ordered
    .filter(({ group }) => ofGroup.has(group))
    .map(({ group, label, nodes, pages }) => ({
      value: group,
      label,
      nodes,
      ...(pages > nodes && { pages }),
      colour: ofGroup.get(group) ?? other,
    }));
  return { value, colour: (node) => ofGroup.get(node.group) ?? other, legend };
}

function frequentValues(drawing: DrawingResponse, value: (node: DrawingNode) => string): string[] {
  const counts = new Map<string, number>();
  for (const node of drawing.nodes) if (value(node)) counts.set(value(node), (counts.get(value(node)) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .slice(0, COLOUR_COUNT)
    .map(([each]) => each);
}

function entry(drawing: DrawingResponse, value: Paint["value"], wanted: string, label: string, colour: string): LegendEntry {
  return { value: wanted, label, nodes: drawing.nodes.filter((node) => value(node) === wanted).length, colour };
}

/** Five steps of one colour, at powers of the largest number. */
function paintByNumber(drawing: DrawingResponse, name: NumberName, read: (name: string) => string): Paint {
  const most = Math.max(1, ...drawing.nodes.map((node) => node[name]));
  const limits = Array.from({ length: NUMBER_STEPS }, (_, k) => Math.round(most ** ((k + 1) / NUMBER_STEPS)));
  const step = (node: DrawingNode) =>
    Math.max(
      0,
      limits.findIndex((limit) => node[name] <= limit),
    );
  const colours = limits.map((_, k) => mixColours(read("--accent"), read("--paper"), 0.25 + (0.75 * k) / (NUMBER_STEPS - 1)));
  const value = (node: DrawingNode) => String(step(node));
  const legend = limits.map((limit, k) =>
    entry(drawing, value, String(k), `${k === 0 ? 0 : formatNumber((limits[k - 1] ?? 0) + 1)}–${formatNumber(limit)}`, colours[k] ?? ""),
  );
  return { value, colour: (node) => colours[step(node)] ?? "", legend: legend.filter(({ nodes }) => nodes > 0) };
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
export function mixColours(first: string, other: string, share: number): string {
  const [a, b] = [first, other].map((colour) => {
    const digits = colour.slice(1).replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3");
    return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
  }) as [number[], number[]];
  return `#${a
    .map((value, k) =>
      Math.round(share * value + (1 - share) * (b[k] ?? 0))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** Sizes of nodes by a number, whose area shows it; smaller in large drawings. */
function nodeSizes(
  drawing: DrawingResponse,
  ranked: boolean,
  sizeBy: string,
  isCentre: (node: DrawingNode) => boolean,
): (node: DrawingNode) => number {
  const scale = Math.min(1, Math.max(0.45, Math.sqrt(120 / drawing.nodes.length)));
  const name = NUMBERS.find((each) => each === sizeBy);
  const most = name ? Math.max(1e-9, ...drawing.nodes.map((node) => node[name])) : 1;
  const weight = (node: DrawingNode) => {
    if (!name) return 0.2;
    const share = Math.max(0, node[name]) / most;
    return ranked && name === "authority" ? share : Math.sqrt(share);
  };
  return (node) =>
    Math.max(scale * Math.max(3 + 11 * weight(node), node.kind === "uncaptured" ? 5 : 0), isCentre(node) ? CENTRE_NODE_SIZE : 0);
}

/** The width of the ring that marks a hub. */
export function ringWidth(node: DrawingNode): number {
  return node.hub > 0.05 ? 0.8 + 2 * node.hub : 0;
}
