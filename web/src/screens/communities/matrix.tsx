/** How many links lead from each community to each: a stronger colour is more. */

import type { CommunitiesFound } from "../../ask/surveyed";
import { asDots, asFile, save } from "../../draw/keep";
import { matrixPicture } from "../../draw/matrix";
import { Empty } from "../../pieces/answered";
import { Badge, colour, Files, Wide } from "../../pieces/small";
import { count, number } from "../../pieces/words";
import { changed } from "../../route";
import type { Asking } from "./asking";
import { Between } from "./between";
import { labelOf } from "./list";

const MOST = 40;

export function LinkMatrix({ asking, found, chosen }: { asking: Asking; found: CommunitiesFound; chosen: number }) {
  const { communities, labels, cells } = found.matrix;
  if (communities.length < 2) return <Empty>There is but one community: nothing to link with.</Empty>;
  const most = Math.max(1, ...cells.flat());
  const other = Number(asking.place.search.get("with") ?? 0);
  const href = (row: number, column: number) => `${changed(asking.place, { community: row === 1 ? null : row, with: column, links: null, members: null })}#cell`;
  const drawn = () => matrixPicture(found.matrix, getComputedStyle(document.body).fontFamily);
  return (
    <section>
      <div class="tools">
        <h2>Which links to which</h2>
        <span class="kept">
          <Files path={`communities/${asking.method}`} params={{ ...asking.params, table: "matrix" }} formats={["csv"]} />
          <button type="button" class="file" onClick={() => save(asFile(drawn()), "matrix.svg")}>
            SVG
          </button>
          <button type="button" class="file" onClick={() => void asDots(drawn()).then((file) => save(file, "matrix.png"))}>
            PNG
          </button>
        </span>
      </div>
      <p class="soft">
        Links from the community of a row to that of a column; the stronger the colour, the more, by powers. On the diagonal are the links inside. A number leads to the links that it counts.
        {found.total > communities.length && ` The first ${number(communities.length)} of ${count(found.total, "community")}.`}
      </p>
      <Wide label="Links from community to community">
        <table class="heat links-heat">
          <thead>
            <tr>
              <td />
              {communities.map((one, k) => (
                <th key={one} scope="col" title={labels[k]}>
                  <Badge topic={one} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {communities.map((one, i) => (
              <tr key={one} class={colour(one)}>
                <th scope="row">
                  <span class="row-name">
                    <bdi>{labelOf({ label: labels[i] ?? "" })}</bdi>
                  </span>{" "}
                  <Badge topic={one} />
                </th>
                {communities.map((column, j) => {
                  const value = cells[i]?.[j] ?? 0;
                  const strength = Math.round((MOST * Math.log1p(value)) / Math.log1p(most));
                  const current = one === chosen && column === other;
                  return (
                    <td key={column} style={{ background: `color-mix(in srgb, var(--accent) ${strength}%, var(--paper))` }}>
                      {value > 0 ? (
                        <a href={href(one, column)} aria-current={current ? "true" : undefined} aria-label={`${count(value, "link")} from community ${one} to ${one === column ? "itself" : column}`}>
                          {short(value)}
                        </a>
                      ) : (
                        <span class="soft">·</span>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      {communities.includes(other) && <Between asking={asking} one={chosen} other={other} />}
    </section>
  );
}

function short(value: number): string {
  if (value < 10_000) return number(value);
  return value < 1e6 ? `${Math.round(value / 1000)}k` : `${(value / 1e6).toFixed(1)}M`;
}
