/** Rank correlations: a matrix of Kendall's tau-b, and all measures of the selected pair. */

import type { RankingComparisonResponse, RankingPair } from "../api/schemas";
import { ScrollableTable } from "../pieces/controls";
import { formatPercent } from "../pieces/format";
import { type Route, withParams } from "../route";

export function RankCorrelation({ data, route }: { data: RankingComparisonResponse; route: Route }) {
  const chosen = route.search.get("pair") ?? "";
  const pair = data.pairs.find((pair) => `${pair.first},${pair.second}` === chosen) ?? data.pairs[0];
  if (!pair) return null;
  return (
    <section>
      <h2>Rank correlation</h2>
      <p class="soft">Kendall's tau-b: 1 means the same order, 0 no correlation, −1 the reverse order. Select a pair for more measures.</p>
      <div class="beside even">
        <ScrollableTable label="Kendall's tau-b of each pair">
          <table class="matrix">
            <thead>
              <tr>
                <td />
                {data.methods.map((method) => (
                  <th key={method} scope="col">
                    {method}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.methods.map((method, i) => (
                <tr key={method}>
                  <th scope="row">{method}</th>
                  {data.methods.map((other, j) => (
                    <CorrelationCell
                      key={other}
                      value={data.matrix[i]?.[j] ?? null}
                      pair={i === j ? undefined : findPair(data, method, other)}
                      chosen={pair}
                      route={route}
                    />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollableTable>
        <PairMeasures pair={pair} />
      </div>
    </section>
  );
}

function findPair(data: RankingComparisonResponse, first: string, other: string): RankingPair | undefined {
  return data.pairs.find((pair) => (pair.first === first && pair.second === other) || (pair.first === other && pair.second === first));
}

function CorrelationCell({
  value,
  pair,
  chosen,
  route,
}: {
  value: number | null;
  pair: RankingPair | undefined;
  chosen: RankingPair;
  route: Route;
}) {
  const strength = Math.round(45 * Math.min(1, (value ?? 0) ** 2));
  const description = value === null ? "unknown" : value.toFixed(2).replace("-", "−");
  const colour = value !== null && value < 0 ? "var(--group-2)" : "var(--accent)";
  return (
    <td style={{ background: `color-mix(in srgb, ${colour} ${strength}%, var(--paper))` }}>
      {pair ? (
        <a
          href={withParams(route, { pair: `${pair.first},${pair.second}` })}
          aria-current={pair === chosen ? "true" : undefined}
          aria-label={`${pair.first} and ${pair.second}: ${description}`}
        >
          {description}
        </a>
      ) : (
        description
      )}
    </td>
  );
}

function PairMeasures({ pair }: { pair: RankingPair }) {
  const rows: [string, number | null, string][] = [
    ["Kendall's tau-b", pair.tau_b, "order of all pairs of pages"],
    [`Overlap of the first ${pair.top}`, pair.overlap, "share of common pages"],
    ["Jaccard", pair.jaccard, "intersection over union"],
    ["Rank-biased overlap", pair.rbo, "agreement, weighted towards the top"],
    ["Geometric", pair.geometric, "similarity of the scores"],
  ];
  return (
    <div>
      <h3>
        {pair.first} and {pair.second}
      </h3>
      <dl class="measures">
        {rows.map(([name, value, description]) => (
          <div key={name}>
            <dt>
              {name}
              <small>{description}</small>
            </dt>
            <dd class="number">{name.startsWith("Overlap") ? formatPercent(value) : (value?.toFixed(3) ?? "unknown")}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
