/** The community of a page, and its region of the bow-tie with a path that proves it. */

import { useState } from "preact/hooks";
import type { PageCommunitiesResponse, PageRef, PageRegionResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { capitalise, regionColourClass } from "../../pieces/regions";
import { AsyncContent } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { colourClass, NumberBadge } from "../../pieces/controls";
import { formatCount, formatNumber, stripControlChars, toSentence } from "../../pieces/format";
import { buildUrl } from "../../route";
import { communityLabel } from "../communities/list";

/** In larger collections, communities are computed only on request. */
const MAX_EAGER_LINKS = 1_000_000;

export function CommunityAndRegion({ url, from, method, links }: { url: string; from: string; method: string; links: number }) {
  return (
    <div class="roles">
      <PageCommunity url={url} from={from} method={method} links={links} />
      <BowTieRegion url={url} from={from} />
    </div>
  );
}

function PageCommunity({ url, from, method, links }: { url: string; from: string; method: string; links: number }) {
  const [wanted, setWanted] = useState(links <= MAX_EAGER_LINKS);
  const response = useApi<PageCommunitiesResponse>(`communities/${method}/of`, { url, ...(!wanted && { cached_only: true }) });
  return (
    <section id="community">
      <h2>Community</h2>
      <AsyncContent response={response} label="the community" placeholderLines={4}>
        {(data) =>
          data.computed ? (
            <>
              {data.rows.length === 0 && <p>{toSentence(stripControlChars(data.unassigned_reason))}</p>}
              {data.rows.map((row) => (
                <div key={row.community} class={colourClass(row.community)}>
                  <p>
                    <NumberBadge topic={row.community} />{" "}
                    <a class="title" href={buildUrl("/communities", { community: row.community === 1 ? null : row.community })}>
                      <bdi>{communityLabel(row)}</bdi>
                    </a>
                  </p>
                  <p class="soft">
                    {row.centre > 0 && `Centre number ${formatNumber(row.centre)}`}
                    {row.centre > 0 && row.hub > 0 && ", "}
                    {row.hub > 0 && `hub number ${formatNumber(row.hub)}`}
                    {row.centre + row.hub > 0 && ". "}
                    {formatNumber(row.inside_in)} of {formatCount(data.links_in, "link")} to it and {formatNumber(row.inside_out)} of {formatNumber(data.links_out)} of its own links are internal.
                  </p>
                  <PageList text="Linked from members" pages={row.linked_from} from={from} />
                  <PageList text="Links to members" pages={row.links_to} from={from} />
                </div>
              ))}
              {data.other_communities.length > 0 && (
                <p class="soft small">
                  Also linked with{" "}
                  {data.other_communities.slice(0, 5).map((other, k) => (
                    <span key={other.community}>
                      {k > 0 && ", "}
                      <NumberBadge topic={other.community} />{" "}
                      <a href={buildUrl("/communities", { community: other.community === 1 ? null : other.community })}>
                        <bdi>{communityLabel(other)}</bdi>
                      </a>{" "}
                      ({formatCount(other.links, "link")})
                    </span>
                  ))}
                </p>
              )}
              <p class="small">
                By {method}. <a href={buildUrl("/communities", { method: "focused-flow", seeds: [url, ...data.rows.flatMap((row) => row.linked_from.map((page) => page.page))] })}>Find its community by flow</a>
              </p>
            </>
          ) : (
            <>
              <p class="soft">The communities of this collection are not computed yet. Computing them for all {formatCount(links, "link")} takes a while.</p>
              <p>
                <button type="button" onClick={() => setWanted(true)}>
                  Compute communities
                </button>
              </p>
            </>
          )
        }
      </AsyncContent>
    </section>
  );
}

function PageList({ text, pages, from }: { text: string; pages: readonly PageRef[]; from: string }) {
  if (pages.length === 0) return null;
  return (
    <details class="evidence">
      <summary>{text}</summary>
      <ul class="plain">
        {pages.map((page) => (
          <li key={page.page}>
            <PageName pageRef={page} from={from} compact />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The region with a path that proves it. */
function BowTieRegion({ url, from }: { url: string; from: string }) {
  const response = useApi<PageRegionResponse>("structure/bow-tie/why", { url });
  return (
    <section id="bow-tie-region">
      <h2>Region of the bow-tie</h2>
      <AsyncContent response={response} label="the region" placeholderLines={4}>
        {(data) =>
          data.region === "" ? (
            <p class="soft">{toSentence(stripControlChars(data.note.replace("; an uncaptured page needs uncaptured=keep", "; uncaptured pages are left out")))}</p>
          ) : (
            <div class={regionColourClass(data.region)}>
              <p>
                <span class="dot own" />
                <a class="title" href={`${buildUrl("/structure", { region: data.region })}#region`}>
                  {capitalise(data.region)}
                </a>{" "}
                <span class="soft">{data.meaning}</span>
              </p>
              {data.path.length > 1 && (
                <>
                  <p class="soft small">Path{data.undirected ? " in either direction of links" : ""}:</p>
                  <ol class="path">
                    {data.path.map((page, k) => (
                      <li key={k} aria-current={page.page === data.page ? "true" : undefined}>
                        <PageName pageRef={page} from={from} compact />
                      </li>
                    ))}
                  </ol>
                </>
              )}
              {data.note && <p class="soft">{toSentence(stripControlChars(data.note))}</p>}
            </div>
          )
        }
      </AsyncContent>
    </section>
  );
}
