/** The selected community: authorities, hubs, evidence, linked communities, members. */

import type { CommunitiesResponse, GroupDetails, GroupResponse, LinkedGroup } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { Bar, colourClass, NumberBadge, ScrollableTable } from "../../pieces/controls";
import { displayName, formatCount, formatNumber, formatScore, stripControlChars } from "../../pieces/format";
import { buildUrl } from "../../route";
import { describeLinks, groupLabel } from "../groups/describe";
import { AuthoritiesAndHubs } from "../groups/evidence";
import { GroupPages } from "../groups/members";
import type { GroupsRequest } from "../groups/request";

const MAX_SHOWN = 8;
const MEMBERS_LISTED = 20;

export function CommunityPanel({ request, data, chosen }: { request: GroupsRequest; data: CommunitiesResponse; chosen: GroupDetails }) {
  const { number } = chosen;
  const response = useApi<GroupResponse>(`communities/${request.method}/group`, {
    ...request.params,
    number,
    top: MAX_SHOWN,
    snippets: "none",
  });
  const loaded = response.fresh ? response.data?.group : undefined;
  const community = loaded?.number === number ? loaded : chosen;
  return (
    <section class={`topic ${colourClass(number)}`} aria-label={`Community ${number}`}>
      <h2>
        <NumberBadge number={number} /> <bdi>{groupLabel(community)}</bdi>
      </h2>
      <CommunityFacts request={request} data={data} community={community} />
      <AuthoritiesAndHubs request={request} group={community} />
      {community.evidence.length > 0 && <CommunityEvidenceList community={community} from={request.from} level={data.level} />}
      {data.total > 1 && (
        <AsyncContent response={response} label={`community ${number}`}>
          {({ linked_groups }) => <LinkedCommunities request={request} linkedGroups={linked_groups} />}
        </AsyncContent>
      )}
      <div id="members">
        <GroupPages request={request} number={number} level={data.level} offsetName="members" size={MEMBERS_LISTED} />
      </div>
    </section>
  );
}

function CommunityFacts({ request, data, community }: { request: GroupsRequest; data: CommunitiesResponse; community: GroupDetails }) {
  const more = Object.entries(community.facts).filter(
    ([name, value]) => name !== "share inside" && value !== null && typeof value !== "object",
  );
  return (
    <div class="facts">
      <p>
        <a href="#members">{formatCount(community.pages, data.level)}</a>
        {[community.links && describeLinks(community.links), community.note].filter(Boolean).map((text) => ` · ${text}`)}
        {more.map(([name, value]) => (
          <span key={name}>
            {" · "}
            {name} {typeof value === "number" ? formatScore(value) : String(value)}
          </span>
        ))}
      </p>
      {data.level === "page" && community.authorities[0] && (
        <p class="small">
          <a
            href={buildUrl("/communities", {
              method: "focused-flow",
              query: request.query,
              seeds: community.authorities.slice(0, 3).map((page) => page.url),
            })}
          >
            Find the community of its first authorities by flow
          </a>
        </p>
      )}
    </div>
  );
}

/** The evidence that the method gives for the community. */
function CommunityEvidenceList({ community, from, level }: { community: GroupDetails; from: string; level: string }) {
  return (
    <div class="community-evidence">
      <h3>Evidence</h3>
      {community.evidence.map((proof) => (
        <details key={proof.name} class="evidence">
          <summary>
            {stripControlChars(proof.name).replace(/^./, (first) => first.toUpperCase())}: {formatNumber(proof.total)}
          </summary>
          <ul class="plain">
            {proof.rows.map((row, k) => (
              <li key={k}>
                {row.map((page, position) => (
                  <span key={page.url}>
                    {position > 0 && <span class="soft">{row.length === 2 ? " → " : " + "}</span>}
                    <PageName pageRef={page} from={from} compact />
                  </span>
                ))}
              </li>
            ))}
            {proof.total > proof.rows.length && (
              <li class="soft">
                and {formatNumber(proof.total - proof.rows.length)} more {proof.rows[0]?.length === 1 ? `${level}s` : ""}
              </li>
            )}
          </ul>
        </details>
      ))}
    </div>
  );
}

function LinkedCommunities({ request, linkedGroups }: { request: GroupsRequest; linkedGroups: readonly LinkedGroup[] }) {
  const maxLinks = Math.max(1, ...linkedGroups.map((linked) => linked.links_to + linked.links_from));
  const other = Number(request.route.search.get("with") ?? 0);
  if (linkedGroups.length === 0) return <p class="soft">It has no links with other communities.</p>;
  return (
    <div class="linked-communities" id="ties">
      <h3>Linked communities</h3>
      <ScrollableTable label="Linked communities">
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">community</th>
              <th scope="col" class="number">
                links to it
              </th>
              <th scope="col" class="number">
                links from it
              </th>
            </tr>
          </thead>
          <tbody>
            {linkedGroups.slice(0, other ? undefined : MAX_SHOWN).map((linked) => (
              <tr key={linked.number} class={linked.number === other ? `chosen ${colourClass(linked.number)}` : colourClass(linked.number)}>
                <th scope="row">
                  <NumberBadge number={linked.number} />{" "}
                  <a href={request.groupUrl(linked.number)}>
                    <bdi>{groupLabel(linked)}</bdi>
                  </a>
                  <Bar share={(linked.links_to + linked.links_from) / maxLinks} />
                </th>
                <td class="number">{formatNumber(linked.links_to)}</td>
                <td class="number">{formatNumber(linked.links_from)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollableTable>
    </div>
  );
}

/** Pages that several communities link to and that belong to none. */
export function BridgePages({ request, data }: { request: GroupsRequest; data: CommunitiesResponse }) {
  if (data.bridge_pages.length === 0) return null;
  return (
    <section>
      <h2>Bridge pages</h2>
      <p class="soft">{formatCount(data.bridge_pages.length, data.level)} linked from several communities, belonging to none.</p>
      <ul class="links">
        {data.bridge_pages.map((row) => (
          <li key={row.url}>
            <PageName pageRef={row} from={request.from} />
            <span class="anchor">
              {row.communities.map((number_) => (
                <a key={number_} href={request.groupUrl(number_)} aria-label={`community ${number_}`}>
                  <NumberBadge number={number_} />{" "}
                </a>
              ))}{" "}
              through{" "}
              {row.through.map((page, k) => (
                <span key={page.url}>
                  {k > 0 && ", "}
                  <a href={buildUrl("/page", { url: page.url, from: request.from })}>
                    <bdi>{displayName(page)}</bdi>
                  </a>
                </span>
              ))}{" "}
              · linked by {formatCount(row.inlinks, data.level)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
