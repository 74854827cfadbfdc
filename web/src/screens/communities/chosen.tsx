/** The chosen community: its centres and hubs, its members, what speaks for it, and whom it is linked with. */

import type { CommunitiesFound, Community, CommunityFound, Member } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { Answered } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { PageTable } from "../../pieces/pagetable";
import { Badge, Bar, colour, Files, Pager, Wide } from "../../pieces/small";
import { called, clean, count, number, score, share } from "../../pieces/words";
import { to } from "../../route";
import type { Asking } from "./asking";
import { insideOf, labelOf } from "./list";

const FEW = 8;
const SIZE = 20;

export function Chosen({ asking, found, chosen }: { asking: Asking; found: CommunitiesFound; chosen: Community }) {
  const offset = Number(asking.place.search.get("members") ?? 0);
  const path = `communities/${asking.method}/community`;
  const asked = useAsk<CommunityFound>(path, { ...asking.params, community: chosen.community, offset, top: SIZE });
  const fresh = asked.fresh && asked.data?.community.community === chosen.community ? asked.data : undefined;
  const one = fresh?.community ?? chosen;
  return (
    <section class={`topic ${colour(one.community)}`} aria-label={`Community ${one.community}`}>
      <h2>
        <Badge topic={one.community} /> <bdi>{labelOf(one)}</bdi>
      </h2>
      <Facts asking={asking} found={found} one={one} />
      <div class="roles">
        <Best heading="Centres" words="pages that the others point to" pages={one.centres} part="authority" from={asking.from} />
        <Best heading="Hubs" words="pages that point to the others" pages={one.hubs} part="hub" from={asking.from} />
      </div>
      {one.evidence.length > 0 && <Evidence one={one} from={asking.from} level={found.level} />}
      <Answered asked={asked} what={`community ${chosen.community}`}>
        {(told) => (
          <>
            {found.total > 1 && <Ties asking={asking} told={told} />}
            <Members asking={asking} told={told} path={path} level={found.level} />
          </>
        )}
      </Answered>
    </section>
  );
}

function Facts({ asking, found, one }: { asking: Asking; found: CommunitiesFound; one: Community }) {
  const more = Object.entries(one.facts).filter(([name, value]) => name !== "share inside" && value !== null && typeof value !== "object");
  return (
    <div class="facts">
      <p>
        <a href="#members">{count(one.pages, found.level)}</a> · {count(one.inside, "link")} inside · {number(one.leaving)} to others · {number(one.arriving)} from others · {share(insideOf(one))} of its links stay inside
        {more.map(([name, value]) => (
          <span key={name}>
            {" · "}
            {name} {typeof value === "number" ? score(value) : String(value)}
          </span>
        ))}
      </p>
      {found.level === "page" && one.centres[0] && (
        <p class="small">
          <a href={to("/communities", { method: "focused-flow", query: asking.query, seeds: one.centres.slice(0, 3).map((page) => page.page) })}>Cut it off by flow around its first centres</a>
        </p>
      )}
    </div>
  );
}

function Best({ heading, words, pages, part, from }: { heading: string; words: string; pages: readonly Member[]; part: "authority" | "hub"; from: string }) {
  const most = Math.max(1e-300, ...pages.map((page) => page[part]));
  return (
    <div>
      <h3>{heading}</h3>
      <p class="soft small">{words}</p>
      {pages.length === 0 && <p class="empty">None.</p>}
      <ol class="entries">
        {pages.slice(0, FEW).map((page, k) => (
          <li key={page.page}>
            <span class="place">{k + 1}</span>
            <PageName named={page} from={from} />
            <span class="score">
              <span class="unseen">score </span>
              {score(page[part])}
              <Bar share={page[part] / most} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** What the method saw that made it a community. */
function Evidence({ one, from, level }: { one: Community; from: string; level: string }) {
  return (
    <div class="proofs">
      <h3>What speaks for it</h3>
      {one.evidence.map((proof) => (
        <details key={proof.what} class="speaks">
          <summary>
            {clean(proof.what).replace(/^./, (first) => first.toUpperCase())}: {number(proof.total)}
          </summary>
          <ul class="plain">
            {proof.rows.map((row, k) => (
              <li key={k}>
                {row.map((page, at) => (
                  <span key={page.page}>
                    {at > 0 && <span class="soft">{row.length === 2 ? " → " : " + "}</span>}
                    <PageName named={page} from={from} plain />
                  </span>
                ))}
              </li>
            ))}
            {proof.total > proof.rows.length && <li class="soft">and {number(proof.total - proof.rows.length)} more {proof.rows[0]?.length === 1 ? `${level}s` : ""}</li>}
          </ul>
        </details>
      ))}
    </div>
  );
}

function Ties({ asking, told }: { asking: Asking; told: CommunityFound }) {
  const most = Math.max(1, ...told.ties.map((tie) => tie.to + tie.by));
  const other = Number(asking.place.search.get("with") ?? 0);
  if (told.ties.length === 0) return <p class="soft">No link leads to another community, and none comes from one.</p>;
  return (
    <div class="ties" id="ties">
      <h3>Linked with</h3>
      <Wide label="Communities it is linked with">
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
            {told.ties.slice(0, other ? undefined : FEW).map((tie) => (
              <tr key={tie.community} class={tie.community === other ? `chosen ${colour(tie.community)}` : colour(tie.community)}>
                <th scope="row">
                  <Badge topic={tie.community} />{" "}
                  <a href={asking.choose(tie.community)}>
                    <bdi>{labelOf(tie)}</bdi>
                  </a>
                  <Bar share={(tie.to + tie.by) / most} />
                </th>
                <td class="number">{number(tie.to)}</td>
                <td class="number">{number(tie.by)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </div>
  );
}

function Members({ asking, told, path, level }: { asking: Asking; told: CommunityFound; path: string; level: string }) {
  return (
    <div id="members">
      <div class="tools">
        <h3>Its {level}s</h3>
        <Files path={path} params={{ ...asking.params, community: told.community.community }} formats={["csv"]} />
      </div>
      <PageTable
        label={`The ${level}s of the community`}
        level={level}
        rows={told.rows}
        from={asking.from}
        figures={[
          ["centre", (row) => score(row.authority)],
          ["hub", (row) => score(row.hub)],
        ]}
      />
      <Pager place={asking.place} name="members" offset={told.offset} size={SIZE} total={told.total} thing={level} />
    </div>
  );
}

/** Pages that several communities link to, and that are in none. */
export function Meetings({ asking, found }: { asking: Asking; found: CommunitiesFound }) {
  if (found.between.length === 0) return null;
  return (
    <section>
      <h2>Between communities</h2>
      <p class="soft">{count(found.between.length, found.level)} that several communities link to, and that belong to none.</p>
      <ul class="links">
        {found.between.map((row) => (
          <li key={row.page}>
            <PageName named={row} from={asking.from} />
            <span class="anchor">
              {row.communities.map((number_) => (
                <a key={number_} href={asking.choose(number_)} aria-label={`community ${number_}`}>
                  <Badge topic={number_} />{" "}
                </a>
              ))}{" "}
              through{" "}
              {row.through.map((page, k) => (
                <span key={page.page}>
                  {k > 0 && ", "}
                  <a href={to("/page", { url: page.page, from: asking.from })}>
                    <bdi>{called(page)}</bdi>
                  </a>
                </span>
              ))}{" "}
              · linked by {count(row.inlinks, found.level)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
