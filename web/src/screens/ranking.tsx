/** One ranking, all of it, with its options and how sure it is. */

import type { Card, Methods, RankingFound } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { Answered, Empty, sentence } from "../pieces/answered";
import { BaseFields, useBaseOptions } from "../pieces/baseset";
import { Field } from "../pieces/form";
import { PageName, twins } from "../pieces/names";
import { Bar, Choice, Files, LeftOut, LEVELS, Pager, useTitle, Wide } from "../pieces/small";
import { count, number, score } from "../pieces/words";
import { type Place, changed, go, to } from "../route";
import type { ScreenProps } from "../shell";

const SIZE = 50;
const OURS = new Set(["method", "query", "level", "by", "offset"]);

export function RankingScreen({ place, facts }: ScreenProps) {
  const { search } = place;
  const method = search.get("method") ?? facts.defaults.rank;
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const offset = Number(search.get("offset") ?? 0);
  const options = Object.fromEntries([...new Set(search.keys())].filter((name) => !OURS.has(name)).map((name) => [name, search.getAll(name)]));
  const params = { query, level, by: search.get("by") ?? "", ...options };
  const asked = useAsk<RankingFound>(`rank/${method}`, { ...params, offset, top: SIZE });
  const card = useAsk<Card>("methods/card", { kind: "rank", name: method });
  const methods = useAsk<Methods>("methods");
  const base = useBaseOptions(search);
  const own = new Set(card.data?.options.map((option) => option.parameter));
  useTitle(`Ranking by ${method}`);
  return (
    <section>
      <p class="above">
        <a href={to("/rankings", { query, level: search.get("level"), ...base.given })}>Rankings</a> {query ? `of pages around ${query}` : "of the whole collection"}
      </p>
      <h1>{method}</h1>
      <p class="lead">
        {card.data?.summary} <a href={to("/method", { kind: "rank", name: method })}>About {method}</a>
      </p>
      <details class="base" open={Object.keys(options).length > 0}>
        <summary>Method and options</summary>
        <form class="options" aria-label="Method and options" onSubmit={(event) => event.preventDefault()}>
          <div class="fields">
            <div class="field">
              <label for="method">Method</label>
              <select id="method" value={method} onChange={(event) => go(to("/ranking", { method: event.currentTarget.value, query, level: search.get("level"), ...base.given }))}>
                {(methods.data?.methods ?? [])
                  .filter((one) => one.kind === "rank")
                  .map((one) => (
                    <option key={one.name}>{one.name}</option>
                  ))}
              </select>
            </div>
            {card.data?.options.map((option) => (
              <Field
                key={`${method} ${option.parameter}`}
                option={option}
                value={search.has(option.parameter) ? search.getAll(option.parameter) : null}
                onChange={(value) => go(changed(place, { [option.parameter]: value, offset: null }))}
              />
            ))}
          </div>
          {query && (
            <details class="more" open={Object.keys(base.given).some((name) => !own.has(name))}>
              <summary>Base set</summary>
              <div class="fields">
                <BaseFields place={place} options={base.options.filter((option) => !own.has(option.parameter))} gone={["offset"]} />
              </div>
            </details>
          )}
        </form>
      </details>
      {!query && (
        <Choice
          place={place}
          name="level"
          label="Rank"
          chosen={level}
          of={LEVELS}
        />
      )}
      <Answered asked={asked} what={`the ranking by ${method}`} lines={12}>
        {(found) => <Rows found={found} place={place} offset={offset} params={params} from={query && to("", { query, ...base.given }).slice(1)} />}
      </Answered>
    </section>
  );
}

interface RowsProps {
  found: RankingFound;
  place: Place;
  offset: number;
  params: Record<string, string | readonly string[]>;
  from: string;
}

function Rows({ found, place, offset, params, from }: RowsProps) {
  if (found.total === 0) return <Empty>There is nothing to rank: the collection, or the base set, has no pages.</Empty>;
  const same = twins(found.rows);
  const best = Math.max(...found.rows.map((row) => Math.abs(row.scores[found.by] ?? 0)), 1e-300);
  return (
    <>
      <p class="soft tools">
        <span>
          {count(found.total, found.level)} · {found.ended.converged ? "settled" : "not settled"} after {count(found.ended.rounds, "round")} ·{" "}
          {found.certainty.unique ? "the only answer" : "not the only answer"}
          {found.certainty.note && `: ${found.certainty.note}`} · equal scores share a place
        </span>
        <Files path={`rank/${found.method}`} params={{ ...params, top: 500 }} formats={["csv"]} />
      </p>
      <Wide label={`Ranking by ${found.method}`}>
        <table class="figures">
          <thead>
            <tr>
              <th scope="col" class="number">
                place
              </th>
              <th scope="col">{found.level}</th>
              {found.scores.map((name) => (
                <th key={name} scope="col" class="number" aria-sort={name === found.by ? "descending" : undefined}>
                  {name === found.by ? `${name} ↓` : <a href={changed(place, { by: name, offset: null })}>{name}</a>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.rows.map((row) => (
              <tr key={row.page}>
                <td class="number">{number(row.place)}</td>
                <th scope="row">
                  <PageName named={row} from={from} whole={same.has(row.page)} />
                </th>
                {found.scores.map((name) => (
                  <td key={name} class="number">
                    {row.kind === "host" || row.kind === "domain" ? (
                      score(row.scores[name] ?? null)
                    ) : (
                      <a href={to("/page", { url: row.page, from, by: `${found.method}:${name}` })} aria-label={`Why ${score(row.scores[name] ?? null)}`}>
                        {score(row.scores[name] ?? null)}
                      </a>
                    )}
                    {name === found.by && <Bar share={Math.abs(row.scores[name] ?? 0) / best} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      <Pager place={place} name="offset" offset={offset} size={SIZE} total={found.total} thing={found.level} />
      <details>
        <summary>What was left out, and how it ended</summary>
        <LeftOut rows={found.left_out} />
        <p class="soft">
          {sentence(found.ended.stopped)} {count(found.certainty.components, "component")}
          {found.certainty.gap !== null && `, gap ${score(found.certainty.gap)}`}.
        </p>
      </details>
    </>
  );
}
