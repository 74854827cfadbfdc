/** Where a page stands among all: its community, and its place in the bow-tie with the reason. */

import { useState } from "preact/hooks";
import type { CommunitiesOfPage, PlaceFound } from "../../ask/surveyed";
import type { Named } from "../../ask/shapes";
import { useAsk } from "../../ask/use";
import { regionColour, titled } from "../../draw/bowtie";
import { Answered, sentence } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { Badge, colour } from "../../pieces/small";
import { clean, count, number } from "../../pieces/words";
import { to } from "../../route";
import { labelOf } from "../communities/list";

/** With more links in all, communities are only looked for when somebody asks. */
const MANY = 1_000_000;

export function Standing({ url, from, method, links }: { url: string; from: string; method: string; links: number }) {
  return (
    <div class="roles">
      <ItsCommunity url={url} from={from} method={method} links={links} />
      <InBowTie url={url} from={from} />
    </div>
  );
}

function ItsCommunity({ url, from, method, links }: { url: string; from: string; method: string; links: number }) {
  const [wanted, setWanted] = useState(links <= MANY);
  const asked = useAsk<CommunitiesOfPage>(`communities/${method}/of`, { url, ...(!wanted && { kept: true }) });
  return (
    <section id="community">
      <h2>Its community</h2>
      <Answered asked={asked} what="its community" lines={4}>
        {(told) =>
          told.known ? (
            <>
              {told.rows.length === 0 && <p>{sentence(clean(told.alone))}</p>}
              {told.rows.map((row) => (
                <div key={row.community} class={colour(row.community)}>
                  <p>
                    <Badge topic={row.community} />{" "}
                    <a class="title" href={to("/communities", { community: row.community === 1 ? null : row.community })}>
                      <bdi>{labelOf(row)}</bdi>
                    </a>
                  </p>
                  <p class="soft">
                    {row.centre > 0 && `Centre number ${number(row.centre)}`}
                    {row.centre > 0 && row.hub > 0 && ", "}
                    {row.hub > 0 && `hub number ${number(row.hub)}`}
                    {row.centre + row.hub > 0 && ". "}
                    {number(row.inside_in)} of {count(told.links_in, "link")} to it come from inside, {number(row.inside_out)} of {number(told.links_out)} of its own stay inside.
                  </p>
                  <Few words="Linked from, inside" pages={row.linked_from} from={from} />
                  <Few words="Links to, inside" pages={row.links_to} from={from} />
                </div>
              ))}
              {told.elsewhere.length > 0 && (
                <p class="soft small">
                  Also linked with{" "}
                  {told.elsewhere.slice(0, 5).map((other, k) => (
                    <span key={other.community}>
                      {k > 0 && ", "}
                      <Badge topic={other.community} />{" "}
                      <a href={to("/communities", { community: other.community === 1 ? null : other.community })}>
                        <bdi>{labelOf(other)}</bdi>
                      </a>{" "}
                      ({count(other.links, "link")})
                    </span>
                  ))}
                </p>
              )}
              <p class="small">
                By {method}. <a href={to("/communities", { method: "focused-flow", seeds: [url, ...told.rows.flatMap((row) => row.linked_from.map((page) => page.page))] })}>Cut it off by flow, from here</a>
              </p>
            </>
          ) : (
            <>
              <p class="soft">Nobody has asked for the communities of this collection yet. To find them, all {count(links, "link")} are looked at, which takes a while.</p>
              <p>
                <button type="button" onClick={() => setWanted(true)}>
                  Find its community
                </button>
              </p>
            </>
          )
        }
      </Answered>
    </section>
  );
}

function Few({ words, pages, from }: { words: string; pages: readonly Named[]; from: string }) {
  if (pages.length === 0) return null;
  return (
    <details class="speaks">
      <summary>{words}</summary>
      <ul class="plain">
        {pages.map((page) => (
          <li key={page.page}>
            <PageName named={page} from={from} plain />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A path that shows why, one click a line. */
function InBowTie({ url, from }: { url: string; from: string }) {
  const asked = useAsk<PlaceFound>("structure/bow-tie/why", { url });
  return (
    <section id="place">
      <h2>Its place in the bow-tie</h2>
      <Answered asked={asked} what="its place" lines={4}>
        {(told) =>
          told.region === "" ? (
            <p class="soft">{sentence(clean(told.note.replace("needs seen=keep", "is counted only where seen pages are kept")))}</p>
          ) : (
            <div class={regionColour(told.region)}>
              <p>
                <span class="dot own" />
                <a class="title" href={`${to("/structure", { region: told.region })}#region`}>
                  {titled(told.region)}
                </a>{" "}
                <span class="soft">{told.meaning}</span>
              </p>
              {told.path.length > 1 && (
                <>
                  <p class="soft small">Why{told.both_ways ? ", following links either way" : ""}:</p>
                  <ol class="way">
                    {told.path.map((page, k) => (
                      <li key={k} aria-current={page.page === told.page ? "true" : undefined}>
                        <PageName named={page} from={from} plain />
                      </li>
                    ))}
                  </ol>
                </>
              )}
              {told.note && <p class="soft">{sentence(clean(told.note))}</p>}
            </div>
          )
        }
      </Answered>
    </section>
  );
}
