/** The selected community: centres, hubs, evidence, linked communities, members. */

import type { CommunitiesResponse, CommunityMember, CommunityResponse, CommunitySchema } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { PageTable } from "../../pieces/pageTable";
import { Bar, colourClass, DownloadLinks, NumberBadge, Pager, ScrollableTable } from "../../pieces/controls";
import { displayName, formatCount, formatNumber, formatPercent, formatScore, stripControlChars } from "../../pieces/format";
import { buildUrl } from "../../route";
import type { CommunitiesRequest } from "./params";
import { communityLabel, internalLinkShare } from "./list";

const MAX_SHOWN = 8;
const SIZE = 20;

export function CommunityPanel({ request, data, chosen }: { request: CommunitiesRequest; data: CommunitiesResponse; chosen: CommunitySchema }) {
  const offset = Number(request.route.search.get("members") ?? 0);
  const path = `communities/${request.method}/community`;
  const response = useApi<CommunityResponse>(path, { ...request.params, community: chosen.community, offset, top: SIZE });
  const fresh = response.fresh && response.data?.community.community === chosen.community ? response.data : undefined;
  const community = fresh?.community ?? chosen;
  return (
    <section class={`topic ${colourClass(community.community)}`} aria-label={`Community ${community.community}`}>
      <h2>
        <NumberBadge topic={community.community} /> <bdi>{communityLabel(community)}</bdi>
      </h2>
      <CommunityFacts request={request} data={data} community={community} />
      <div class="roles">
        <BestPages heading="Centres" text="pages that the others link to" pages={community.centres} score="authority" from={request.from} />
        <BestPages heading="Hubs" text="pages that link to the others" pages={community.hubs} score="hub" from={request.from} />
      </div>
      {community.evidence.length > 0 && <CommunityEvidenceList community={community} from={request.from} level={data.level} />}
      <AsyncContent response={response} label={`community ${chosen.community}`}>
        {(details) => (
          <>
            {data.total > 1 && <LinkedCommunities request={request} details={details} />}
            <CommunityMembers request={request} details={details} path={path} level={data.level} />
          </>
        )}
      </AsyncContent>
    </section>
  );
}

function CommunityFacts({ request, data, community }: { request: CommunitiesRequest; data: CommunitiesResponse; community: CommunitySchema }) {
  const more = Object.entries(community.facts).filter(([name, value]) => name !== "share inside" && value !== null && typeof value !== "object");
  return (
    <div class="facts">
      <p>
        <a href="#members">{formatCount(community.pages, data.level)}</a> · {formatCount(community.internal_links, "internal link")} · {formatNumber(community.outgoing_links)} outgoing · {formatNumber(community.incoming_links)} incoming · {formatPercent(internalLinkShare(community))} of its links are internal
        {more.map(([name, value]) => (
          <span key={name}>
            {" · "}
            {name} {typeof value === "number" ? formatScore(value) : String(value)}
          </span>
        ))}
      </p>
      {data.level === "page" && community.centres[0] && (
        <p class="small">
          <a href={buildUrl("/communities", { method: "focused-flow", query: request.query, seeds: community.centres.slice(0, 3).map((page) => page.page) })}>Find the community of its first centres by flow</a>
        </p>
      )}
    </div>
  );
}

function BestPages({ heading, text, pages, score, from }: { heading: string; text: string; pages: readonly CommunityMember[]; score: "authority" | "hub"; from: string }) {
  const maxLinks = Math.max(1e-300, ...pages.map((page) => page[score]));
  return (
    <div>
      <h3>{heading}</h3>
      <p class="soft small">{text}</p>
      {pages.length === 0 && <p class="empty">None.</p>}
      <ol class="entries">
        {pages.slice(0, MAX_SHOWN).map((page, k) => (
          <li key={page.page}>
            <span class="place">{k + 1}</span>
            <PageName pageRef={page} from={from} />
            <span class="score">
              <span class="visually-hidden">score </span>
              {formatScore(page[score])}
              <Bar share={page[score] / maxLinks} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The evidence that the method gives for the community. */
function CommunityEvidenceList({ community, from, level }: { community: CommunitySchema; from: string; level: string }) {
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
                  <span key={page.page}>
                    {position > 0 && <span class="soft">{row.length === 2 ? " → " : " + "}</span>}
                    <PageName pageRef={page} from={from} compact />
                  </span>
                ))}
              </li>
            ))}
            {proof.total > proof.rows.length && <li class="soft">and {formatNumber(proof.total - proof.rows.length)} more {proof.rows[0]?.length === 1 ? `${level}s` : ""}</li>}
          </ul>
        </details>
      ))}
    </div>
  );
}

function LinkedCommunities({ request, details }: { request: CommunitiesRequest; details: CommunityResponse }) {
  const maxLinks = Math.max(1, ...details.linked_communities.map((linked) => linked.links_to + linked.links_from));
  const other = Number(request.route.search.get("with") ?? 0);
  if (details.linked_communities.length === 0) return <p class="soft">It has no links with other communities.</p>;
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
            {details.linked_communities.slice(0, other ? undefined : MAX_SHOWN).map((linked) => (
              <tr key={linked.community} class={linked.community === other ? `chosen ${colourClass(linked.community)}` : colourClass(linked.community)}>
                <th scope="row">
                  <NumberBadge topic={linked.community} />{" "}
                  <a href={request.communityUrl(linked.community)}>
                    <bdi>{communityLabel(linked)}</bdi>
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

function CommunityMembers({ request, details, path, level }: { request: CommunitiesRequest; details: CommunityResponse; path: string; level: string }) {
  return (
    <div id="members">
      <div class="tools">
        <h3>All {level}s</h3>
        <DownloadLinks path={path} params={{ ...request.params, community: details.community.community }} formats={["csv"]} />
      </div>
      <PageTable
        label={`All ${level}s of the community`}
        level={level}
        rows={details.rows}
        from={request.from}
        columns={[
          ["centre", (row) => formatScore(row.authority)],
          ["hub", (row) => formatScore(row.hub)],
        ]}
      />
      <Pager route={request.route} name="members" offset={details.offset} size={SIZE} total={details.total} unit={level} />
    </div>
  );
}

/** Pages that several communities link to and that belong to none. */
export function BridgePages({ request, data }: { request: CommunitiesRequest; data: CommunitiesResponse }) {
  if (data.bridge_pages.length === 0) return null;
  return (
    <section>
      <h2>Bridge pages</h2>
      <p class="soft">{formatCount(data.bridge_pages.length, data.level)} linked from several communities, belonging to none.</p>
      <ul class="links">
        {data.bridge_pages.map((row) => (
          <li key={row.page}>
            <PageName pageRef={row} from={request.from} />
            <span class="anchor">
              {row.communities.map((number_) => (
                <a key={number_} href={request.communityUrl(number_)} aria-label={`community ${number_}`}>
                  <NumberBadge topic={number_} />{" "}
                </a>
              ))}{" "}
              through{" "}
              {row.through.map((page, k) => (
                <span key={page.page}>
                  {k > 0 && ", "}
                  <a href={buildUrl("/page", { url: page.page, from: request.from })}>
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
