/** Scores of a page, and the contributions to one of them. */

import type { PageScoresResponse, ScoreExplanationResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { useBaseOptions } from "../../pieces/baseSetOptions";
import { Bar, LinkTabs, ScrollableTable } from "../../pieces/controls";
import { Address } from "../../pieces/pageName";
import { formatCount, formatNumber, formatPercent, formatScore, stripControlChars } from "../../pieces/format";
import { buildUrl, type Route, withParams } from "../../route";

interface Props {
  route: Route;
  url: string;
  query: string;
  defaultMethod: string;
  from: string;
}

export function ScoresSection({ route, url, query, defaultMethod, from }: Props) {
  const wholeCollection = query === "" || route.search.get("among") === "all";
  const among = wholeCollection ? "" : query;
  const base = useBaseOptions(new URLSearchParams(from));
  const given = wholeCollection ? {} : base.given;
  const scores = useApi<PageScoresResponse>(base.loaded ? "page/scores" : null, { url, query: among, ...given });
  const method = route.search.get("by") ?? (wholeCollection ? defaultMethod : "hits");
  const [name = defaultMethod, scoreName = ""] = method.split(":");
  const group = route.search.get("group") ?? "page";
  const why = useApi<ScoreExplanationResponse>(base.loaded ? `why/${name}` : null, {
    url,
    by: scoreName,
    group,
    query: among,
    top: 15,
    ...given,
  });
  return (
    <section class="why" id="scores">
      <div class="tools">
        <h2>Scores</h2>
        {query && (
          <LinkTabs
            route={route}
            name="among"
            label="Among"
            chosen={wholeCollection ? "all" : "query"}
            tabs={[
              ["query", `Pages around ${query}`],
              ["all", "The whole collection"],
            ]}
          />
        )}
      </div>
      <div class="beside even">
        <AsyncContent response={scores} label="its scores">
          {(scores) =>
            scores.rows.length === 0 ? (
              <EmptyMessage>The page is not ranked.</EmptyMessage>
            ) : (
              <ScoreTable scores={scores} route={route} method={name} scoreName={scoreName} />
            )
          }
        </AsyncContent>
        <div>
          <div class="tools">
            <h3>Contributions by {name}</h3>
            <LinkTabs
              route={route}
              name="group"
              label="Group contributions by"
              chosen={group}
              tabs={[
                ["page", "Page"],
                ["site", "Site"],
                ["anchor", "Anchor text"],
              ]}
            />
          </div>
          <AsyncContent response={why} label="the contributions">
            {(explanation) => <Waterfall explanation={explanation} group={group} from={from} />}
          </AsyncContent>
        </div>
      </div>
    </section>
  );
}

function ScoreTable({ scores, route, method, scoreName }: { scores: PageScoresResponse; route: Route; method: string; scoreName: string }) {
  const first = new Set<string>();
  return (
    <ScrollableTable label="Scores">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">method</th>
            <th scope="col" class="number">
              score
            </th>
            <th scope="col" class="number">
              place
            </th>
          </tr>
        </thead>
        <tbody>
          {scores.rows.map((row) => {
            const lead = !first.has(row.method);
            first.add(row.method);
            const chosen = row.method === method && (scoreName ? row.by === scoreName : lead);
            return (
              <tr key={`${row.method} ${row.by}`} class={chosen ? "chosen" : undefined}>
                <th scope="row">
                  <a href={withParams(route, { by: `${row.method}:${row.by}` })} aria-current={chosen ? "true" : undefined}>
                    {row.method}
                    {row.by !== "score" && ` ${row.by}`}
                  </a>
                </th>
                <td class="number">{formatScore(row.score)}</td>
                <td class="number">
                  <b>{formatNumber(row.place)}</b> of {formatNumber(row.ranked_pages)}
                  <Bar share={1 - (row.place - 1) / Math.max(row.ranked_pages, 1)} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

/** A waterfall of contributions; with those not listed they add up to the score. */
function Waterfall({ explanation, group, from }: { explanation: ScoreExplanationResponse; group: string; from: string }) {
  if (explanation.rows.length === 0) return <EmptyMessage>There are no contributions.</EmptyMessage>;
  let sum = 0;
  const rows = explanation.rows.map((row) => {
    const start = sum;
    sum += row.share ?? 0;
    return { ...row, start };
  });
  const remainder = explanation.score ? explanation.remainder / explanation.score : 0;
  const wholeCollection = Math.max(sum, 1e-300);
  return (
    <>
      <p class="soft">
        {explanation.by === "score" ? "score" : explanation.by} {formatScore(explanation.score)}: place {formatNumber(explanation.place)} of{" "}
        {formatNumber(explanation.ranked_pages)}
      </p>
      <ol class="waterfall">
        {rows.map((row) => (
          <li key={row.source}>
            <span class="source">
              <ContributionSource name={row.source} group={group} from={from} />
              {row.pages > 1 && <span class="soft"> {formatCount(row.pages, "page")}</span>}
            </span>
            <Bar share={(row.share ?? 0) / wholeCollection} start={row.start / wholeCollection} />
            <span class="number">{formatPercent(row.share)}</span>
          </li>
        ))}
        {explanation.total > rows.length && (
          <li>
            <span class="source soft">{formatNumber(explanation.total - rows.length)} smaller contributions</span>
            <span />
            <span class="number">{formatPercent(remainder)}</span>
          </li>
        )}
      </ol>
    </>
  );
}

function ContributionSource({ name, group, from }: { name: string; group: string; from: string }) {
  const text = stripControlChars(name);
  if (text.startsWith("(") && text.endsWith(")")) return <i>{text.slice(1, -1)}</i>;
  if (group === "page")
    return (
      <a href={buildUrl("/page", { url: name, from })}>
        <Address url={name} />
      </a>
    );
  if (group === "site")
    return (
      <a href={buildUrl("/search", { query: `site:${name}` })}>
        <bdi>{text}</bdi>
      </a>
    );
  return (
    <q>
      <bdi>{text}</bdi>
    </q>
  );
}
