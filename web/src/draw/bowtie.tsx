/** A bow-tie diagram to scale; each region links to its pages. */

import { formatCount, formatNumber, formatPercent } from "../pieces/format";
import { useElementWidth } from "./useElementWidth";
import { type BowTieLayout, type Circle, layOutBowTie, type Wing, wingFoot, wingPath } from "./bowtieLayout";

export interface Region {
  region: string;
  pages: number;
  share: number;
  meaning: string;
}

interface Props {
  regions: readonly Region[];
  chosen: string;
  unit: string;
  href: (region: string) => string;
}

const REGION_COLOUR_CLASSES: Record<string, string> = {
  core: "t1",
  in: "t3",
  out: "t2",
  tubes: "t4",
  "tendrils in": "t9",
  "tendrils out": "t8",
  other: "t5",
  disconnected: "t10",
  "no core": "t10",
};
const MIN_INNER_LABEL_WIDTH = 82;

/** The class that gives a region its colour. */
export function regionColourClass(region: string): string {
  return REGION_COLOUR_CLASSES[region] ?? "t10";
}

export function BowTieDiagram({ regions, chosen, unit, href }: Props) {
  const [box, width] = useElementWidth<HTMLDivElement>(640);
  const layout = layOutBowTie(new Map(regions.map((item) => [item.region, item.pages])), Math.min(width, 720));
  const regionByName = new Map(regions.map((item) => [item.region, item]));
  const link = (region: string, shape: preact.JSX.Element, label: preact.JSX.Element) => {
    const item = regionByName.get(region);
    if (!item) return null;
    return (
      <a
        key={region}
        class={`region ${regionColourClass(region)}`}
        href={href(region)}
        aria-label={`${capitalise(region)} ${formatCount(item.pages, unit)}, ${formatPercent(item.share)}, ${item.meaning}`}
        aria-current={region === chosen ? "true" : undefined}
      >
        {shape}
        {label}
      </a>
    );
  };
  const pages = (region: string) => regionByName.get(region)?.pages ?? 0;
  return (
    <div ref={box} class="bowtie">
      <svg viewBox={`0 0 ${layout.width} ${layout.height.toFixed(0)}`} width={layout.width} height={layout.height.toFixed(0)} role="group" aria-label="Bow-tie diagram; areas are proportional to pages">
        <ConnectorLines layout={layout} />
        {layout.wings.map((wing) => link(wing.region, <path d={wingPath(wing)} />, <WingLabel wing={wing} pages={pages(wing.region)} />))}
        {link("core", <circle cx={layout.core.x} cy={layout.core.y} r={layout.core.radius} />, <CoreLabel circle={layout.core} pages={pages("core")} />)}
        {layout.satellites.map((circle) =>
          link(circle.region, <circle cx={circle.x} cy={circle.y} r={circle.radius} />, <RegionLabel x={circle.x} y={circle.y + circle.radius + 17} anchor="middle" region={circle.region} pages={pages(circle.region)} />),
        )}
      </svg>
      <p class="soft small">
        Areas are proportional to the number of {unit}s.
        {layout.enlarged.length > 0 && ` Drawn larger because they are tiny: ${layout.enlarged.join(", ")}.`}
      </p>
    </div>
  );
}

/** A text with a capital first letter. */
export function capitalise(region: string): string {
  return region.charAt(0).toUpperCase() + region.slice(1);
}

/** Lines that connect tendrils and tubes with the wings. */
function ConnectorLines({ layout }: { layout: BowTieLayout }) {
  const foot = (region: string) => {
    const wing = layout.wings.find((wing) => wing.region === region);
    return wing ? wingFoot(wing) : { x: layout.core.x, y: layout.core.y };
  };
  const bend = (from: { x: number; y: number }, to: { x: number; y: number }) =>
    `M${from.x.toFixed(1)} ${from.y.toFixed(1)}C${from.x.toFixed(1)} ${((from.y + to.y) / 2).toFixed(1)} ${to.x.toFixed(1)} ${((from.y + to.y) / 2).toFixed(1)} ${to.x.toFixed(1)} ${to.y.toFixed(1)}`;
  const lines = layout.satellites.flatMap((circle) => {
    const top = { x: circle.x, y: circle.y - circle.radius };
    if (circle.region === "tendrils in") return [bend(foot("in"), top)];
    if (circle.region === "tendrils out") return [bend(foot("out"), top)];
    if (circle.region === "tubes") return [bend(foot("in"), top), bend(foot("out"), top)];
    return [];
  });
  return (
    <g class="connectors" aria-hidden="true">
      {lines.map((line) => (
        <path key={line} d={line} />
      ))}
    </g>
  );
}

function RegionLabel({ x, y, anchor, region, pages }: { x: number; y: number; anchor: "start" | "middle" | "end"; region: string; pages: number }) {
  return (
    <text x={x} y={y} text-anchor={anchor} aria-hidden="true">
      <tspan class="region-name">{capitalise(region)}</tspan>{" "}
      <tspan x={x} dy="1.25em">
        {formatNumber(pages)}
      </tspan>
    </text>
  );
}

function WingLabel({ wing, pages }: { wing: Wing; pages: number }) {
  const end = wing.x + wing.length;
  if (Math.abs(wing.length) >= MIN_INNER_LABEL_WIDTH) return <RegionLabel x={wing.x + 0.6 * wing.length} y={wing.y - 2} anchor="middle" region={wing.region} pages={pages} />;
  return <RegionLabel x={end + (wing.length < 0 ? -8 : 8)} y={wing.y - 2} anchor={wing.length < 0 ? "end" : "start"} region={wing.region} pages={pages} />;
}

function CoreLabel({ circle, pages }: { circle: Circle; pages: number }) {
  const inside = circle.radius >= 30;
  return <RegionLabel x={circle.x} y={inside ? circle.y - 2 : circle.y - circle.radius - 24} anchor="middle" region="core" pages={pages} />;
}
