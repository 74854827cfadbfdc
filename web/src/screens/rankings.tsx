/** Rankings: methods as columns, how alike they are, and where they disagree most. */

import { useCallback, useEffect, useState } from "preact/hooks";
import type { Compared, Methods, Named, RankingFound } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { Heat } from "../draw/heat";
import { Answered, Empty } from "../pieces/answered";
import { Around } from "../pieces/around";
import { BaseFields, type Given, useBaseOptions } from "../pieces/baseset";
import { PageName, twins } from "../pieces/names";
import { Choice, LEVELS, useTitle, Wide } from "../pieces/small";
import { count, number, score } from "../pieces/words";
import { type Place, changed, go, to } from "../route";
import type { ScreenProps } from "../shell";

const MOST = 6;

export function RankingsScreen({ place, facts }: ScreenProps) {
  const { search } = place;
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const chosen = search.has("method") ? search.getAll("method") : facts.defaults.compare;
  const base = useBaseOptions(search);
  const given = query ? base.given : {};
  const from = query && to("", { query, ...given }).slice(1);
  const asked = useAsk<Compared>(base.known ? "compare" : null, { method: chosen, query, level, top: 15, ...given });
  useTitle("Rankings");
  return (
    <div>
      <section>
        <p class="above">Rankings of</p>
        <h1>
          <bdi>{query ? `pages around ${query}` : "the whole collection"}</bdi>
        </h1>
        <Around place={place} query={query} verb="Rank" gone={["pair"]} />
        {!query && (
          <Choice
            place={place}
            name="level"
            label="Rank"
            chosen={level}
            of={LEVELS}
          />
        )}
        <Picker place={place} chosen={chosen} />
        {query && (
          <details class="base" open={Object.keys(given).length > 0}>
            <summary>Base set</summary>
            <form class="options" aria-label="Base set" onSubmit={(event) => event.preventDefault()}>
              <div class="fields">
                <BaseFields place={place} options={base.options} gone={["pair"]} />
              </div>
            </form>
          </details>
        )}
      </section>
      {base.known && <Columns methods={chosen} query={query} level={level} given={given} from={from} />}
      <Answered asked={asked} what="how alike they are" lines={8}>
        {(found) =>
          found.pages === 0 ? (
            <Empty>There is nothing to compare: no pages.</Empty>
          ) : (
            <>
              <Heat found={found} place={place} />
              <Disagreements found={found} from={from} />
            </>
          )
        }
      </Answered>
    </div>
  );
}

