/** The links of a cell of the matrix with their anchor texts. */

import type { GroupLinksResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { colourClass, DownloadLinks, NumberBadge, Pager, ScrollableTable } from "../../pieces/controls";
import { formatCount, stripControlChars } from "../../pieces/format";
import { withParams } from "../../route";
import { groupLabel } from "../groups/describe";
import type { GroupsRequest } from "../groups/request";

const SIZE = 20;

export function CommunityLinksTable({ request, community, other }: { request: GroupsRequest; community: number; other: number }) {
  const path = `communities/${request.method}/links`;
  const offset = Number(request.route.search.get("links") ?? 0);
  const params = { ...request.params, number: community, other };
  const response = useApi<GroupLinksResponse>(path, { ...params, offset, top: SIZE });
  return (
    <section id="cell" class={`topic ${colourClass(community)}`} aria-label={`Links from community ${community} to ${other}`}>
      <AsyncContent response={response} label={`the links from community ${community} to ${other}`}>
        {(data) => (
          <>
            <div class="tools">
              <h3>
                {formatCount(data.total, "link")} {community === other ? "inside" : "from"}{" "}
                <CommunityName request={request} number={data.number} label={data.label} />
                {community !== other && (
                  <>
                    {" "}
                    to <CommunityName request={request} number={data.other} label={data.other_label} />
                  </>
                )}
              </h3>
              {data.total > 0 && <DownloadLinks path={path} params={params} formats={["csv"]} />}
            </div>
            {data.rows.length === 0 && <EmptyMessage>There are no links from one to the other.</EmptyMessage>}
            {data.rows.length > 0 && (
              <ScrollableTable label={`Links from community ${community} to ${other}`}>
                <table class="figures links-between">
                  <thead>
                    <tr>
                      <th scope="col">from</th>
                      <th scope="col">to</th>
                      <th scope="col">anchor text</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.rows.map((row) => (
                      <tr key={`${row.source.url} ${row.target.url}`}>
                        <th scope="row">
                          <PageName pageRef={row.source} from={request.from} />
                        </th>
                        <td class="named-cell">
                          <PageName pageRef={row.target} from={request.from} />
                        </td>
                        <td class="named-cell">
                          <bdi>{row.anchors.map(stripControlChars).join(", ")}</bdi>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollableTable>
            )}
            <Pager route={request.route} name="links" offset={data.offset} size={SIZE} total={data.total} unit="link" />
          </>
        )}
      </AsyncContent>
    </section>
  );
}

function CommunityName({ request, number, label }: { request: GroupsRequest; number: number; label: string }) {
  return (
    <>
      <NumberBadge number={number} />{" "}
      <a href={withParams(request.route, { view: null, community: number === 1 ? null : number, with: null, links: null })}>
        <bdi>{groupLabel({ label })}</bdi>
      </a>
    </>
  );
}
