/** The list of communities. */

import type { CommunitiesResponse, CommunitySchema } from "../../api/schemas";
import { Bar, colourClass, DownloadLinks, NumberBadge } from "../../pieces/controls";
import { displayName, formatCount, formatNumber, stripControlChars } from "../../pieces/format";
import type { CommunitiesRequest } from "./params";

const MAX_CENTRES = 3;

/** The label of a community. */
export function communityLabel(community: { label: string; title?: string }): string {
  return stripControlChars(community.label) || stripControlChars(community.title ?? "") || "(no label)";
}

/** The share of its links that are internal. */
export function internalLinkShare(community: CommunitySchema): number {
  return community.internal_links / Math.max(community.internal_links + community.outgoing_links + community.incoming_links, 1);
}

export function CommunityList({ request, data, chosen }: { request: CommunitiesRequest; data: CommunitiesResponse; chosen: number }) {
  const maxPages = Math.max(1, ...data.communities.map((community) => community.pages));
  return (
    <nav class="topics" aria-label="Communities">
      <div class="tools">
        <h2>{formatCount(data.total, "community")}</h2>
        <DownloadLinks path={`communities/${request.method}`} params={{ ...request.params, table: "communities" }} formats={["csv"]} />
      </div>
      <ol>
        {data.communities.map((community) => (
          <li key={community.community}>
            <a class={colourClass(community.community)} href={request.communityUrl(community.community)} aria-current={community.community === chosen ? "true" : undefined}>
              <NumberBadge topic={community.community} />
              <span class="label">
                <bdi>{communityLabel(community)}</bdi>
              </span>
              <span class="facts">
                {formatCount(community.pages, data.level)} · {formatNumber(community.internal_links)} internal links, {formatNumber(community.outgoing_links + community.incoming_links)} external
              </span>
              {community.centres.length > 0 && (
                <span class="facts centres">
                  <bdi>{community.centres.slice(0, MAX_CENTRES).map(displayName).join(", ")}</bdi>
                </span>
              )}
              <Bar share={community.pages / maxPages} />
            </a>
          </li>
        ))}
      </ol>
      {data.total > data.communities.length && <p class="soft small">and {formatNumber(data.total - data.communities.length)} smaller ones; the CSV has all of them</p>}
    </nav>
  );
}
