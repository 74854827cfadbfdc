/** All pages or all sites of a group. */

import type { GroupMembersResponse, GroupSitesResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent } from "../../pieces/loading";
import { Address, PageName } from "../../pieces/pageName";
import { PageTable } from "../../pieces/pageTable";
import { Bar, DownloadLinks, LinkTabs, Pager, ScrollableTable } from "../../pieces/controls";
import { formatCount, formatNumber, formatScore, formatUnitScore } from "../../pieces/format";
import { buildUrl } from "../../route";
import type { GroupsRequest } from "./request";

const SITES = 50;

interface Props {
  request: GroupsRequest;
  number: number;
  level: string;
}

/** A slice of the pages in the order of a score; the parameter `offsetName` holds where it begins. */
export function GroupPages({ request, number, level, offsetName, size }: Props & { offsetName: string; size: number }) {
  const { route } = request;
  const offset = Number(route.search.get(offsetName) ?? 0);
  const by = route.search.get("order") === "hub" ? "hub" : "authority";
  const path = `${request.kind}/${request.method}/members`;
  const params = { ...request.params, number, by };
  const format = request.kind === "topics" ? formatUnitScore : formatScore; // those of communities may be counts
  const response = useApi<GroupMembersResponse>(path, { ...params, offset, top: size });
  return (
    <>
      <div class="tools">
        <h3>All {level}s</h3>
        <LinkTabs
          route={{ ...route, search: withoutParam(route.search, offsetName) }}
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
              label={`All ${level}s of the ${request.noun}`}
              level={level}
              rows={data.rows}
              from={request.from}
              rank={(row) => formatNumber(row.place)}
              columns={[
                ["authority", (row) => format(row.authority)],
                ["hub", (row) => format(row.hub)],
              ]}
            />
            <Pager route={route} name={offsetName} offset={data.offset} size={size} total={data.total} unit={level} />
          </>
        )}
      </AsyncContent>
    </>
  );
}

export function GroupSites({ request, number, level }: Props) {
  const offset = Number(request.route.search.get("at") ?? 0);
  const path = `${request.kind}/${request.method}/sites`;
  const params = { ...request.params, number };
  const response = useApi<GroupSitesResponse>(path, { ...params, offset, top: SITES });
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
              <ScrollableTable label={`All sites of the ${request.noun}`}>
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
                            <Address url={row.site} />
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
              <Pager route={request.route} name="at" offset={data.offset} size={SITES} total={data.total} unit="site" />
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
