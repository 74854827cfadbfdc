/** A bow-tie drawn to scale, each region of which leads to its pages. */

import { count, number, share } from "../pieces/words";
import { useRoom } from "./room";
import { type Ball, type Tie, type Wing, footOf, layOut, wingPath } from "./tie";

export interface Region {
  region: string;
  pages: number;
  share: number;
  meaning: string;
}

interface Props {
  regions: readonly Region[];
  chosen: string;
  thing: string;
  href: (region: string) => string;
}

const OWN: Record<string, string> = {
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
const ROOMY = 82;

/** The class that gives a region its colour. */
export function regionColour(region: string): string {
  return OWN[region] ?? "t10";
}

export function BowTieDrawing({ regions, chosen, thing, href }: Props) {
  const [box, width] = useRoom<HTMLDivElement>(640);
  const tie = layOut(new Map(regions.map((one) => [one.region, one.pages])), Math.min(width, 720));
  const known = new Map(regions.map((one) => [one.region, one]));
  const link = (region: string, shape: preact.JSX.Element, words: preact.JSX.Element) => {
    const one = known.get(region);
    if (!one) return null;
    return (
      <a
        key={region}
        class={`region ${regionColour(region)}`}
        href={href(region)}
        aria-label={`${titled(region)} ${count(one.pages, thing)}, ${share(one.share)}, ${one.meaning}`}
        aria-current={region === chosen ? "true" : undefined}
      >
        {shape}
        {words}
      </a>
    );
  };
  const pages = (region: string) => known.get(region)?.pages ?? 0;
  return (
    <div ref={box} class="bowtie">
      <svg viewBox={`0 0 ${tie.width} ${tie.height.toFixed(0)}`} width={tie.width} height={tie.height.toFixed(0)} role="group" aria-label="The bow-tie, areas to the scale of pages">
        <Threads tie={tie} />
        {tie.wings.map((wing) => link(wing.region, <path d={wingPath(wing)} />, <WingWords wing={wing} pages={pages(wing.region)} />))}
        {link("core", <circle cx={tie.core.x} cy={tie.core.y} r={tie.core.radius} />, <CoreWords ball={tie.core} pages={pages("core")} />)}
        {tie.beside.map((ball) =>
          link(ball.region, <circle cx={ball.x} cy={ball.y} r={ball.radius} />, <Words x={ball.x} y={ball.y + ball.radius + 17} anchor="middle" region={ball.region} pages={pages(ball.region)} />),
        )}
      </svg>
      <p class="soft small">
        Areas are to scale: a {thing} takes the same room everywhere.
        {tie.enlarged.length > 0 && ` Too small to see, and so drawn larger: ${tie.enlarged.join(", ")}.`}
      </p>
    </div>
  );
}

/** A region as a heading writes it. */
export function titled(region: string): string {
  return region.charAt(0).toUpperCase() + region.slice(1);
}

/** How tendrils and tubes hang on the wings. */
function Threads({ tie }: { tie: Tie }) {
  const foot = (region: string) => {
    const wing = tie.wings.find((one) => one.region === region);
    return wing ? footOf(wing) : { x: tie.core.x, y: tie.core.y };
  };
  const bend = (from: { x: number; y: number }, to: { x: number; y: number }) =>
    `M${from.x.toFixed(1)} ${from.y.toFixed(1)}C${from.x.toFixed(1)} ${((from.y + to.y) / 2).toFixed(1)} ${to.x.toFixed(1)} ${((from.y + to.y) / 2).toFixed(1)} ${to.x.toFixed(1)} ${to.y.toFixed(1)}`;
  const lines = tie.beside.flatMap((ball) => {
    const top = { x: ball.x, y: ball.y - ball.radius };
    if (ball.region === "tendrils in") return [bend(foot("in"), top)];
    if (ball.region === "tendrils out") return [bend(foot("out"), top)];
    if (ball.region === "tubes") return [bend(foot("in"), top), bend(foot("out"), top)];
    return [];
  });
  return (
    <g class="threads" aria-hidden="true">
      {lines.map((line) => (
        <path key={line} d={line} />
      ))}
    </g>
  );
}

function Words({ x, y, anchor, region, pages }: { x: number; y: number; anchor: "start" | "middle" | "end"; region: string; pages: number }) {
  return (
    <text x={x} y={y} text-anchor={anchor} aria-hidden="true">
      <tspan class="called">{titled(region)}</tspan>{" "}
      <tspan x={x} dy="1.25em">
        {number(pages)}
      </tspan>
    </text>
  );
}

function WingWords({ wing, pages }: { wing: Wing; pages: number }) {
  const end = wing.x + wing.length;
  if (Math.abs(wing.length) >= ROOMY) return <Words x={wing.x + 0.6 * wing.length} y={wing.y - 2} anchor="middle" region={wing.region} pages={pages} />;
  return <Words x={end + (wing.length < 0 ? -8 : 8)} y={wing.y - 2} anchor={wing.length < 0 ? "end" : "start"} region={wing.region} pages={pages} />;
}

function CoreWords({ ball, pages }: { ball: Ball; pages: number }) {
  const inside = ball.radius >= 30;
  return <Words x={ball.x} y={inside ? ball.y - 2 : ball.y - ball.radius - 24} anchor="middle" region="core" pages={pages} />;
}
