/** How many nodes have how many links, both axes by powers of ten. */

import { useId, useState } from "preact/hooks";
import type { Bin } from "../ask/shapes";
import { count, number } from "../pieces/words";

const WIDTH = 440;
const HEIGHT = 280;
const LEFT = 52;
const BELOW = 40;

interface Props {
  heading: string;
  bins: readonly Bin[];
  thing: string;
  verb: string;
  evidence?: (bin: Bin) => string;
}

export function DegreePlot({ heading, bins, thing, verb, evidence }: Props) {
  const [near, setNear] = useState<Bin | null>(null);
  const title = useId();
  const shown = bins.filter((bin) => bin.value > 0);
  const none = bins.find((bin) => bin.value === 0)?.count ?? 0;
  const [right, top] = [decades(shown.map((bin) => bin.value)), decades(shown.map((bin) => bin.count))];
  const x = (value: number) => LEFT + (Math.log10(value) / right) * (WIDTH - LEFT - 12);
  const y = (value: number) => HEIGHT - BELOW - (Math.log10(value) / top) * (HEIGHT - BELOW - 14);
  const nodes = bins.reduce((sum, bin) => sum + bin.count, 0);
  const links = bins.reduce((sum, bin) => sum + bin.count * bin.value, 0);
  const most = shown.at(-1);
  const told = near ?? most;
  const words = (bin: Bin) => `${count(bin.count, thing)} ${verb} ${number(bin.value)}`;
  return (
    <figure class="plot">
      <h2 id={title}>{heading}</h2>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-labelledby={title}>
        {Array.from({ length: right + 1 }, (_, k) => (
          <g key={k}>
            <line class="grid" x1={x(10 ** k)} x2={x(10 ** k)} y1={10} y2={HEIGHT - BELOW} />
            <text x={x(10 ** k)} y={HEIGHT - BELOW + 18} text-anchor="middle">
              {number(10 ** k)}
            </text>
          </g>
        ))}
        {Array.from({ length: top + 1 }, (_, k) => (
          <g key={k}>
            <line class="grid" x1={LEFT} x2={WIDTH - 12} y1={y(10 ** k)} y2={y(10 ** k)} />
            <text x={LEFT - 8} y={y(10 ** k) + 4} text-anchor="end">
              {number(10 ** k)}
            </text>
          </g>
        ))}
        <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 4} text-anchor="middle">
          {heading.toLowerCase()}
        </text>
        {shown.map((bin) => {
          const dot = (
            <circle
              cx={x(bin.value)}
              cy={y(bin.count)}
              r={bin === told ? 6 : 4}
              class={bin === told ? "near" : undefined}
              onPointerEnter={() => setNear(bin)}
            >
              <title>{words(bin)}</title>
            </circle>
          );
          return evidence ? (
            <a key={bin.value} href={evidence(bin)} aria-label={words(bin)} tabIndex={-1}>
              {dot}
            </a>
          ) : (
            <g key={bin.value}>{dot}</g>
          );
        })}
      </svg>
      <figcaption>
        {told && <p class="told">{words(told)}</p>}
        <p>
          {number(none)} of {count(nodes, thing)} have none and are not drawn; the others have {(links / Math.max(nodes - none, 1)).toFixed(1)} on average
          {most && `, at most ${number(most.value)}`}. No law is fitted yet.
        </p>
        <Numbers bins={bins} thing={thing} heading={heading} {...(evidence && { evidence })} />
      </figcaption>
    </figure>
  );
}

/** The same in words; where it can be, each number leads to those it counts. */
function Numbers({ bins, thing, heading, evidence }: Pick<Props, "bins" | "thing" | "heading" | "evidence">) {
  return (
    <details>
      <summary>The numbers</summary>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{heading.toLowerCase()}</th>
            <th scope="col" class="number">
              {thing}s
            </th>
          </tr>
        </thead>
        <tbody>
          {bins.map((bin) => (
            <tr key={bin.value}>
              <th scope="row">{number(bin.value)}</th>
              <td class="number">{evidence ? <a href={evidence(bin)}>{number(bin.count)}</a> : number(bin.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** How many powers of ten hold all values. */
function decades(values: readonly number[]): number {
  return Math.max(1, Math.ceil(Math.log10(Math.max(1, ...values))));
}
