/** The community of a page, and its region of the bow-tie with a path that proves it. */

import { useState } from "preact/hooks";
import type { GroupRole, MembershipResponse, PageRegionResponse, SupportingLink } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { capitalise, regionColourClass } from "../../pieces/regions";
import { AsyncContent } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { colourClass, NumberBadge } from "../../pieces/controls";
import { formatCount, formatNumber, stripControlChars, toSentence } from "../../pieces/format";
import { buildUrl } from "../../route";
import { groupLabel } from "../groups/describe";

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
  const response = useApi<MembershipResponse>(`communities/${method}/of`, { url, ...(!wanted && { cached_only: true }) });
  return (
    <section id="community">
      <h2>Community</h2>
      <AsyncContent response={response} label="the community" placeholderLines={4}>
        {(data) =>
          data.computed ? (
            <>
              {data.numbers.length === 0 && <p>{toSentence(stripControlChars(data.unassigned_reason || data.origin))}</p>}
              {data.numbers.map((number) => (
                <CommunityRoles key={number} number={number} membership={data} from={from} />
              ))}
              {data.links_elsewhere.length > 0 && (
                <p class="soft small">
                  Also linked with{" "}
                  {data.links_elsewhere.slice(0, 5).map((other, k) => (
                    <span key={other.number}>
                      {k > 0 && ", "}
                      <CommunityLink number={other.number} label={other.label} /> ({formatCount(other.links, "link")})
                    </span>
                  ))}
                </p>
              )}
              <p class="small">
                By {method}.{" "}
                <a
                  href={buildUrl("/communities", {
                    method: "focused-flow",
                    seeds: [
                      url,
                      ...data.roles.filter((row) => row.role === "authority").flatMap((row) => row.links.map((page) => page.url)),
                    ],
                  })}
                >
                  Find its community by flow
                </a>
              </p>
            </>
          ) : (
            <>
              <p class="soft">
                The communities of this collection are not computed yet. Computing them for all {formatCount(links, "link")} takes a while.
              </p>
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

function CommunityLink({ number, label, heading = false }: { number: number; label: string; heading?: boolean }) {
  return (
    <>
      <NumberBadge number={number} />{" "}
      <a class={heading ? "title" : undefined} href={buildUrl("/communities", { community: number === 1 ? null : number })}>
        <bdi>{groupLabel({ label })}</bdi>
      </a>
    </>
  );
}

/** The places of the page in a community, and its links with the members. */
function CommunityRoles({ number, membership, from }: { number: number; membership: MembershipResponse; from: string }) {
  const roles = membership.roles.filter((row) => row.number === number);
  const [authority, hub] = (["authority", "hub"] as const).map((role): GroupRole | undefined => roles.find((row) => row.role === role));
  const places = roles.map((row) => `${row.role} number ${formatNumber(row.place)}`).join(", ");
  return (
    <div class={colourClass(number)}>
      <p>
        <CommunityLink number={number} label={roles[0]?.label ?? `community ${number}`} heading />
      </p>
      <p class="soft">
        {toSentence(places)} {formatNumber(authority?.count ?? 0)} of {formatCount(membership.links_in, "link")} to it and{" "}
        {formatNumber(hub?.count ?? 0)} of {formatNumber(membership.links_out)} of its own links are internal.
      </p>
      <PageList text="Linked from members" pages={authority?.links ?? []} from={from} />
      <PageList text="Links to members" pages={hub?.links ?? []} from={from} />
    </div>
  );
}

function PageList({ text, pages, from }: { text: string; pages: readonly SupportingLink[]; from: string }) {
  if (pages.length === 0) return null;
  return (
    <details class="evidence">
      <summary>{text}</summary>
      <ul class="plain">
        {pages.map((page) => (
          <li key={page.url}>
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
            <p class="soft">
              {toSentence(
                stripControlChars(data.note.replace("; an uncaptured page needs uncaptured=keep", "; uncaptured pages are left out")),
              )}
            </p>
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
                  <p class="soft small">A path that shows it{data.undirected ? ", along links in either direction" : ""}:</p>
                  <ol class="path">
                    {data.path.map((page, k) => (
                      <li key={k} aria-current={page.url === data.page ? "true" : undefined}>
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
