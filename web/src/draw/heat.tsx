/** How alike rankings are: a square per pair, and all measures of the chosen one. */

import type { Compared, Pair } from "../ask/shapes";
import { Wide } from "../pieces/small";
import { share } from "../pieces/words";
import { type Place, changed } from "../route";

export function Heat({ found, place }: { found: Compared; place: Place }) {
  const chosen = place.search.get("pair") ?? "";
  const pair = found.pairs.find((one) => `${one.first},${one.second}` === chosen) ?? found.pairs[0];
  if (!pair) return null;
  return (
    <section>
      <h2>How alike they are</h2>
      <p class="soft">Kendall's tau-b: 1 is the same order, 0 is chance, −1 the reverse. Choose a pair to see more.</p>
      <div class="beside even">
        <Wide label="Kendall's tau-b of each pair">
          <table class="heat">
            <thead>
              <tr>
                <td />
                {found.methods.map((method) => (
                  <th key={method} scope="col">
                    {method}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {found.methods.map((method, i) => (
                <tr key={method}>
                  <th scope="row">{method}</th>
                  {found.methods.map((other, j) => (
                    <Cell key={other} value={found.matrix[i]?.[j] ?? null} pair={i === j ? undefined : pairOf(found, method, other)} chosen={pair} place={place} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
        <Measures pair={pair} />
      </div>
    </section>
  );
}

function pairOf(found: Compared, one: string, other: string): Pair | undefined {
  return found.pairs.find((pair) => (pair.first === one && pair.second === other) || (pair.first === other && pair.second === one));
}

function Cell({ value, pair, chosen, place }: { value: number | null; pair: Pair | undefined; chosen: Pair; place: Place }) {
  const strength = Math.round(45 * Math.min(1, (value ?? 0) ** 2));
  const words = value === null ? "unknown" : value.toFixed(2).replace("-", "−");
  const colour = value !== null && value < 0 ? "var(--t2)" : "var(--accent)";
  return (
    <td style={{ background: `color-mix(in srgb, ${colour} ${strength}%, var(--paper))` }}>
      {pair ? (
        <a href={changed(place, { pair: `${pair.first},${pair.second}` })} aria-current={pair === chosen ? "true" : undefined} aria-label={`${pair.first} and ${pair.second}: ${words}`}>
          {words}
        </a>
      ) : (
        words
      )}
    </td>
  );
}

function Measures({ pair }: { pair: Pair }) {
  const rows: [string, number | null, string][] = [
    ["Kendall's tau-b", pair.tau_b, "order of all pairs of pages"],
    [`Overlap of the first ${pair.top}`, pair.overlap, "share of pages that both have"],
    ["Jaccard", pair.jaccard, "pages in both, of pages in either"],
    ["Rank-biased overlap", pair.rbo, "agreement, the first places most"],
    ["Geometric", pair.geometric, "how alike the scores themselves are"],
  ];
  return (
    <div>
      <h3>
        {pair.first} and {pair.second}
      </h3>
      <dl class="measures">
        {rows.map(([name, value, words]) => (
          <div key={name}>
            <dt>
              {name}
              <small>{words}</small>
            </dt>
            <dd class="number">{name.startsWith("Overlap") ? share(value) : (value?.toFixed(3) ?? "unknown")}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
