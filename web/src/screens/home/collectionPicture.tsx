/** The collection as a picture: its communities as labelled regions, and example queries from their names. */

import { useState } from "preact/hooks";
import type { DrawingResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { linksBetween } from "../../draw/bundles";
import { useElementWidth } from "../../draw/useElementWidth";
import { distinctLabels, wrapLabel } from "../../draw/wrapLabel";
import { colourClass } from "../../pieces/controls";
import { formatCount, formatNumber, stripControlChars } from "../../pieces/format";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { buildUrl } from "../../route";

const NODES = 300;
/** Above that many links the communities are computed on request. */
const MANY_LINKS = 5_000_000;
const [WIDE_ASPECT, NARROW_ASPECT, NARROW] = [2.55, 0.9, 640];
/** Radii in pixels: below the first a label has two lines, below the second small ones; the third is the largest. */
const [TINY_RADIUS, SMALL_RADIUS, MAX_RADIUS] = [34, 48, 120];
/** Of labels, in pixels. */
const [LINE, SMALL_LINE, LETTER_WIDTH, SMALL_LETTER_WIDTH, MIN_LABEL_WIDTH, MIN_INSIDE_WIDTH] = [16, 13, 7.2, 6, 64, 42];
const [EXAMPLES, MAX_EXAMPLE] = [5, 28];

export function CollectionPicture({ method, links }: { method: string; links: number }) {
  const [box, width] = useElementWidth<HTMLDivElement>(1100);
  const [wanted, setWanted] = useState(links <= MANY_LINKS);
  const aspect = width < NARROW ? NARROW_ASPECT : WIDE_ASPECT;
  const params = { number: 0, nodes: NODES, aspect };
  const response = useApi<DrawingResponse>(wanted ? `communities/${method}/map` : null, params);
  return (
    <section class="collection-picture">
      <div class="tools">
        <h2>What it is about</h2>
        {response.data && <Examples drawing={response.data} />}
        <span class="picture-links">
          <a href="/communities">Communities</a> <a href="/map">Map</a>
        </span>
      </div>
      <div ref={box}>
        {wanted ? (
          <AsyncContent response={response} label="the communities of the collection" placeholderLines={12}>
            {(drawing) => <RegionPicture drawing={drawing} width={width} aspect={aspect} />}
          </AsyncContent>
        ) : (
          <p>
            The communities of {formatNumber(links)} links take a while.{" "}
            <button type="button" onClick={() => setWanted(true)}>
              Compute them
            </button>
          </p>
        )}
      </div>
    </section>
  );
}

/** Queries that find something: the first words of the names of communities. */
function Examples({ drawing }: { drawing: DrawingResponse }) {
  const queries = exampleQueries(drawing.groups.map(({ label }) => label));
  if (queries.length === 0) return null;
  return (
    <p class="examples">
      <span class="soft">Try</span>{" "}
      {queries.map((query) => (
        <a key={query} href={buildUrl("/topics", { query })}>
          <bdi>{query}</bdi>
        </a>
      ))}
    </p>
  );
}

export function exampleQueries(labels: readonly string[]): string[] {
  const firsts = labels.map((label) => stripControlChars(label.split(" · ")[0] ?? ""));
  const usable = firsts.filter((text) => /\p{L}{3}/u.test(text) && text.length <= MAX_EXAMPLE && !/[/@]|\.\w/.test(text));
  const first = new Map<string, string>();
  for (const text of usable) if (!first.has(text.toLowerCase())) first.set(text.toLowerCase(), text);
  return [...first.values()].slice(0, EXAMPLES);
}

function RegionPicture({ drawing, width, aspect }: { drawing: DrawingResponse; width: number; aspect: number }) {
  const regions = drawing.groups.filter(({ radius }) => radius > 0);
  if (regions.length === 0) return <EmptyMessage>No pages link to each other, so there are no communities.</EmptyMessage>;
  const circles = regions.map(({ x, y, radius }) => ({ x, y, radius }));
  const left = Math.min(...circles.map((each) => each.x - each.radius));
  const right = Math.max(...circles.map((each) => each.x + each.radius));
  const low = Math.min(...circles.map((each) => each.y - each.radius));
  const high = Math.max(...circles.map((each) => each.y + each.radius));
  const largest = Math.max(...circles.map(({ radius }) => radius));
  const scale = Math.min((width - 4) / (right - left), width / aspect / (high - low), MAX_RADIUS / largest);
  const height = Math.ceil((high - low) * scale) + 4;
  const margin = (width - (right - left) * scale) / 2;
  const place = ({ x, y }: { x: number; y: number }) => ({ x: margin + (x - left) * scale, y: 2 + (high - y) * scale });
  const names = regions.map(({ label }) => stripControlChars(label) || "(no label)");
  const labels = labelRegions(
    distinctLabels(names).map((label, k) => label || names[k] || ""),
    regions.map((region) => ({ ...place(region), radius: region.radius * scale })),
  );
  const classes = new Map(regions.map(({ group }) => [group, colourClass(Number(group))]));
  return (
    <svg class="region-picture" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label={drawing.caption}>
      <g class="region-links">
        {linksBetween(drawing).map(({ source, target, width }) => {
          const [from, to] = [source, target].map((name) => regions.find(({ group }) => group === name)).map((each) => each && place(each));
          return from && to && <line key={`${source} ${target}`} x1={from.x} y1={from.y} x2={to.x} y2={to.y} stroke-width={width} />;
        })}
      </g>
      {regions.map((region, k) => {
        const at = place(region);
        return (
          <a key={region.group} class={`region ${classes.get(region.group)}`} href={communityUrl(region.group)}>
            <title>{`${names[k]}, ${formatCount(region.pages, "page")}`}</title>
            <circle cx={at.x} cy={at.y} r={region.radius * scale} />
          </a>
        );
      })}
      <g>
        {regions.map((region, k) => (
          <RegionLabel key={region.group} {...(labels[k] as RegionLabelLines)} pages={region.pages} at={place(region)} />
        ))}
      </g>
    </svg>
  );
}

function communityUrl(group: string): string {
  return buildUrl("/communities", { community: group === "1" ? null : group });
}

interface Circle {
  x: number;
  y: number;
  radius: number;
}

interface RegionLabelLines {
  /** None where there is no room. */
  lines: string[];
  small: boolean;
}

/**
 * The name of each region in as many lines as fit into its circle, or a little wider. Where it would cover the name of a
 * larger one it keeps within its circle, and is left out where that is too narrow.
 */
export function labelRegions(names: readonly string[], circles: readonly Circle[]): RegionLabelLines[] {
  const labels: RegionLabelLines[] = names.map(() => ({ lines: [], small: true }));
  const written: { x: number; y: number; width: number; height: number }[] = [];
  const largestFirst = circles.map((_, k) => k).sort((a, b) => (circles[b]?.radius ?? 0) - (circles[a]?.radius ?? 0));
  for (const k of largestFirst) {
    const { x, y, radius } = circles[k] as Circle;
    const small = radius < SMALL_RADIUS;
    const [line, letter] = small ? [SMALL_LINE, SMALL_LETTER_WIDTH] : [LINE, LETTER_WIDTH];
    const inside = (small ? 1.9 : 1.7) * radius;
    const measure = (text: string) => letter * text.length;
    for (const width of [Math.max(inside, MIN_LABEL_WIDTH), ...(inside >= MIN_INSIDE_WIDTH ? [inside] : [])]) {
      const lines = wrapLabel(names[k] ?? "", width, radius < TINY_RADIUS ? 2 : 3, measure);
      const box = { x, y, width: Math.max(...lines.map(measure)), height: (lines.length + (small ? 0 : 1)) * line };
      const covers = written.some(
        (other) => 2 * Math.abs(other.x - x) < other.width + box.width && 2 * Math.abs(other.y - y) < other.height + box.height,
      );
      if (covers) continue;
      written.push(box);
      labels[k] = { lines, small };
      break;
    }
  }
  return labels;
}

/** The name of a region, and below it the number of its pages where there is room. */
function RegionLabel({ lines, small, pages, at }: RegionLabelLines & { pages: number; at: { x: number; y: number } }) {
  if (lines.length === 0) return null;
  const line = small ? SMALL_LINE : LINE;
  const below = small ? 0 : line;
  const first = at.y - ((lines.length - 1) * line + below) / 2 + 4;
  return (
    <text class={small ? "region-label small-region" : "region-label"} x={at.x} y={first}>
      {lines.map((each, k) => (
        <tspan key={k} x={at.x} dy={k === 0 ? 0 : line}>
          {`${each} `}
        </tspan>
      ))}
      {!small && (
        <tspan class="region-size" x={at.x} dy={line + 1}>
          {formatCount(pages, "page")}
        </tspan>
      )}
    </text>
  );
}
