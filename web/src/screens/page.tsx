/** Page: what is known of one page, who links to it, and why it has its scores. */

import type { GroupRole, MembershipResponse, PageResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { DrawingFigure } from "../draw/drawingFigure";
import { AsyncContent, EmptyMessage, ProblemMessage } from "../pieces/loading";
import { ExternalLink, UncapturedMark } from "../pieces/pageName";
import { NumberBadge, useDocumentTitle } from "../pieces/controls";
import {
  displayName,
  displayUrl,
  formatCount,
  formatDate,
  formatNumber,
  formatScore,
  languageName,
  stripControlChars,
  textDirection,
  toSentence,
} from "../pieces/format";
import { buildUrl, type Route, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { KnownForTerms, SimilarPages } from "./page/similar";
import { CaptureList, StoredText } from "./page/captures";
import { PageLinkList } from "./page/links";
import { ReplayLink } from "./page/replay";
import { ScoresSection } from "./page/scores";
import { SectionMenu } from "./page/sectionMenu";
import { CommunityAndRegion } from "./page/communityAndRegion";
import { SuggestedLinksSection } from "./page/suggestions";
import { parseGroupsRequest } from "./groups/request";

export function PageScreen({ route, collection }: ScreenProps) {
  const url = route.search.get("url") ?? "";
  const from = route.search.get("from") ?? "";
  const response = useApi<PageResponse>(url ? "page" : null, { url });
  useDocumentTitle(response.data ? displayName(response.data) : "Page");
  if (!url)
    return (
      <section>
        <h1>Page</h1>
        <EmptyMessage>No page is selected. Search for one above.</EmptyMessage>
      </section>
    );
  const query = new URLSearchParams(from).get("query") ?? "";
  if (response.problem)
    return (
      <section>
        <p class="kicker">Page</p>
        <h1>
          <bdi>{displayUrl(url)}</bdi>
        </h1>
        <ProblemMessage
          problem={response.problem}
          retry={response.retry}
          suggestionUrl={(suggestion) => buildUrl("/page", { url: suggestion, from })}
        />
      </section>
    );
  return (
    <AsyncContent response={response} label="the page" placeholderLines={8}>
      {(page) => (
        <div class="page-screen">
          <SectionMenu sections={sectionsOf(from !== "", page.kind, collection)} />
          <div class="page-sections">
            <section id="overview">
              <p class="kicker">{from ? <a href={`/topics?${from}`}>← Topics of {query || "the whole collection"}</a> : "Page"}</p>
              <h1>
                <UncapturedMark kind={page.kind} />
                <bdi>{displayName(page)}</bdi>
              </h1>
              <p class="address">
                <ExternalLink url={page.url} /> <ReplayLink url={page.url} time={page.time} />
              </p>
              <PageFactList page={page} route={route} hasUsage={(collection.counts["sessions"] ?? 0) > 0} />
              {page.opening_text && (
                <p class="opening-text" dir={textDirection(page.opening_text)}>
                  {stripControlChars(page.opening_text).replace(/[^\s.!?]+$/, "…")}
                </p>
              )}
            </section>
            {from && <TopicRoles from={from} url={page.url} defaultMethod={collection.defaults.topics} query={query} />}
            <ScoresSection route={route} url={page.url} query={query} defaultMethod={collection.defaults.rank} from={from} />
            <div class="roles">
              <PageLinkList route={route} url={page.url} direction="in" from={from} total={page.inlinks} />
              <PageLinkList route={route} url={page.url} direction="out" from={from} total={page.outlinks} />
            </div>
            {page.kind === "captured" && <CaptureList url={page.url} />}
            {page.kind === "captured" && <StoredText url={page.url} />}
            <div class="roles">
              <SimilarPages route={route} url={page.url} from={from} defaultMethod={collection.defaults.similar} />
              {(collection.counts["captured"] ?? 0) > 0 && <KnownForTerms url={page.url} />}
            </div>
            <SuggestedLinksSection route={route} url={page.url} from={from} defaultMethod={collection.defaults.suggest} />
            <CommunityAndRegion
              url={page.url}
              from={from}
              method={collection.defaults.communities}
              links={collection.counts["links"] ?? 0}
            />
            <section id="neighbourhood">
              <DrawingFigure
                heading="Neighbourhood"
                path="graph/around"
                params={{ url: page.url }}
                route={route}
                from={from}
                open={buildUrl("/map", { around: page.url })}
              />
            </section>
          </div>
        </div>
      )}
    </AsyncContent>
  );
}

/** The sections of the screen by id. */
function sectionsOf(hasTopics: boolean, kind: string, collection: ScreenProps["collection"]): [string, string][] {
  const captured = kind === "captured";
  const all: [string, string, boolean][] = [
    ["overview", "Overview", true],
    ["topics", "Topics", hasTopics],
    ["scores", "Scores", true],
    ["in", "Linked by", true],
    ["out", "Links to", true],
    ["captures", "Captures", captured],
    ["text", "Text", captured],
    ["similar", "Similar pages", true],
    ["known-for", "Known for", (collection.counts["captured"] ?? 0) > 0],
    ["suggest", "Suggested links", true],
    ["community", "Community", true],
    ["bow-tie-region", "Region of the bow-tie", true],
    ["neighbourhood", "Neighbourhood", true],
  ];
  return all.filter(([, , shown]) => shown).map(([id, label]) => [id, label]);
}

function PageFactList({ page, route, hasUsage }: { page: PageResponse; route: Route; hasUsage: boolean }) {
  return (
    <>
      <ul class="facts dots">
        {page.time === 0 && <li>{page.kind === "uncaptured" ? "linked, not captured" : page.kind}</li>}
        <li>
          <a href={buildUrl("/search", { query: `site:${page.host}` })}>
            <bdi>{page.host}</bdi>
          </a>
        </li>
        {page.language && <li>{languageName(page.language)}</li>}
        {page.time > 0 && <li>captured {formatDate(page.time)}</li>}
        {page.captures > 1 && (
          <li>
            <a href={`${withParams(route, {})}#captures`}>latest of {formatCount(page.captures, "capture")}</a>
          </li>
        )}
        <li>
          <a href={`${withParams(route, { in: null })}#in`}>linked by {formatCount(page.inlinks, "page")}</a>
        </li>
        <li>
          <a href={`${withParams(route, { out: null })}#out`}>links to {formatCount(page.outlinks, "page")}</a>
        </li>
        {hasUsage && (
          <li>
            <a href={buildUrl("/usage", { page: page.url })}>before and after it in sessions</a>
          </li>
        )}
      </ul>
      {page.aliases.length > 0 && (
        <details class="small">
          <summary>{formatCount(page.aliases.length, "other address").replace("addresss", "addresses")}</summary>
          <ul class="plain">
            {page.aliases.map((alias) => (
              <li key={alias.url}>
                <bdi>{stripControlChars(alias.url)}</bdi> <span class="soft">{alias.reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The role of the page in the topics that led here. */
function TopicRoles({ from, url, defaultMethod, query }: { from: string; url: string; defaultMethod: string; query: string }) {
  const search = new URLSearchParams(from);
  const request = parseGroupsRequest("topics", { path: "/topics", search }, defaultMethod);
  const response = useApi<MembershipResponse>(`topics/${request.method}/of`, { ...request.params, url });
  return (
    <section id="topics">
      <h2>Role in the topics of {query || "the whole collection"}</h2>
      <AsyncContent response={response} label="its topics" placeholderLines={2}>
        {(membership) => (
          <>
            {membership.roles.length > 0 && (
              <ul class="plain">
                {membership.roles.map((row) => (
                  <li key={`${row.number} ${row.role}`}>
                    <NumberBadge number={row.number} />{" "}
                    <a href={withParams({ path: "/topics", search }, { topic: row.number })}>
                      <bdi>{stripControlChars(row.label)}</bdi>
                    </a>
                    : {describeRole(row)}
                  </li>
                ))}
              </ul>
            )}
            {membership.set_aside.map((row) => (
              <p key={`${row.number} ${row.role}`} class="soft">
                Set aside, {stripControlChars(row.reason)}: {describeRole(row)}
              </p>
            ))}
            <p class="soft">
              {toSentence(stripControlChars(membership.origin.replace(`${url}: `, "")))}{" "}
              {toSentence(stripControlChars(membership.unassigned_reason))}
            </p>
          </>
        )}
      </AsyncContent>
    </section>
  );
}

function describeRole(row: GroupRole): string {
  const linked =
    row.role === "authority" ? `linked by ${formatCount(row.count, "hub")}` : `links to ${formatCount(row.count, "authority")}`;
  return `${row.role} number ${formatNumber(row.place)}, score ${formatScore(row.score)}, ${linked} on ${formatCount(row.sites, "site")}`;
}
