/** Topics of a query, each with its authorities and hubs. */

import { useMemo } from "preact/hooks";
import { apiUrl } from "../api/client";
import type { TopicDetails, TopicResponse, TopicsResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { DrawingFigure } from "../draw/drawingFigure";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { colourClass, DownloadLinks, LEVELS, LinkTabs, NumberBadge, useDocumentTitle } from "../pieces/controls";
import { displayName, formatCount, formatNumber, formatPercent, stripControlChars, toSentence } from "../pieces/format";
import { PageName } from "../pieces/pageName";
import { buildUrl, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { parseTopicsRequest, type TopicsRequest } from "./topics/params";
import { EvidenceList } from "./topics/evidence";
import { microHubsByPage } from "./topics/microHubs";
import { Members } from "./topics/members";
import { topicLabel } from "./topics/label";
import { describeTopic, TopicList } from "./topics/list";
import { compareRuns, type RunComparison } from "./topics/compareRuns";
import { BaseSetSummary, TopicOptions } from "./topics/options";

const DEFAULT_TOPICS = 20;
const MAX_TOPICS = 100;
const DEFAULT_PAGES = 10;
const MAX_PAGES = 50;

export function TopicsScreen({ route, collection }: ScreenProps) {
  const request = parseTopicsRequest(route, collection.defaults.topics);
  const listing = { topics: Math.min(Math.max(DEFAULT_TOPICS, request.topic), MAX_TOPICS), top: DEFAULT_PAGES };
  const response = useApi<TopicsResponse>(`topics/${request.method}`, { ...request.params, ...listing });
  const previous = useApi<TopicsResponse>(request.previous && `topics/${request.previous.method}`, { ...request.previous?.params, ...listing });
  const runs = response.fresh && previous.fresh && request.previous ? [response.data, previous.data] : [];
  const comparison = useMemo(() => (runs[0] && runs[1] ? compareRuns(runs[0], runs[1]) : undefined), [runs[0], runs[1]]);
  useDocumentTitle(request.query ? `Topics of ${request.query}` : "Topics of the whole collection");
  return (
    <div class="topics-screen">
      <section>
        <p class="kicker">Topics of</p>
        <h1>
          <bdi>{request.query || "the whole collection"}</bdi>
        </h1>
        {!request.query && <LevelTabs request={request} />}
        <details class="base" open={request.hasOptions || request.previous !== null}>
          <summary>Base set and method: {request.method}</summary>
          <TopicOptions request={request} />
        </details>
      </section>
      <AsyncContent response={response} label={request.query ? `the topics of ${request.query}` : "the topics of the whole collection"} placeholderLines={12}>
        {(data) => (
          <>
            <BaseSetSummary data={data} />
            {request.previous && runs[0] && runs[1] && comparison && <RunChanges request={request} current={runs[0]} previous={runs[1]} comparison={comparison} />}
            {data.topics.length === 0 ? (
              <NoTopics request={request} data={data} />
            ) : (
              <>
                <BestResults request={request} data={data} />
                <TopicPanel request={request} data={data} comparison={comparison} />
              </>
            )}
          </>
        )}
      </AsyncContent>
    </div>
  );
}

function LevelTabs({ request }: { request: TopicsRequest }) {
  return (
    <LinkTabs
      route={request.route}
      name="level"
      label="Topics among"
      chosen={request.level}
      tabs={LEVELS}
    />
  );
}

/** Why there is no topic, and what to try: options do not help if no page has the words. */
function NoTopics({ request, data }: { request: TopicsRequest; data: TopicsResponse }) {
  const provenanceNote = String(data.provenance["note"] ?? "");
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
      {toSentence(stripControlChars(data.note || "no topics were found"))} {helps} {provenanceNote && toSentence(stripControlChars(provenanceNote))}
    </EmptyMessage>
  );
}

/** The differences from the previous run. */
function RunChanges({ request, current, previous, comparison }: { request: TopicsRequest; current: TopicsResponse; previous: TopicsResponse; comparison: RunComparison }) {
  const fresh = [...comparison.byTopic.values()].filter((change) => !change.before).length;
  const pages = current.base.pages - previous.base.pages;
  const sign = pages > 0 ? "+" : "−";
  return (
    <p class="run-changes" role="status">
      Compared with {request.previous?.description}: base set {formatNumber(previous.base.pages)} → {formatNumber(current.base.pages)} pages
      {pages !== 0 && ` (${sign}${formatNumber(Math.abs(pages))})`}, topics {previous.total} → {current.total}
      {fresh > 0 && `, ${fresh} new`}
      {comparison.dropped.length > 0 && `, ${comparison.dropped.length} dropped`}. <a href={withParams(request.route, { was: null })}>Stop comparing</a>
    </p>
  );
}

function TopicPanel({ request, data, comparison }: { request: TopicsRequest; data: TopicsResponse; comparison: RunComparison | undefined }) {
  const chosen = data.topics.find((topic) => topic.topic === request.topic) ?? data.topics[0]!;
  const topicNumber = chosen.topic;
  const top = request.more ? MAX_PAGES : DEFAULT_PAGES;
  const detail = useApi<TopicResponse>(topicNumber === 1 && !request.more ? null : `topics/${request.method}/topic`, {
    ...request.params,
    topic: topicNumber,
    top,
  });
  const loaded = detail.fresh ? detail.data?.topic : undefined;
  const topic = loaded && loaded.topic === topicNumber && loaded.label === chosen.label ? loaded : chosen;
  const changes = comparison?.byTopic.get(topicNumber);
  const list = request.route.search.get("list");
  return (
    <div class={request.route.search.get("view") === "treemap" ? "above-all" : "beside"}>
      <TopicList request={request} data={data} chosen={topicNumber} changes={comparison} />
      <section class={`topic ${colourClass(topicNumber)}`} aria-label={`Topic ${topicNumber}`}>
        <h2>
          <NumberBadge topic={topicNumber} /> <bdi>{topicLabel(topic)}</bdi>
        </h2>
        {request.topic !== topicNumber && (
          <p class="run-changes" role="status">
            There is no topic {formatNumber(request.topic)}: there {data.total === 1 ? "is one" : `are ${formatNumber(data.total)}`}. This is topic {topicNumber}.
          </p>
        )}
        <TopicFacts request={request} data={data} topic={topic} />
        {list === "pages" || list === "sites" ? (
          <Members request={request} topic={topicNumber} level={data.level} list={list} />
        ) : (
          <div class="roles">
            <EvidenceList role="authority" entries={topic.authorities} route={request.route} from={request.from} moves={changes?.authorities} dropped={changes?.dropped.authorities} />
            <EvidenceList role="hub" entries={topic.hubs} route={request.route} from={request.from} moves={changes?.hubs} dropped={changes?.dropped.hubs} blocks={microHubsByPage(topic)} />
          </div>
        )}
        {!list && <Subtopics topic={topic} level={data.level} />}
        {!list && <WorthFetching topic={topic} from={request.from} />}
        <p class="tools soft">
          {topic.pages > DEFAULT_PAGES && !list && (
            <a href={withParams(request.route, { more: request.more ? null : "yes" })}>{request.more ? "Fewer pages" : "More pages"}</a>
          )}
          <span>Export all topics:</span>
          <span>
            <DownloadLinks path={`topics/${request.method}`} params={{ ...request.params, topics: 100 }} formats={["csv"]} />
            <a class="file" href={apiUrl(`topics/${request.method}/report`, request.params)} download>
              Report
            </a>
          </span>
        </p>
        <DrawingFigure
          heading="Links of the topic"
          path={`topics/${request.method}/map`}
          params={{ ...request.params, topic: topicNumber }}
          route={request.route}
          from={request.from}
          open={buildUrl("/map", { ...Object.fromEntries(new URLSearchParams(request.from)), topic: topicNumber })}
        />
      </section>
    </div>
  );
}

/** The best search results, whatever their topic. */
function BestResults({ request, data }: { request: TopicsRequest; data: TopicsResponse }) {
  if (data.results.length === 0) return null;
  return (
    <details class="best-results">
      <summary>
        Best results: {data.results.slice(0, 3).map((page) => displayName(page)).join(" · ")}
      </summary>
      <ol>
        {data.results.map((page) => (
          <li key={page.page}>
            <PageName pageRef={page} from={request.from} compact />
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The parts of a topic, where the whole collection is shown. */
function Subtopics({ topic, level }: { topic: TopicDetails; level: string }) {
  if (topic.subtopics.length === 0) return null;
  return (
    <section class="subtopics" aria-label="Sub-topics">
      <h3>Sub-topics</h3>
      <ul>
        {topic.subtopics.map((part) => (
          <li key={`${part.label} ${part.title}`}>
            <bdi>{topicLabel(part)}</bdi> <span class="soft small">{formatCount(part.pages, level)}, such as {stripControlChars(part.title)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Pages that the topic links to and that were not captured. */
function WorthFetching({ topic, from }: { topic: TopicDetails; from: string }) {
  if (topic.uncaptured.length === 0) return null;
  return (
    <details class="uncaptured">
      <summary>Linked, not captured: {formatCount(topic.uncaptured.length, "page")} worth fetching</summary>
      <ol>
        {topic.uncaptured.map((page) => (
          <li key={page.page}>
            <PageName pageRef={page} from={from} compact />
          </li>
        ))}
      </ol>
    </details>
  );
}

function TopicFacts({ request, data, topic }: { request: TopicsRequest; data: TopicsResponse; topic: TopicsResponse["topics"][number] }) {
  const [pages, ...otherFacts] = describeTopic(topic, data.level);
  const shared = data.overlap.filter((row) => row.topic === topic.topic || row.other === topic.topic);
  return (
    <div class="facts">
      <p>
        <a href={`${withParams(request.route, { list: "pages", order: null, at: null })}#members`}>{pages}</a>
        {otherFacts.map((fact) => (
          <span key={fact}>
            {" · "}
            {/ sites?$/.test(fact) ? <a href={`${withParams(request.route, { list: "sites", order: null, at: null })}#members`}>{fact}</a> : fact}
          </span>
        ))}
        {topic.title && topicLabel(topic) !== stripControlChars(topic.title) && (
          <>
            {" "}
            · such as <i>{stripControlChars(topic.title)}</i>
          </>
        )}
      </p>
      {shared.length > 0 && (
        <p class="small">
          Shares pages with{" "}
          {shared.slice(0, 5).map((row) => {
            const other = row.topic === topic.topic ? row.other : row.topic;
            return (
              <a key={other} href={withParams(request.route, { topic: other, at: null })} title={`${formatCount(row.pages, data.level)}, ${formatPercent(row.share)} of the smaller`}>
                <NumberBadge topic={other} /> {formatNumber(row.pages)}{" "}
              </a>
            );
          })}
        </p>
      )}
    </div>
  );
}
