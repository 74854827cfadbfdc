/** What tags changed: how many pages there are, who leads a ranking, which topics a query has. */

import type { CollectionSummaryResponse, FacetSchema, MethodsResponse, PlaceChangeSchema, TagEffectResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { ScrollableTable } from "../../pieces/controls";
import { formatCount, formatNumber } from "../../pieces/format";
import { AsyncContent } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { TagFilter } from "../../pieces/tagFilter";
import { navigate, type Route, withParams } from "../../route";
import { topicChanges } from "./topicChanges";

interface Props {
  route: Route;
  collection: CollectionSummaryResponse;
  facets: readonly FacetSchema[];
  since: number;
}

export function TagEffect({ route, collection, facets, since }: Props) {
  const { search } = route;
  const method = search.get("method") ?? collection.defaults.rank;
  const query = search.get("query") ?? "";
  const filter = { only_tag: search.getAll("only_tag"), exclude_tag: search.getAll("exclude_tag") };
  const isChosen = filter.only_tag.length + filter.exclude_tag.length > 0;
  const params = { since: search.get("since") ?? since, method, query, ...(isChosen ? filter : { exclude_tag: ["decision=out"] }) };
  const response = useApi<TagEffectResponse>("curate/effect", params);
  const methods = useApi<MethodsResponse>("methods");
  const values = Object.fromEntries(facets.map((facet) => [facet.facet, facet.values.map(({ value }) => value)]));
  const shown = isChosen ? route : { ...route, search: new URLSearchParams([...search, ["exclude_tag", "decision=out"]]) };
  return (
    <section>
      <p class="lead">The collection before and after, looked at through its tags.</p>
      <form
        class="inline"
        aria-label="What to compare"
        onSubmit={(event) => {
          event.preventDefault();
          navigate(withParams(route, { query: String(new FormData(event.currentTarget).get("query")).trim() }));
        }}
      >
        <label for="since">Since</label>
        <select
          id="since"
          value={search.get("since") ?? ""}
          onChange={(event) => navigate(withParams(route, { since: event.currentTarget.value }))}
        >
          <option value="">this window was opened</option>
          <option value="0">nothing was tagged</option>
        </select>
        <label for="effect-method">Ranking</label>
        <select id="effect-method" value={method} onChange={(event) => navigate(withParams(route, { method: event.currentTarget.value }))}>
          {(methods.data?.methods ?? [{ kind: "rank", name: method }])
            .filter((each) => each.kind === "rank")
            .map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
        </select>
        <label for="effect-query">Topics of</label>
        <input id="effect-query" name="query" type="text" key={query} defaultValue={query} placeholder="a query" maxLength={1000} />
        <button type="submit">Compare</button>
      </form>
      <TagFilter route={shown} facets={values} />
      <AsyncContent response={response} label="what changed" placeholderLines={10}>
        {(data) => <Changes data={data} query={query} />}
      </AsyncContent>
    </section>
  );
}

function Changes({ data, query }: { data: TagEffectResponse; query: string }) {
  const topics = topicChanges(data.topics_before, data.topics_after);
  return (
    <>
      <p class="result">
        {data.before === data.after ? (
          <>{formatCount(data.after, "page")}, as before.</>
        ) : (
          <>
            {formatNumber(data.before)} → <b>{formatCount(data.after, "page")}</b>
          </>
        )}
      </p>
      <div class="roles">
        <section>
          <h2>First pages by {data.method}</h2>
          {data.places.length === 0 ? <p class="soft">There is nothing to rank.</p> : <PlaceTable rows={data.places} />}
        </section>
        {query && (
          <section>
            <h2>
              Topics of <bdi>{query}</bdi>
            </h2>
            {topics.length === 0 ? (
              <p class="soft">No topics before or after.</p>
            ) : (
              <table class="figures">
                <thead>
                  <tr>
                    <th scope="col">topic</th>
                    <th scope="col" class="number">
                      before
                    </th>
                    <th scope="col" class="number">
                      after
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {topics.map(({ label, before, after }) => (
                    <tr key={label}>
                      <th scope="row">
                        <bdi>{label}</bdi>
                      </th>
                      <td class="number">{before === null ? "–" : formatNumber(before)}</td>
                      <td class="number">{after === null ? "–" : formatNumber(after)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </section>
        )}
      </div>
    </>
  );
}

function PlaceTable({ rows }: { rows: readonly PlaceChangeSchema[] }) {
  return (
    <ScrollableTable label="First pages before and after">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">page</th>
            <th scope="col" class="number">
              before
            </th>
            <th scope="col" class="number">
              after
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.url}>
              <th scope="row">
                <PageName pageRef={row} />
              </th>
              <td class="number">{row.before === null ? "–" : formatNumber(row.before)}</td>
              <td class="number">{row.after === null ? "–" : formatNumber(row.after)}</td>
              <td>
                <Move row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

function Move({ row: { before, after } }: { row: PlaceChangeSchema }) {
  if (before === after) return null;
  if (after === null) return <span class="arrow dropped">out</span>;
  if (before === null) return <span class="arrow new">new</span>;
  const steps = formatNumber(Math.abs(before - after));
  return after < before ? <span class="arrow up">↑ {steps}</span> : <span class="arrow down">↓ {steps}</span>;
}
