/** A log-log plot of a complementary cumulative distribution (CCDF) with fitted curves. */

import { useId, useState } from "preact/hooks";
import { formatNumber } from "../pieces/format";
import { useElementWidth } from "./useElementWidth";

const LEFT = 50;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 42;
const MIN_POINT_DISTANCE = 3.5;

export interface Point {
  degree: number;
  pages: number;
  ccdf: number;
}

export interface FittedCurve {
  distribution: string;
  points: readonly (readonly [number, number])[];
}

interface Props {
  label: string;
  axis: string;
  points: readonly Point[];
  curves: readonly FittedCurve[];
  fittedFrom: number | null;
  href?: (point: Point) => string;
  describe: (point: Point) => string;
}

export function CcdfPlot({ label, axis, points, curves, fittedFrom, href, describe }: Props) {
  const [box, available] = useElementWidth<HTMLDivElement>(440);
  const [hovered, setHovered] = useState<Point | null>(null);
  const clip = useId();
  const width = Math.min(available, 560);
  const height = Math.round(Math.max(230, 0.62 * width));
  const maxExponent = decadeCount(Math.max(1, ...points.map((point) => point.degree)));
  const maxDepth = decadeCount(1 / Math.min(1, ...points.map((point) => point.ccdf)));
  const x = (value: number) => LEFT + (Math.log10(value) / maxExponent) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP - (Math.log10(value) / maxDepth) * (height - TOP - BOTTOM);
  const shown = thinPoints(points, x, y);
  const highlighted = hovered ?? shown.at(-1);
  return (
    <div ref={box} class="plot ccdf">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label={label}>
        <clipPath id={clip}>
          <rect x={LEFT} y={TOP - 4} width={width - LEFT - RIGHT + 4} height={height - TOP - BOTTOM + 4} />
        </clipPath>
        {tickExponents(maxExponent, (width - LEFT - RIGHT) / 64).map((k) => (
          <g key={k}>
            <line class="grid" x1={x(10 ** k)} x2={x(10 ** k)} y1={TOP} y2={height - BOTTOM} />
            <text x={x(10 ** k)} y={height - BOTTOM + 17} text-anchor={k === maxExponent ? "end" : "middle"}>
              {formatNumber(10 ** k)}
            </text>
          </g>
        ))}
        {tickExponents(maxDepth, 7).map((k) => (
          <g key={k}>
            <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(10 ** -k)} y2={y(10 ** -k)} />
            <text x={LEFT - 8} y={y(10 ** -k) + 4} text-anchor="end">
              {formatPowerOfTen(k)}
            </text>
          </g>
        ))}
        <text x={(LEFT + width - RIGHT) / 2} y={height - 5} text-anchor="middle">
          {axis}
        </text>
        {fittedFrom !== null && fittedFrom > 1 && (
          <g class="start">
            <line x1={x(fittedFrom)} x2={x(fittedFrom)} y1={TOP} y2={height - BOTTOM} />
          </g>
        )}
        {shown.map((point) => {
          const dot = (
            <circle cx={x(point.degree)} cy={y(point.ccdf)} r={point === highlighted ? 5.5 : 3} class={point === highlighted ? "near" : undefined} onPointerEnter={() => setHovered(point)}>
              <title>{describe(point)}</title>
            </circle>
          );
          return href ? (
            <a key={point.degree} href={href(point)} aria-label={describe(point)} tabIndex={-1}>
              {dot}
            </a>
          ) : (
            <g key={point.degree}>{dot}</g>
          );
        })}
        <g clip-path={`url(#${clip})`}>
          {curves.map((curve, k) => (
            <polyline key={curve.distribution} class={`fit ${curveClass(k)}`} points={curve.points.map(([degree, ccdf]) => `${x(degree).toFixed(1)},${y(ccdf).toFixed(1)}`).join(" ")} />
          ))}
        </g>
      </svg>
      <ul class="legend">
        <li>
          <span class="dot spot" /> measured
        </li>
        {curves.map((curve, k) => (
          <li key={curve.distribution}>
            <svg width="26" height="8" aria-hidden="true">
              <line class={`fit ${curveClass(k)}`} x1="1" x2="25" y1="4" y2="4" />
            </svg>{" "}
            {curve.distribution}
          </li>
        ))}
      </ul>
      {highlighted && <p class="soft small highlighted-point">{describe(highlighted)}</p>}
    </div>
  );
}

function curveClass(k: number): string {
  return k === 0 ? "first" : `alternative a${Math.min(k, 3)}`;
}

/** The number of decades up to a value. */
function decadeCount(value: number): number {
  return Math.max(1, Math.ceil(Math.log10(value) - 1e-9));
}

/** The exponents to label on an axis with space for some of them. */
function tickExponents(maxExponent: number, available: number): number[] {
  const step = Math.ceil(maxExponent / Math.max(1, Math.floor(available)));
  return Array.from({ length: Math.floor(maxExponent / step) + 1 }, (_, k) => k * step);
}

function formatPowerOfTen(k: number): string {
  return k <= 3 ? `${Number((10 ** (2 - k)).toPrecision(1))} %` : `10⁻${"⁰¹²³⁴⁵⁶⁷⁸⁹"[k] ?? ""}`;
}

/** Points that do not overlap. */
function thinPoints(points: readonly Point[], x: (value: number) => number, y: (value: number) => number): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const last = kept.at(-1);
    const close = last && Math.hypot(x(point.degree) - x(last.degree), y(point.ccdf) - y(last.ccdf)) < MIN_POINT_DISTANCE;
    if (!close || point === points.at(-1)) kept.push(point);
  }
  return kept;
}
