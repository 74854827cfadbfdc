/** A histogram over integers, with marked positions. */

import { useElementWidth } from "./useElementWidth";

const LEFT = 46;
const BOTTOM = 40;
const TOP = 34;
const MAX_BAR_WIDTH = 96;

export interface Bin {
  value: number;
  size: number;
  label: string;
}

interface Props {
  label: string;
  axis: string;
  bins: readonly Bin[];
  formatSize: (size: number) => string;
  marks?: readonly { value: number; label: string }[];
}

export function Histogram({ label, axis, bins, formatSize, marks = [] }: Props) {
  const [box, available] = useElementWidth<HTMLDivElement>(440);
  const width = Math.min(available, 560);
  const height = 250;
  const [first, last] = [bins[0]?.value ?? 0, bins.at(-1)?.value ?? 0];
  const maxSize = Math.max(1e-12, ...bins.map((bin) => bin.size));
  const slot = Math.min(MAX_BAR_WIDTH, (width - LEFT - 8) / Math.max(last - first + 1, 1));
  const x = (value: number) => LEFT + (value - first) * slot;
  const y = (size: number) => TOP + (1 - size / maxSize) * (height - TOP - BOTTOM);
  const labelStep = Math.ceil((last - first + 1) / Math.max(1, Math.floor((width - LEFT) / 34)));
  return (
    <div ref={box} class="plot bars">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
        {[0, 0.5, 1].map((fraction) => (
          <g key={fraction}>
            <line class="grid" x1={LEFT} x2={width - 8} y1={y(fraction * maxSize)} y2={y(fraction * maxSize)} />
            <text x={LEFT - 8} y={y(fraction * maxSize) + 4} text-anchor="end">
              {formatSize(fraction * maxSize)}
            </text>
          </g>
        ))}
        {bins.map((bin) => (
          <rect key={bin.value} x={x(bin.value) + Math.min(2, 0.1 * slot)} width={Math.max(1, slot - Math.min(4, 0.2 * slot))} y={Math.min(y(bin.size), height - BOTTOM - (bin.size > 0 ? 1 : 0))} height={Math.max(bin.size > 0 ? 1 : 0, height - BOTTOM - y(bin.size))}>
            <title>{bin.label}</title>
          </rect>
        ))}
        {bins
          .filter((bin) => (bin.value - first) % labelStep === 0)
          .map((bin) => (
            <text key={bin.value} x={x(bin.value) + slot / 2} y={height - BOTTOM + 16} text-anchor="middle">
              {bin.value}
            </text>
          ))}
        {marks.map((mark, k) => {
          const position = x(mark.value) + slot / 2;
          const turn = position > 0.62 * width;
          return (
            <g key={mark.label} class="mark-line">
              <line x1={position} x2={position} y1={k === 0 ? 4 : 18} y2={height - BOTTOM} />
              <text x={position + (turn ? -5 : 5)} y={k === 0 ? 12 : 26} text-anchor={turn ? "end" : "start"}>
                {mark.label}
              </text>
            </g>
          );
        })}
        <text x={(LEFT + width) / 2} y={height - 5} text-anchor="middle">
          {axis}
        </text>
      </svg>
    </div>
  );
}
