/** A histogram over whole numbers, with a few places marked. */

import { useRoom } from "./room";

const LEFT = 46;
const BELOW = 40;
const TOP = 34;
const WIDEST = 96;

export interface Step {
  at: number;
  size: number;
  words: string;
}

interface Props {
  label: string;
  axis: string;
  steps: readonly Step[];
  scale: (size: number) => string;
  marks?: readonly { at: number; words: string }[];
}

export function Bars({ label, axis, steps, scale, marks = [] }: Props) {
  const [box, room] = useRoom<HTMLDivElement>(440);
  const width = Math.min(room, 560);
  const height = 250;
  const [first, last] = [steps[0]?.at ?? 0, steps.at(-1)?.at ?? 0];
  const most = Math.max(1e-12, ...steps.map((step) => step.size));
  const slot = Math.min(WIDEST, (width - LEFT - 8) / Math.max(last - first + 1, 1));
  const x = (at: number) => LEFT + (at - first) * slot;
  const y = (size: number) => TOP + (1 - size / most) * (height - TOP - BELOW);
  const every = Math.ceil((last - first + 1) / Math.max(1, Math.floor((width - LEFT) / 34)));
  return (
    <div ref={box} class="plot bars">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line class="grid" x1={LEFT} x2={width - 8} y1={y(part * most)} y2={y(part * most)} />
            <text x={LEFT - 8} y={y(part * most) + 4} text-anchor="end">
              {scale(part * most)}
            </text>
          </g>
        ))}
        {steps.map((step) => (
          <rect key={step.at} x={x(step.at) + Math.min(2, 0.1 * slot)} width={Math.max(1, slot - Math.min(4, 0.2 * slot))} y={Math.min(y(step.size), height - BELOW - (step.size > 0 ? 1 : 0))} height={Math.max(step.size > 0 ? 1 : 0, height - BELOW - y(step.size))}>
            <title>{step.words}</title>
          </rect>
        ))}
        {steps
          .filter((step) => (step.at - first) % every === 0)
          .map((step) => (
            <text key={step.at} x={x(step.at) + slot / 2} y={height - BELOW + 16} text-anchor="middle">
              {step.at}
            </text>
          ))}
        {marks.map((mark, k) => {
          const at = x(mark.at) + slot / 2;
          const turn = at > 0.62 * width;
          return (
            <g key={mark.words} class="mark-line">
              <line x1={at} x2={at} y1={k === 0 ? 4 : 18} y2={height - BELOW} />
              <text x={at + (turn ? -5 : 5)} y={k === 0 ? 12 : 26} text-anchor={turn ? "end" : "start"}>
                {mark.words}
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
