/** The share of nodes with so many links or more, both axes by powers of ten, and the laws fitted to it. */

import { useId, useState } from "preact/hooks";
import { number } from "../pieces/words";
import { useRoom } from "./room";

const LEFT = 50;
const RIGHT = 14;
const TOP = 12;
const BELOW = 42;
const APART = 3.5;

export interface Point {
  degree: number;
  pages: number;
  least: number;
}

export interface Line {
  law: string;
  points: readonly (readonly [number, number])[];
}

interface Props {
  label: string;
  axis: string;
  points: readonly Point[];
  lines: readonly Line[];
  from: number | null;
  href?: (point: Point) => string;
  words: (point: Point) => string;
}

export function LawPlot({ label, axis, points, lines, from, href, words }: Props) {
  const [box, room] = useRoom<HTMLDivElement>(440);
  const [near, setNear] = useState<Point | null>(null);
  const clip = useId();
  const width = Math.min(room, 560);
  const height = Math.round(Math.max(230, 0.62 * width));
  const most = decades(Math.max(1, ...points.map((point) => point.degree)));
  const deep = decades(1 / Math.min(1, ...points.map((point) => point.least)));
  const x = (value: number) => LEFT + (Math.log10(value) / most) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP - (Math.log10(value) / deep) * (height - TOP - BELOW);
  const shown = apart(points, x, y);
  const told = near ?? shown.at(-1);
  return (
    <div ref={box} class="plot law">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label={label}>
        <clipPath id={clip}>
          <rect x={LEFT} y={TOP - 4} width={width - LEFT - RIGHT + 4} height={height - TOP - BELOW + 4} />
        </clipPath>
        {powers(most, (width - LEFT - RIGHT) / 64).map((k) => (
          <g key={k}>
            <line class="grid" x1={x(10 ** k)} x2={x(10 ** k)} y1={TOP} y2={height - BELOW} />
            <text x={x(10 ** k)} y={height - BELOW + 17} text-anchor={k === most ? "end" : "middle"}>
              {number(10 ** k)}
            </text>
          </g>
        ))}
        {powers(deep, 7).map((k) => (
          <g key={k}>
            <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(10 ** -k)} y2={y(10 ** -k)} />
            <text x={LEFT - 8} y={y(10 ** -k) + 4} text-anchor="end">
              {percent(k)}
            </text>
          </g>
        ))}
        <text x={(LEFT + width - RIGHT) / 2} y={height - 5} text-anchor="middle">
          {axis}
        </text>
        {from !== null && from > 1 && (
          <g class="start">
            <line x1={x(from)} x2={x(from)} y1={TOP} y2={height - BELOW} />
          </g>
        )}
        {shown.map((point) => {
          const dot = (
            <circle cx={x(point.degree)} cy={y(point.least)} r={point === told ? 5.5 : 3} class={point === told ? "near" : undefined} onPointerEnter={() => setNear(point)}>
              <title>{words(point)}</title>
            </circle>
          );
          return href ? (
            <a key={point.degree} href={href(point)} aria-label={words(point)} tabIndex={-1}>
              {dot}
            </a>
          ) : (
            <g key={point.degree}>{dot}</g>
          );
        })}
        <g clip-path={`url(#${clip})`}>
          {lines.map((line, k) => (
            <polyline key={line.law} class={`fit ${style(k)}`} points={line.points.map(([degree, least]) => `${x(degree).toFixed(1)},${y(least).toFixed(1)}`).join(" ")} />
          ))}
        </g>
      </svg>
      <ul class="keys">
        <li>
          <span class="dot spot" /> measured
        </li>
        {lines.map((line, k) => (
          <li key={line.law}>
            <svg width="26" height="8" aria-hidden="true">
              <line class={`fit ${style(k)}`} x1="1" x2="25" y1="4" y2="4" />
            </svg>{" "}
            {line.law}
          </li>
        ))}
      </ul>
      {told && <p class="soft small pointed">{words(told)}</p>}
    </div>
  );
}

function style(k: number): string {
  return k === 0 ? "first" : `rival r${Math.min(k, 3)}`;
}

/** How many powers of ten hold a value. */
function decades(value: number): number {
  return Math.max(1, Math.ceil(Math.log10(value) - 1e-9));
}

/** The powers to write beside an axis that has room for so many. */
function powers(most: number, room: number): number[] {
  const step = Math.ceil(most / Math.max(1, Math.floor(room)));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, k) => k * step);
}

function percent(k: number): string {
  return k <= 3 ? `${Number((10 ** (2 - k)).toPrecision(1))} %` : `10⁻${"⁰¹²³⁴⁵⁶⁷⁸⁹"[k] ?? ""}`;
}

/** Points that do not lie on each other. */
function apart(points: readonly Point[], x: (value: number) => number, y: (value: number) => number): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const last = kept.at(-1);
    const close = last && Math.hypot(x(point.degree) - x(last.degree), y(point.least) - y(last.least)) < APART;
    if (!close || point === points.at(-1)) kept.push(point);
  }
  return kept;
}
