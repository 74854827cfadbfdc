/** Topics of a query, each with its authorities and hubs. */

import { useMemo, useState } from "preact/hooks";
import { apiUrl } from "../api/client";
import type { GroupDetails, GroupResponse, TopicsResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { DrawingFigure } from "../draw/drawingFigure";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { colourClass, DownloadLinks, LEVELS, LinkTabs, NumberBadge, useDocumentTitle } from "../pieces/controls";
import { displayName, formatCount, formatNumber, formatPercent, spellLanguages, stripControlChars, toSentence } from "../pieces/format";
import { PageName } from "../pieces/pageName";
import { ScreenHead } from "../pieces/screenHead";
import { buildUrl, navigate, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { TagFilter } from "../pieces/tagFilter";
import { describeGroup, groupLabel } from "./groups/describe";
import { AuthoritiesAndHubs } from "./groups/evidence";
import { GroupList } from "./groups/list";
import { GroupPages, GroupSites } from "./groups/members";
import { BaseSetSummary, GroupOptions } from "./groups/options";
import { GROUP_PARAMS, type GroupsRequest, parseGroupsRequest } from "./groups/request";
import { CompareWith, MethodComparison } from "./topics/compareMethods";
import { compareRuns, type RunComparison } from "./topics/compareRuns";
import { EditTopic } from "./topics/editTopic";

const DEFAULT_TOPICS = 20;
const MAX_TOPICS = 100;
const DEFAULT_PAGES = 10;
const MAX_PAGES = 50;
const [MAP_NODES, MAP_ASPECT] = [240, 0.8];

export function TopicsScreen({ route, collection }: ScreenProps) {
  const request = parseGroupsRequest("topics", route, collection.defaults.topics);
  const listing = { topics: Math.min(Math.max(DEFAULT_TOPICS, request.number), MAX_TOPICS), top: DEFAULT_PAGES, snippets: "first" };
  const response = useApi<TopicsResponse>(`topics/${request.method}`, { ...request.params, ...listing });
  const previous = useApi<TopicsResponse>(request.previous && `topics/${request.previous.method}`, {
    ...request.previous?.params,
    ...listing,
  });
  const runs = response.fresh && previous.fresh && request.previous ? [response.data, previous.data] : [];
  const comparison = useMemo(() => (runs[0] && runs[1] ? compareRuns(runs[0], runs[1]) : undefined), [runs[0], runs[1]]);
  useDocumentTitle(request.query ? `Topics of ${request.query}` : "Topics of the whole collection");
  const other = route.search.get("compare") ?? "";
  return (
    <div class="topics-screen">
      <ScreenHead kicker="Topics of" heading={request.query || "the whole collection"}>
        {!request.query && <LinkTabs route={route} name="level" label="Topics among" chosen={request.level} tabs={LEVELS} />}
        <CompareWith request={request} />
        <TagFilter route={route} facets={collection.facets} resetParams={GROUP_PARAMS} />
      </ScreenHead>
      <AsyncContent
        response={response}
        label={request.query ? `the topics of ${request.query}` : "the topics of the whole collection"}
        placeholderLines={12}
      >
        {(data) => (
          <>
            <div class="summaries">
              <TopicsSummary data={data} />
              <BaseOptions request={request} />
              <BestResults request={request} data={data} />
              <AlsoFound request={request} data={data} number={0} />
            </div>
            {request.previous && runs[0] && runs[1] && comparison && (
              <RunChanges request={request} current={runs[0]} previous={runs[1]} comparison={comparison} />
            )}
            {other && other !== request.method && <MethodComparison request={request} other={other} />}
            {data.topics.length === 0 ? (
              <NoTopics request={request} data={data} />
            ) : (
              <TopicPanel request={request} data={data} comparison={comparison} />
            )}
          </>
        )}
      </AsyncContent>
      {response.data === undefined && <BaseOptions request={request} />}
    </div>
  );
}

function BaseOptions({ request }: { request: GroupsRequest }) {
  return (
    <details class="base" open={request.hasOptions || request.previous !== null}>
      <summary>Base set and method: {request.method}</summary>
      <GroupOptions request={request} />
    </details>
  );
}

/** How the base set was built. */
function TopicsSummary({ data }: { data: TopicsResponse }) {
  const { base, trace } = data;
  const pages = <b>{formatCount(base.pages, data.level)}</b>;
  const heading = data.query ? (
    <>
      root <b>{formatNumber(base.root)}</b>
      {base.found > base.root && <> of {formatNumber(base.found)} found</>} → base set {pages}
    </>
  ) : (
    <>base set: all {pages}</>
  );
  return (
    <BaseSetSummary data={data} heading={heading}>
      <ul class="plain">
        {base.notes
          .filter((line) => !/ links? leads? to another .*: nothing left out$/.test(line))
          .map((line) => (
            <li key={line}>{line}</li>
          ))}
        <li class="soft">
          {trace.converged ? "converged" : "not converged"} after {formatCount(trace.iterations, "iteration")}: {trace.stopped}
        </li>
      </ul>
    </BaseSetSummary>
  );
}

/** Why there is no topic, and what to try: options do not help if no page has the words. */
function NoTopics({ request, data }: { request: GroupsRequest; data: TopicsResponse }) {
  const notes = data.notes.map((note) => toSentence(spellLanguages(stripControlChars(note))));
  const helps =
    request.query && data.base.pages === 0 ? (
      "Try fewer or other words."
    ) : request.query ? (
      <>
        Try other words, a larger root set, or <a href={buildUrl("/search", { query: request.query })}>look at the search results</a>.
      </>
    ) : null;
  return (
    <EmptyMessage>
      {notes.at(-1)} {helps} {notes.slice(0, -1).join(" ")}
    </EmptyMessage>
  );
}

/** The differences from the previous run. */
function RunChanges({
  request,
  current,
  previous,
  comparison,
}: {
  request: GroupsRequest;
  current: TopicsResponse;
  previous: TopicsResponse;
  comparison: RunComparison;
}) {
  const fresh = [...comparison.byTopic.values()].filter((change) => !change.before).length;
  const pages = current.base.pages - previous.base.pages;
  const sign = pages > 0 ? "+" : "−";
  return (
    <p class="run-changes" role="status">
      Compared with {request.previous?.description}: base set {formatNumber(previous.base.pages)} → {formatNumber(current.base.pages)} pages
      {pages !== 0 && ` (${sign}${formatNumber(Math.abs(pages))})`}, topics {previous.total} → {current.total}
      {fresh > 0 && `, ${fresh} new`}
      {comparison.dropped.length > 0 && `, ${comparison.dropped.length} dropped`}.{" "}
      <a href={withParams(request.route, { was: null })}>Stop comparing</a>
    </p>
  );
}

function TopicPanel({
  request,
  data,
  comparison,
}: {
  request: GroupsRequest;
  data: TopicsResponse;
  comparison: RunComparison | undefined;
}) {
  const chosen = data.topics.find((topic) => topic.number === request.number) ?? data.topics[0]!;
  const { number } = chosen;
  const { route } = request;
  const more = route.search.get("more") === "yes";
  const detail = useApi<GroupResponse>(number === 1 && !more ? null : `topics/${request.method}/group`, {
    ...request.params,
    number,
    top: more ? MAX_PAGES : DEFAULT_PAGES,
  });
  const loaded = detail.fresh ? detail.data?.group : undefined;
  const topic = loaded?.number === number && loaded.label === chosen.label ? loaded : chosen;
  const changes = comparison?.byTopic.get(number);
  const list = route.search.get("list");
  const [pointed, setPointed] = useState<string | null>(null);
  return (
    <div class="topics-layout">
      <GroupList request={request} data={data} groups={data.topics} chosen={number} changes={comparison} tools={null} />
      <div class="topics-map">
        <TopicsMap request={request} number={number} pointed={pointed} onPoint={setPointed} />
      </div>
      <section class={`topic ${colourClass(number)}`} aria-label={`Topic ${number}`}>
        <h2>
          <NumberBadge number={number} /> <bdi>{groupLabel(topic)}</bdi>
        </h2>
        {request.number !== number && (
          <p class="run-changes" role="status">
            There is no topic {formatNumber(request.number)}: there {data.total === 1 ? "is one" : `are ${formatNumber(data.total)}`}. This
            is topic {number}.
          </p>
        )}
        <TopicFacts request={request} data={data} topic={topic} />
        <EditTopic key={`${number} ${topic.label}`} request={request} topics={data.topics} topic={topic} />
        {list === "pages" || list === "sites" ? (
          <section id="members">
            <p class="tools">
              <a href={withParams(route, { list: null, order: null, at: null })}>← Best authorities and hubs</a>
            </p>
            {list === "pages" ? (
              <GroupPages request={request} number={number} level={data.level} offsetName="at" size={MAX_PAGES} />
            ) : (
              <GroupSites request={request} number={number} level={data.level} />
            )}
          </section>
        ) : (
          <AuthoritiesAndHubs request={request} group={topic} changes={changes} pointed={pointed} onPoint={setPointed} />
        )}
        {!list && <AlsoFound request={request} data={data} number={number} />}
        {!list && <Subtopics topic={topic} level={data.level} />}
        {!list && <WorthFetching topic={topic} from={request.from} />}
        <p class="tools soft">
          {topic.pages > DEFAULT_PAGES && !list && (
            <a href={withParams(route, { more: more ? null : "yes" })}>{more ? "Fewer pages" : "More pages"}</a>
          )}
          <span>Export all topics:</span>
          <span>
            <DownloadLinks path={`topics/${request.method}`} params={{ ...request.params, topics: 100 }} formats={["csv"]} />
            <a class="file" href={apiUrl(`topics/${request.method}/report`, request.params)} download>
              Report
            </a>
          </span>
        </p>
      </section>
    </div>
  );
}

interface TopicsMapProps {
  request: GroupsRequest;
  number: number;
  pointed: string | null;
  onPoint: (url: string | null) => void;
}

/** All topics as regions, of which the chosen one stands out, or the links of that topic alone. */
function TopicsMap({ request, number, pointed, onPoint }: TopicsMapProps) {
  const { route } = request;
  const alone = route.search.get("map") === "one";
  return (
    <DrawingFigure
      tools={
        <LinkTabs
          route={route}
          name="map"
          label="Map of"
          chosen={alone ? "one" : "all"}
          tabs={[
            ["all", "All topics"],
            ["one", `Topic ${number}`],
          ]}
        />
      }
      heading={alone ? "Links of the topic" : "Map"}
      path={`topics/${request.method}/map`}
      params={{ ...request.params, number: alone ? number : 0, nodes: MAP_NODES, aspect: MAP_ASPECT }}
      route={route}
      from={request.from}
      region={alone ? "" : String(number)}
      pointed={pointed}
      onPoint={onPoint}
      onRegion={(group) => navigate(request.groupUrl(Number(group)))}
      open={buildUrl("/map", { ...Object.fromEntries(new URLSearchParams(request.from)), topic: alone ? number : 0 })}
    />
  );
}

/** The best search results, whatever their topic; in view where the topics tell little. */
function BestResults({ request, data }: { request: GroupsRequest; data: TopicsResponse }) {
  if (data.results.length === 0) return null;
  return (
    <details class="best-results" open={data.results_first}>
      <summary>
        Best results:{" "}
        {data.results
          .slice(0, 3)
          .map((page) => displayName(page))
          .join(" · ")}
      </summary>
      <ol>
        {data.results.map((page) => (
          <li key={page.url}>
            <PageName pageRef={page} from={request.from} compact /> {page.group > 0 && <span class="soft small">topic {page.group}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The next search results of a topic that are in none of its lists; of topic 0, those of no topic. */
function AlsoFound({ request, data, number }: { request: GroupsRequest; data: TopicsResponse; number: number }) {
  const pages = data.also_found.filter((page) => page.group === number);
  if (pages.length === 0) return null;
  return (
    <details class="also-found">
      <summary>
        {number === 0 ? "Other results" : "Also found"}: {formatNumber(pages.length)}
      </summary>
      <ul class="plain">
        {pages.map((page) => (
          <li key={page.url}>
            <PageName pageRef={page} from={request.from} compact />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The parts of a topic, where the whole collection is shown. */
function Subtopics({ topic, level }: { topic: GroupDetails; level: string }) {
  if (topic.subgroups.length === 0) return null;
  return (
    <section class="subgroups" aria-label="Sub-topics">
      <h3>Sub-topics</h3>
      <ul>
        {topic.subgroups.map((part) => (
          <li key={`${part.label} ${part.title}`}>
            <bdi>{groupLabel(part)}</bdi>{" "}
            <span class="soft small">
              {formatCount(part.pages, level)}, such as {stripControlChars(part.title)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Pages that the topic links to and that were not captured. */
function WorthFetching({ topic, from }: { topic: GroupDetails; from: string }) {
  if (topic.uncaptured.length === 0) return null;
  return (
    <details class="uncaptured">
      <summary>Linked, not captured: {formatCount(topic.uncaptured.length, "page")} worth fetching</summary>
      <ol>
        {topic.uncaptured.map((page) => (
          <li key={page.url}>
            <PageName pageRef={page} from={from} compact />
          </li>
        ))}
      </ol>
    </details>
  );
}

function TopicFacts({ request, data, topic }: { request: GroupsRequest; data: TopicsResponse; topic: GroupDetails }) {
  const [pages, ...otherFacts] = describeGroup(topic, data.level);
  const shared = data.overlap.filter((row) => row.number === topic.number || row.other === topic.number);
  return (
    <div class="facts">
      <p>
        <a href={`${withParams(request.route, { list: "pages", order: null, at: null })}#members`}>{pages}</a>
        {otherFacts.map((fact) => (
          <span key={fact}>
            {" · "}
            {/^[\d,]+ sites?$/.test(fact) ? (
              <a href={`${withParams(request.route, { list: "sites", order: null, at: null })}#members`}>{fact}</a>
            ) : (
              fact
            )}
          </span>
        ))}
        {topic.title && groupLabel(topic) !== stripControlChars(topic.title) && (
          <>
            {" "}
            · such as <i>{stripControlChars(topic.title)}</i>
          </>
        )}
      </p>
      {shared.length > 0 && (
        <p class="small">
          Shares pages with{" "}
          {shared.slice(0, 5).map((row, k) => {
            const other = row.number === topic.number ? row.other : row.number;
            return (
              <span key={other}>
                {k > 0 && ", "}
                <a href={request.groupUrl(other)} aria-label={`topic ${other}`}>
                  <NumberBadge number={other} />
                </a>{" "}
                ({formatCount(row.pages, data.level)}, {formatPercent(row.share)} of the smaller)
              </span>
            );
          })}
        </p>
      )}
    </div>
  );
}
