/** Rankings: methods side by side, their correlation, and where they disagree most. */

import { useCallback, useEffect, useState } from "preact/hooks";
import type { MethodsResponse, PageRef, RankingComparisonResponse, RankingResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { RankCorrelation } from "../draw/rankCorrelation";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { QueryForm } from "../pieces/queryForm";
import { BaseSetFields, type GivenOptions, useBaseOptions } from "../pieces/baseSetOptions";
import { ambiguousPages, hasPages, PageName } from "../pieces/pageName";
import { ScreenHead } from "../pieces/screenHead";
import { LEVELS, LinkTabs, ScrollableTable, useDocumentTitle } from "../pieces/controls";
import { formatCount, formatNumber } from "../pieces/format";
import { buildUrl, navigate, type Route, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { TagFilter, tagParams } from "../pieces/tagFilter";

const MAX_METHODS = 6;

export function RankingsScreen({ route, collection }: ScreenProps) {
  const { search } = route;
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const chosen = search.has("method") ? search.getAll("method") : collection.defaults.compare;
  const base = useBaseOptions(search);
  const given = query ? base.given : tagParams(search);
  const from = query && buildUrl("", { query, ...given }).slice(1);
  const response = useApi<RankingComparisonResponse>(base.loaded ? "compare" : null, { method: chosen, query, level, top: 15, ...given });
  useDocumentTitle("Rankings");
  return (
    <div>
      <section>
        <ScreenHead kicker="Rankings of" heading={query ? `pages around ${query}` : "the whole collection"}>
          {!query && <LinkTabs route={route} name="level" label="Rank" chosen={level} tabs={LEVELS} />}
          <TagFilter route={route} facets={collection.facets} resetParams={["pair"]} />
          <QueryForm route={route} query={query} verb="Rank" resetParams={["pair"]} />
        </ScreenHead>
        <MethodPicker route={route} chosen={chosen} />
        {query && (
          <details class="base" open={Object.keys(given).length > 0}>
            <summary>Base set</summary>
            <form class="options" aria-label="Base set" onSubmit={(event) => event.preventDefault()}>
              <div class="fields">
                <BaseSetFields route={route} options={base.options} resetParams={["pair"]} />
              </div>
            </form>
          </details>
        )}
      </section>
      {base.loaded && <RankingColumns methods={chosen} query={query} level={level} given={given} from={from} />}
      <section>
        <AsyncContent response={response} label="the comparison" placeholderLines={8}>
          {(data) =>
            data.pages === 0 ? (
              <EmptyMessage>There is nothing to compare: the collection or the base set is empty.</EmptyMessage>
            ) : (
              <>
                <RankCorrelation data={data} route={route} />
                <Disagreements data={data} from={from} />
              </>
            )
          }
        </AsyncContent>
      </section>
    </div>
  );
}

function MethodPicker({ route, chosen }: { route: Route; chosen: readonly string[] }) {
  const methods = useApi<MethodsResponse>("methods");
  const others = (methods.data?.methods ?? []).filter((candidate) => candidate.kind === "rank" && !chosen.includes(candidate.name));
  return (
    <ul class="chips" aria-label="Methods compared">
      {chosen.map((name) => (
        <li key={name}>
          <a href={buildUrl("/method", { kind: "rank", name })}>{name}</a>
          {chosen.length > 1 && (
            <a
              class="close"
              href={withParams(route, { method: chosen.filter((other) => other !== name), pair: null })}
              aria-label={`Remove ${name}`}
            >
              ×
            </a>
          )}
        </li>
      ))}
      {chosen.length < MAX_METHODS && others.length > 0 && (
        <li>
          <label class="visually-hidden" for="another">
            Add a method
          </label>
          <select
            id="another"
            value=""
            onChange={(event) => navigate(withParams(route, { method: [...chosen, event.currentTarget.value] }))}
          >
            <option value="">+ add a method</option>
            {others.map((candidate) => (
              <option key={candidate.name}>{candidate.name}</option>
            ))}
          </select>
        </li>
      )}
    </ul>
  );
}

/** The first pages of each method; the hovered page is highlighted in every column. */
function RankingColumns({
  methods,
  ...query
}: {
  methods: readonly string[];
  query: string;
  level: string;
  given: GivenOptions;
  from: string;
}) {
  const [hovered, setHovered] = useState("");
  const [rows, setRows] = useState<Record<string, readonly PageRef[]>>({});
  const ambiguous = ambiguousPages(methods.flatMap((method) => rows[method] ?? []));
  const rememberRows = useCallback(
    (method: string, newRows: readonly PageRef[]) => setRows((rows) => ({ ...rows, [method]: newRows })),
    [],
  );
  return (
    <section>
      <h2>Top ten of each method</h2>
      <ScrollableTable label="Top ten of each method">
        <div class="columns">
          {methods.map((method) => (
            <RankingColumn
              key={method}
              method={method}
              {...query}
              hovered={hovered}
              onHover={setHovered}
              ambiguous={ambiguous}
              onRows={rememberRows}
            />
          ))}
        </div>
      </ScrollableTable>
    </section>
  );
}

interface ColumnProps {
  method: string;
  query: string;
  level: string;
  given: GivenOptions;
  from: string;
  hovered: string;
  onHover: (page: string) => void;
  ambiguous: ReadonlySet<string>;
  onRows: (method: string, rows: readonly PageRef[]) => void;
}

function RankingColumn({ method, query, level, given, from, hovered, onHover, ambiguous, onRows }: ColumnProps) {
  const response = useApi<RankingResponse>(`rank/${method}`, { query, level, top: 10, ...given });
  useEffect(() => onRows(method, response.data?.rows ?? []), [method, response.data]);
  return (
    <div>
      <h3>
        <a href={buildUrl("/ranking", { method, query, level: level === "page" ? "" : level, ...given })}>{method}</a>
      </h3>
      <AsyncContent response={response} label={method} placeholderLines={10}>
        {(data) => (
          <>
            <p class="soft small">by {data.by}</p>
            <ol>
              {data.rows.map((row) => (
                <li
                  key={row.url}
                  class={row.url === hovered ? "near" : undefined}
                  onPointerEnter={() => onHover(row.url)}
                  onPointerLeave={() => onHover("")}
                  onFocusIn={() => onHover(row.url)}
                  onFocusOut={() => onHover("")}
                >
                  <span class="place">{row.place}</span>
                  <PageName pageRef={row} from={from} fullUrl={ambiguous.has(row.url)} />
                </li>
              ))}
            </ol>
          </>
        )}
      </AsyncContent>
    </div>
  );
}

function Disagreements({ data, from }: { data: RankingComparisonResponse; from: string }) {
  const ambiguous = ambiguousPages(data.disagreements);
  if (data.disagreements.length === 0) return null;
  return (
    <section>
      <h2>Where they disagree most</h2>
      <p class="soft">
        Places of a page by each method, of {formatNumber(data.pages)}; tied pages share places, such as 5–11. The last column is log₂ of
        the worst place over the best, by the middle of shared places: 1 against 2 counts as much as 100 against 200.
        {data.not_converged.length > 0 && ` Not converged: ${data.not_converged.join(", ")}.`}
      </p>
      <ScrollableTable label="Where they disagree most">
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">page</th>
              {data.methods.map((method) => (
                <th key={method} scope="col" class="number">
                  {method}
                </th>
              ))}
              <th scope="col" class="number">
                log₂ ratio
              </th>
            </tr>
          </thead>
          <tbody>
            {data.disagreements.map((row) => {
              const best = Math.min(...Object.values(row.places));
              return (
                <tr key={row.url}>
                  <th scope="row">
                    <PageName pageRef={row} from={from} fullUrl={ambiguous.has(row.url)} />
                  </th>
                  {data.methods.map((method) => {
                    const place = row.places[method];
                    const text = formatTiedPlaces(place, row.tied_pages[method]);
                    return (
                      <td key={method} class={place === best ? "number best" : "number"}>
                        {place === undefined ? (
                          "–"
                        ) : hasPages(row.kind) ? (
                          text
                        ) : (
                          <a href={buildUrl("/page", { url: row.url, from, by: method })} aria-label={`Why place ${text} by ${method}`}>
                            {text}
                          </a>
                        )}
                      </td>
                    );
                  })}
                  <td class="number">{row.log2_ratio.toFixed(2)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollableTable>
      <p class="soft small">{formatCount(data.disagreements.length, "page")} shown.</p>
    </section>
  );
}

/** A place, or the range of places that tied pages share. */
function formatTiedPlaces(first: number | undefined, tiedPages = 1): string {
  if (first === undefined) return "–";
  return tiedPages > 1 ? `${formatNumber(first)}–${formatNumber(first + tiedPages - 1)}` : formatNumber(first);
}
