/** The topics of two methods side by side: which match, and which one lacks. */

import type { GroupPairSchema, GroupsComparisonResponse, MethodsResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { DownloadLinks, NumberBadge, ScrollableTable } from "../../pieces/controls";
import { formatCount, formatNumber, formatPercent } from "../../pieces/format";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { buildUrl, navigate, withParams } from "../../route";
import { groupLabel } from "../groups/describe";
import type { GroupsRequest } from "../groups/request";

/** A choice of the other method. */
export function CompareWith({ request }: { request: GroupsRequest }) {
  const methods = useApi<MethodsResponse>("methods");
  const names = (methods.data?.methods ?? []).filter(({ kind, name }) => kind === "topics" && name !== request.method);
  return (
    <span class="field inline">
      <label for="compare-with">Compare with</label>
      <select
        id="compare-with"
        value={request.route.search.get("compare") ?? ""}
        onChange={(event) => navigate(withParams(request.route, { compare: event.currentTarget.value || null }))}
      >
        <option value="">no other method</option>
        {names.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

export function MethodComparison({ request, other }: { request: GroupsRequest; other: string }) {
  const path = `topics/${request.method}/comparison`;
  const params = { ...request.params, other };
  const response = useApi<GroupsComparisonResponse>(path, params);
  const otherSearch = new URLSearchParams({ query: request.query, method: other, compare: request.method });
  const hrefs = [request.groupUrl, (number: number) => buildUrl("/topics", { ...Object.fromEntries(otherSearch), topic: number })] as const;
  return (
    <section class="method-comparison">
      <div class="tools">
        <h2>
          {request.method} and {other}
        </h2>
        <DownloadLinks path={path} params={params} formats={["csv"]} />
        <a href={withParams(request.route, { compare: null })}>Close</a>
      </div>
      <AsyncContent response={response} label={`the topics by ${other}`}>
        {(data) =>
          data.pairs.length === 0 ? (
            <EmptyMessage>Neither method finds a topic.</EmptyMessage>
          ) : (
            <>
              <p class="soft">
                {formatCount(data.both, data.level)} in topics of both, {formatNumber(data.only_first)} only by {data.method},{" "}
                {formatNumber(data.only_other)} only by {data.other}. Topics are matched so that they share most pages.
              </p>
              <ScrollableTable label="Topics of two methods">
                <table class="figures">
                  <thead>
                    <tr>
                      <th scope="col">{data.method}</th>
                      <th scope="col">shared</th>
                      <th scope="col">{data.other}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.pairs.map((pair) => (
                      <tr key={`${pair.number} ${pair.other}`}>
                        <TopicCell number={pair.number} label={pair.label} pages={pair.pages} level={data.level} href={hrefs[0]} />
                        <SharedCell pair={pair} />
                        <TopicCell
                          number={pair.other}
                          label={pair.other_label}
                          pages={pair.other_pages}
                          level={data.level}
                          href={hrefs[1]}
                        />
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollableTable>
            </>
          )
        }
      </AsyncContent>
    </section>
  );
}

interface TopicCellProps {
  number: number;
  label: string;
  pages: number;
  level: string;
  href: (number: number) => string;
}

function TopicCell({ number, label, pages, level, href }: TopicCellProps) {
  if (number === 0) return <td class="topic-cell soft">no matching topic</td>;
  return (
    <td class="topic-cell">
      <NumberBadge number={number} />{" "}
      <a href={href(number)}>
        <bdi>{groupLabel({ label })}</bdi>
      </a>{" "}
      <span class="soft small">{formatCount(pages, level)}</span>
    </td>
  );
}

/** The shares of the pages that only one has and that both have, as one bar. */
function SharedCell({ pair }: { pair: GroupPairSchema }) {
  const all = Math.max(1, pair.pages + pair.other_pages - pair.shared);
  return (
    <td class="shared-cell">
      {pair.number > 0 && pair.other > 0 && (
        <>
          <span class="shared-bar" aria-hidden="true">
            <span style={{ width: `${(100 * pair.shared) / all}%`, marginLeft: `${(100 * (pair.pages - pair.shared)) / all}%` }} />
          </span>
          <span class="small">
            {formatNumber(pair.shared)} · {formatPercent(pair.jaccard)}
          </span>
        </>
      )}
    </td>
  );
}
