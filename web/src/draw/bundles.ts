/** Links between regions as one line for each pair: where they are many, single links hide everything. */

import type { DrawingNode, DrawingResponse } from "../api/schemas";

export interface Bundle {
  source: string;
  target: string;
  links: number;
  /** The width of its line in pixels. */
  width: number;
}

const [MAX_BUNDLES, THINNEST, WIDENING] = [80, 0.8, 6];
/** Up to that many links between regions are drawn one by one. */
const MAX_SINGLE_LINKS = 60;

/** The pairs of groups with most links, the fewest of them first, so that the widest lines are on top. */
export function linksBetween(drawing: DrawingResponse, isShown: (node: DrawingNode) => boolean = () => true, minWeight = 0): Bundle[] {
  const counts = new Map<string, number>();
  for (const link of drawing.links) {
    const [source, target] = [drawing.nodes[link.source], drawing.nodes[link.target]];
    if (!source || !target || source.group === target.group || link.weight < minWeight) continue;
    if (!isShown(source) || !isShown(target)) continue;
    const pair = [source.group, target.group].sort().join("\n");
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  const most = Math.max(1, ...counts.values());
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_BUNDLES)
    .map(([pair, links]) => {
      const [source = "", target = ""] = pair.split("\n");
      return { source, target, links, width: THINNEST + WIDENING * (links / most) };
    })
    .reverse();
}

/** The bundles of a drawing with regions; none where the links are few enough to be drawn one by one. */
export function bundleLinks(drawing: DrawingResponse, isShown?: (node: DrawingNode) => boolean, minWeight = 0): Bundle[] {
  if (!drawing.groups.some((group) => group.radius > 0)) return [];
  const between = drawing.links.filter(
    (link) => link.weight >= minWeight && drawing.nodes[link.source]?.group !== drawing.nodes[link.target]?.group,
  );
  return between.length > MAX_SINGLE_LINKS ? linksBetween(drawing, isShown, minWeight) : [];
}