function Picker({ place, chosen }: { place: Place; chosen: readonly string[] }) {
  const methods = useAsk<Methods>("methods");
  const others = (methods.data?.methods ?? []).filter((one) => one.kind === "rank" && !chosen.includes(one.name));
  return (
    <ul class="chips" aria-label="Methods compared">
      {chosen.map((name) => (
        <li key={name}>
          <a href={to("/method", { kind: "rank", name })}>{name}</a>
          {chosen.length > 1 && (
            <a
              class="close"
              href={changed(place, { method: chosen.filter((one) => one !== name), pair: null })}
              aria-label={`Take ${name} away`}
            >
              ×
            </a>
          )}
        </li>
      ))}
      {chosen.length < MOST && others.length > 0 && (
        <li>
          <label class="unseen" for="another">
            Another method
          </label>
          <select id="another" value="" onChange={(event) => go(changed(place, { method: [...chosen, event.currentTarget.value] }))}>
            <option value="">+ another method</option>
            {others.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </li>
      )}
    </ul>
  );
}

/** The first pages by each method; the page under the pointer is marked in every column. */
function Columns({ methods, ...asked }: { methods: readonly string[]; query: string; level: string; given: Given; from: string }) {
  const [near, setNear] = useState("");
  const [rows, setRows] = useState<Record<string, readonly Named[]>>({});
  const same = twins(methods.flatMap((method) => rows[method] ?? []));
  const know = useCallback((method: string, told: readonly Named[]) => setRows((known) => ({ ...known, [method]: told })), []);
  return (
    <section>
      <h2>The first ten by each</h2>
      <Wide label="The first ten pages by each method">
        <div class="columns">
          {methods.map((method) => (
            <Column key={method} method={method} {...asked} near={near} onNear={setNear} same={same} onRows={know} />
          ))}
        </div>
      </Wide>
    </section>
  );
}

interface ColumnProps {
  method: string;
  query: string;
  level: string;
  given: Given;
  from: string;
  near: string;
  onNear: (page: string) => void;
  same: ReadonlySet<string>;
  onRows: (method: string, rows: readonly Named[]) => void;
}

function Column({ method, query, level, given, from, near, onNear, same, onRows }: ColumnProps) {
  const asked = useAsk<RankingFound>(`rank/${method}`, { query, level, top: 10, ...given });
  useEffect(() => onRows(method, asked.data?.rows ?? []), [method, asked.data]);
  return (
    <div>
      <h3>
        <a href={to("/ranking", { method, query, level: level === "page" ? "" : level, ...given })}>{method}</a>
      </h3>
      <Answered asked={asked} what={method} lines={10}>
        {(found) => (
          <>
            <p class="soft small">by {found.by}</p>
            <ol>
              {found.rows.map((row) => (
                <li
                  key={row.page}
                  class={row.page === near ? "near" : undefined}
                  onPointerEnter={() => onNear(row.page)}
                  onPointerLeave={() => onNear("")}
                  onFocusIn={() => onNear(row.page)}
                  onFocusOut={() => onNear("")}
                >
                  <span class="place">{row.place}</span>
                  <PageName named={row} from={from} whole={same.has(row.page)} />
                </li>
              ))}
            </ol>
          </>
        )}
      </Answered>
    </div>
  );
}

function Disagreements({ found, from }: { found: Compared; from: string }) {
  const same = twins(found.disagreements);
  if (found.disagreements.length === 0) return null;
  return (
    <section>
      <h2>Where they disagree most</h2>
      <p class="soft">
        The place of a page by each method, of {number(found.pages)}; pages with equal scores share their places, such as 5–11. Places, or the middle of shared ones, are compared by
        doublings: 1 against 2 is as far as 100 against 200.
        {found.unsettled.length > 0 && ` Not settled: ${found.unsettled.join(", ")}.`}
      </p>
      <Wide label="Where they disagree most">
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">page</th>
              {found.methods.map((method) => (
                <th key={method} scope="col" class="number">
                  {method}
                </th>
              ))}
              <th scope="col" class="number">
                doublings
              </th>
            </tr>
          </thead>
          <tbody>
            {found.disagreements.map((row) => {
              const best = Math.min(...Object.values(row.places));
              return (
                <tr key={row.page}>
                  <th scope="row">
                    <PageName named={row} from={from} whole={same.has(row.page)} />
                  </th>
                  {found.methods.map((method) => {
                    const at = row.places[method];
                    const words = held(at, row.equals[method]);
                    return (
                      <td key={method} class={at === best ? "number best" : "number"}>
                        {at === undefined ? (
                          "–"
                        ) : row.kind === "host" || row.kind === "domain" ? (
                          words
                        ) : (
                          <a href={to("/page", { url: row.page, from, by: method })} aria-label={`Why place ${words} by ${method}`}>
                            {words}
                          </a>
                        )}
                      </td>
                    );
                  })}
                  <td class="number">{score(row.doublings)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Wide>
      <p class="soft small">{count(found.disagreements.length, "page")} shown.</p>
    </section>
  );
}

/** A place, or the places that pages with equal scores share. */
function held(first: number | undefined, equals = 1): string {
  if (first === undefined) return "–";
  return equals > 1 ? `${number(first)}–${number(first + equals - 1)}` : number(first);
}
