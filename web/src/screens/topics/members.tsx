/** All pages or all sites of a topic. */

import type { TopicMembersResponse, TopicSitesResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { PageTable } from "../../pieces/pageTable";
import { Bar, DownloadLinks, LinkTabs, Pager, ScrollableTable } from "../../pieces/controls";
import { formatCount, formatNumber, formatScore } from "../../pieces/format";
import { buildUrl, withParams } from "../../route";
import type { TopicsRequest } from "./params";

const SIZE = 50;

export function Members({ request, topic, level, list }: { request: TopicsRequest; topic: number; level: string; list: "pages" | "sites" }) {
  const { route } = request;
  const offset = Number(route.search.get("at") ?? 0);
  const props = { request, topic, offset, level };
  return (
    <section id="members">
      <p class="tools">
        <a href={withParams(route, { list: null, order: null, at: null })}>← Best authorities and hubs</a>
      </p>
      {list === "pages" ? <TopicPages {...props} /> : <TopicSites {...props} />}
    </section>
  );
}

interface ListProps {
  request: TopicsRequest;
  topic: number;
  offset: number;
  level: string;
}

function TopicPages({ request, topic, offset, level }: ListProps) {
  const { route } = request;
  const by = route.search.get("order") === "hub" ? "hub" : "authority";
  const path = `topics/${request.method}/members`;
  const params = { ...request.params, topic, by };
  const response = useApi<TopicMembersResponse>(path, { ...params, offset, top: SIZE });
  return (
    <>
      <div class="tools">
        <h3>All {level}s</h3>
        <LinkTabs
          route={{ ...route, search: withoutParam(route.search, "at") }}
          name="order"
          label="Order by"
          chosen={by}
          tabs={[
            ["authority", "By authority"],
            ["hub", "By hub"],
          ]}
        />
        <DownloadLinks path={path} params={params} formats={["csv"]} />
      </div>
      <AsyncContent response={response} label={`all ${level}s`} placeholderLines={12}>
        {(data) => (
          <>
            <PageTable
              label={`All ${level}s of the topic`}
              level={level}
              rows={data.rows}
              from={request.from}
              rank={(row) => formatNumber(row.place)}
              columns={[
                ["authority", (row) => formatScore(row.authority)],
                ["hub", (row) => formatScore(row.hub)],
              ]}
            />
            <Pager route={route} name="at" offset={offset} size={SIZE} total={data.total} unit={level} />
          </>
        )}
      </AsyncContent>
    </>
  );
}

function TopicSites({ request, topic, offset, level }: ListProps) {
  const path = `topics/${request.method}/sites`;
  const params = { ...request.params, topic };
  const response = useApi<TopicSitesResponse>(path, { ...params, offset, top: SIZE });
  return (
    <>
      <div class="tools">
        <h3>All sites</h3>
        <DownloadLinks path={path} params={params} formats={["csv"]} />
      </div>
      <AsyncContent response={response} label="all sites" placeholderLines={12}>
        {(data) => {
          const maxPages = Math.max(1, ...data.rows.map((row) => row.pages));
          return (
            <>
              <p class="soft">
                {formatCount(data.pages, level)} on {formatCount(data.total, "site")}.
              </p>
              <ScrollableTable label="All sites of the topic">
                <table class="figures members">
                  <thead>
                    <tr>
                      <th scope="col">site</th>
                      <th scope="col" class="number">
                        {level}s
                      </th>
                      <th scope="col">best page</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.rows.map((row) => (
                      <tr key={row.site}>
                        <th scope="row">
                          <a href={buildUrl("/search", { query: `site:${row.site}` })}>
                            <bdi>{row.site}</bdi>
                          </a>
                          <Bar share={row.pages / maxPages} />
                        </th>
                        <td class="number">{formatNumber(row.pages)}</td>
                        <td class="named-cell">
                          <PageName pageRef={row.best} from={request.from} compact />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollableTable>
              <Pager route={request.route} name="at" offset={offset} size={SIZE} total={data.total} unit="site" />
            </>
          );
        }}
      </AsyncContent>
    </>
  );
}

function withoutParam(search: URLSearchParams, name: string): URLSearchParams {
  const copy = new URLSearchParams(search);
  copy.delete(name);
  return copy;
}
