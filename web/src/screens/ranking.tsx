/** One ranking with its options, convergence and certainty. */

import type { MethodCardResponse, MethodsResponse, RankingResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { BaseSetFields, useBaseOptions } from "../pieces/baseSetOptions";
import { OptionField } from "../pieces/optionField";
import { ambiguousPages, hasPages, PageName } from "../pieces/pageName";
import { Bar, DownloadLinks, ExclusionList, LEVELS, LinkTabs, Pager, ScrollableTable, useDocumentTitle } from "../pieces/controls";
import { formatCount, formatNumber, formatScore, toSentence } from "../pieces/format";
import { buildUrl, navigate, type Route, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { TagFilter } from "../pieces/tagFilter";

const SIZE = 50;
const RESERVED_PARAMS = new Set(["method", "query", "level", "by", "offset"]);

export function RankingScreen({ route, collection }: ScreenProps) {
  const { search } = route;
  const method = search.get("method") ?? collection.defaults.rank;
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const offset = Number(search.get("offset") ?? 0);
  const options = Object.fromEntries(
    [...new Set(search.keys())].filter((name) => !RESERVED_PARAMS.has(name)).map((name) => [name, search.getAll(name)]),
  );
  const params = { query, level, by: search.get("by") ?? "", ...options };
  const response = useApi<RankingResponse>(`rank/${method}`, { ...params, offset, top: SIZE });
  const card = useApi<MethodCardResponse>("methods/card", { kind: "rank", name: method });
  const methods = useApi<MethodsResponse>("methods");
  const base = useBaseOptions(search);
  const methodParams = new Set(card.data?.options.map((option) => option.parameter));
  useDocumentTitle(`Ranking by ${method}`);
  return (
    <section>
      <p class="kicker">
        <a href={buildUrl("/rankings", { query, level: search.get("level"), ...base.given })}>Rankings</a>{" "}
        {query ? `of pages around ${query}` : "of the whole collection"}
      </p>
      <h1>{method}</h1>
      <p class="lead">
        {card.data?.summary} <a href={buildUrl("/method", { kind: "rank", name: method })}>About {method}</a>
      </p>
      <TagFilter route={route} facets={collection.facets} resetParams={["offset"]} />
      <details class="base" open={Object.keys(options).length > 0}>
        <summary>Method and options</summary>
        <form class="options" aria-label="Method and options" onSubmit={(event) => event.preventDefault()}>
          <div class="fields">
            <div class="field">
              <label for="method">Method</label>
              <select
                id="method"
                value={method}
                onChange={(event) =>
                  navigate(buildUrl("/ranking", { method: event.currentTarget.value, query, level: search.get("level"), ...base.given }))
                }
              >
                {(methods.data?.methods ?? [])
                  .filter((candidate) => candidate.kind === "rank")
                  .map((candidate) => (
                    <option key={candidate.name}>{candidate.name}</option>
                  ))}
              </select>
            </div>
            {card.data?.options.map((option) => (
              <OptionField
                key={`${method} ${option.parameter}`}
                option={option}
                value={search.has(option.parameter) ? search.getAll(option.parameter) : null}
                onChange={(value) => navigate(withParams(route, { [option.parameter]: value, offset: null }))}
              />
            ))}
          </div>
          {query && (
            <details class="more" open={Object.keys(base.given).some((name) => !methodParams.has(name))}>
              <summary>Base set</summary>
              <div class="fields">
                <BaseSetFields
                  route={route}
                  options={base.options.filter((option) => !methodParams.has(option.parameter))}
                  resetParams={["offset"]}
                />
              </div>
            </details>
          )}
        </form>
      </details>
      {!query && <LinkTabs route={route} name="level" label="Rank" chosen={level} tabs={LEVELS} />}
      <AsyncContent response={response} label={`the ranking by ${method}`} placeholderLines={12}>
        {(data) => (
          <RankingTable
            data={data}
            route={route}
            offset={offset}
            params={params}
            from={query && buildUrl("", { query, ...base.given }).slice(1)}
          />
        )}
      </AsyncContent>
    </section>
  );
}

interface RowsProps {
  data: RankingResponse;
  route: Route;
  offset: number;
  params: Record<string, string | readonly string[]>;
  from: string;
}

function RankingTable({ data, route, offset, params, from }: RowsProps) {
  if (data.total === 0) return <EmptyMessage>There is nothing to rank: the collection or the base set is empty.</EmptyMessage>;
  const ambiguous = ambiguousPages(data.rows);
  const best = Math.max(...data.rows.map((row) => Math.abs(row.scores[data.by] ?? 0)), 1e-300);
  return (
    <>
      <p class="soft tools">
        <span>
          {formatCount(data.total, data.level)} · {data.trace.converged ? "converged" : "not converged"} after{" "}
          {formatCount(data.trace.iterations, "iteration")} · {data.certainty.unique ? "unique solution" : "solution not unique"}
          {data.certainty.note && `: ${data.certainty.note}`} · ties share a place
        </span>
        <DownloadLinks path={`rank/${data.method}`} params={{ ...params, top: 500 }} formats={["csv"]} />
      </p>
      <ScrollableTable label={`Ranking by ${data.method}`}>
        <table class="figures ranking">
          <thead>
            <tr>
              <th scope="col" class="number">
                place
              </th>
              <th scope="col">{data.level}</th>
              {data.scores.map((name) => (
                <th key={name} scope="col" class="number" aria-sort={name === data.by ? "descending" : undefined}>
                  {name === data.by ? `${name} ↓` : <a href={withParams(route, { by: name, offset: null })}>{name}</a>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <tr key={row.url}>
                <td class="number">{formatNumber(row.place)}</td>
                <th scope="row">
                  <PageName pageRef={row} from={from} fullUrl={ambiguous.has(row.url)} />
                </th>
                {data.scores.map((name) => (
                  <td key={name} class="number">
                    {hasPages(row.kind) ? (
                      formatScore(row.scores[name] ?? null)
                    ) : (
                      <a
                        href={buildUrl("/page", { url: row.url, from, by: `${data.method}:${name}` })}
                        aria-label={`Why ${formatScore(row.scores[name] ?? null)}`}
                      >
                        {formatScore(row.scores[name] ?? null)}
                      </a>
                    )}
                    {name === data.by && <Bar share={Math.abs(row.scores[name] ?? 0) / best} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollableTable>
      <Pager route={route} name="offset" offset={offset} size={SIZE} total={data.total} unit={data.level} />
      <details>
        <summary>Exclusions and convergence</summary>
        <ExclusionList rows={data.left_out} />
        <p class="soft">
          {toSentence(data.trace.stopped)} {formatCount(data.certainty.components, "component")}
          {data.certainty.gap !== null && `, gap ${formatScore(data.certainty.gap)}`}.
        </p>
      </details>
    </>
  );
}
