/** Page: what is known of one page, who links to it, and why it has its scores. */

import type { InTopic, PageFacts, TopicsOfPage } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { DrawingFigure } from "../draw/figure";
import { Answered, Empty, Failed, sentence } from "../pieces/answered";
import { Mark, Outside } from "../pieces/names";
import { Badge, useTitle } from "../pieces/small";
import { bare, called, clean, count, day, direction, number, score } from "../pieces/words";
import { type Place, changed, to } from "../route";
import type { ScreenProps } from "../shell";
import { KnownWords, SimilarPages } from "./page/alike";
import { LinkTable } from "./page/links";
import { Scores } from "./page/scores";
import { Standing } from "./page/standing";
import { Suggestions } from "./page/suggestions";
import { asking } from "./topics/asking";

export function PageScreen({ place, facts }: ScreenProps) {
  const url = place.search.get("url") ?? "";
  const from = place.search.get("from") ?? "";
  const asked = useAsk<PageFacts>(url ? "page" : null, { url });
  useTitle(asked.data ? called(asked.data) : "Page");
  if (!url)
    return (
      <section>
        <h1>Page</h1>
        <Empty>No page was named. Search for one above.</Empty>
      </section>
    );
  const query = new URLSearchParams(from).get("query") ?? "";
  if (asked.problem)
    return (
      <section>
        <p class="above">Page</p>
        <h1>
          <bdi>{bare(url)}</bdi>
        </h1>
        <Failed problem={asked.problem} again={asked.again} place={(near) => to("/page", { url: near, from })} />
      </section>
    );
  return (
    <Answered asked={asked} what="the page" lines={8}>
      {(page) => (
        <div class="page-screen">
          <section>
            <p class="above">
              {from ? <a href={`/topics?${from}`}>← Topics of {query || "everything"}</a> : "Page"}
            </p>
            <h1>
              <Mark kind={page.kind} />
              <bdi>{called(page)}</bdi>
            </h1>
            <p class="address">
              <Outside url={page.page} />
            </p>
            <Facts page={page} place={place} />
            {page.beginning && (
              <p class="beginning" dir={direction(page.beginning)}>
                {clean(page.beginning).replace(/[^\s.!?]+$/, "…")}
              </p>
            )}
          </section>
          {from && <InTopics from={from} url={page.page} usual={facts.defaults.topics} query={query} />}
          <Scores place={place} url={page.page} query={query} usual={facts.defaults.rank} from={from} />
          <div class="roles">
            <LinkTable place={place} url={page.page} direction="in" from={from} total={page.inlinks} />
            <LinkTable place={place} url={page.page} direction="out" from={from} total={page.outlinks} />
          </div>
          <div class="roles">
            <SimilarPages place={place} url={page.page} from={from} usual={facts.defaults.similar} />
            {(facts.counts["fetched"] ?? 0) > 0 && <KnownWords url={page.page} />}
          </div>
          <Suggestions place={place} url={page.page} from={from} usual={facts.defaults.suggest} />
          <Standing url={page.page} from={from} method={facts.defaults.communities} links={facts.counts["links"] ?? 0} />
          <section>
            <DrawingFigure
              heading="Around it"
              path="graph/around"
              params={{ url: page.page }}
              place={place}
              from={from}
              open={to("/map", { around: page.page })}
            />
          </section>
        </div>
      )}
    </Answered>
  );
}

function Facts({ page, place }: { page: PageFacts; place: Place }) {
  return (
    <>
      <ul class="facts dots">
        <li>{page.kind === "seen" ? "only seen in links, not fetched" : page.kind}</li>
        <li>
          <a href={to("/search", { query: `site:${page.host}` })}>
            <bdi>{page.host}</bdi>
          </a>
        </li>
        {page.language && <li>{page.language}</li>}
        {page.time > 0 && <li>captured {day(page.time)}</li>}
        {page.captures > 1 && <li>{count(page.captures, "capture")}, the latest is shown</li>}
        <li>
          <a href={`${changed(place, { in: null })}#in`}>linked by {count(page.inlinks, "page")}</a>
        </li>
        <li>
          <a href={`${changed(place, { out: null })}#out`}>links to {count(page.outlinks, "page")}</a>
        </li>
      </ul>
      {page.aliases.length > 0 && (
        <details class="small">
          <summary>{count(page.aliases.length, "other address").replace("addresss", "addresses")}</summary>
          <ul class="plain">
            {page.aliases.map((alias) => (
              <li key={alias.url}>
                <bdi>{clean(alias.url)}</bdi> <span class="soft">{alias.reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** What the page is in the topics that led here. */
function InTopics({ from, url, usual, query }: { from: string; url: string; usual: string; query: string }) {
  const search = new URLSearchParams(from);
  const ask = asking({ path: "/topics", search }, usual);
  const asked = useAsk<TopicsOfPage>(`topics/${ask.method}/of`, { ...ask.params, url });
  return (
    <section>
      <h2>In the topics of {query || "everything"}</h2>
      <Answered asked={asked} what="its topics" lines={2}>
        {(told) => (
          <>
            {told.rows.length > 0 && (
              <ul class="plain">
                {told.rows.map((row) => (
                  <li key={`${row.topic} ${row.role}`}>
                    <Badge topic={row.topic} />{" "}
                    <a href={changed({ path: "/topics", search }, { topic: row.topic })}>
                      <bdi>{clean(row.label)}</bdi>
                    </a>
                    : {roleOf(row)}
                  </li>
                ))}
              </ul>
            )}
            {told.aside.map((row) => (
              <p key={`${row.topic} ${row.role}`} class="soft">
                Set aside, {clean(row.reason)}: {roleOf(row)}
              </p>
            ))}
            <p class="soft">
              {sentence(clean(told.origin.replace(`${url}: `, "")))} {sentence(clean(told.alone))}
            </p>
          </>
        )}
      </Answered>
    </section>
  );
}

function roleOf(row: InTopic): string {
  const linked = row.role === "authority" ? `linked by ${count(row.count, "hub")}` : `links to ${count(row.count, "authority")}`;
  return `${row.role} number ${number(row.place)}, score ${score(row.score)}, ${linked} on ${count(row.sites, "site")}`;
}
