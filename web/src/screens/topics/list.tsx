/** The topics as a list or a treemap. */

import type { TopicDetails, TopicsResponse, TopicSummary } from "../../api/schemas";
import { Bar, colourClass, LinkTabs, NumberBadge } from "../../pieces/controls";
import { formatCount, formatPercent, stripControlChars, toSentence } from "../../pieces/format";
import { withParams } from "../../route";
import type { TopicsRequest } from "./params";
import { topicLabel } from "./label";
import type { RunComparison } from "./compareRuns";
import { Treemap } from "./treemap";

/** Size and stability of a topic, as far as the method reports them. */
export function describeTopic(topic: TopicSummary, level: string): string[] {
  const facts = topic.facts;
  const sites = facts["sites"];
  const stability = facts["stability"];
  return [
    formatCount(topic.pages, level),
    typeof sites === "number" ? formatCount(sites, "site") : "",
    typeof stability === "number" ? `${formatPercent(stability)} stable` : String(stability ?? ""),
    String(facts["note"] ?? ""),
    facts["tightly knit"] ? `tightly knit: ${String(facts["tightly knit"])}` : "",
  ].filter(Boolean);
}

/** Why a group was set aside; the size is not repeated if the reason contains it. */
function describeSetAside(topic: TopicSummary & { reason: string }, level: string): string {
  const pages = formatCount(topic.pages, level);
  return topic.reason.startsWith(pages) ? toSentence(topic.reason) : toSentence(`${pages}: ${topic.reason}`);
}

interface Props {
  request: TopicsRequest;
  data: TopicsResponse;
  chosen: number;
  changes: RunComparison | undefined;
}

export function TopicList({ request, data, chosen, changes }: Props) {
  const view = request.route.search.get("view") ?? "list";
  const maxPages = Math.max(1, ...data.topics.map((topic) => topic.pages));
  const href = (topic: TopicDetails) => withParams(request.route, { topic: topic.topic === 1 ? null : topic.topic, more: null, at: null });
  const isNew = (topic: TopicDetails) => changes?.byTopic.get(topic.topic)?.before === undefined;
  return (
    <nav class="topics" aria-label="Topics">
      <div class="tools">
        <h2>{formatCount(data.total, "topic")}</h2>
        <LinkTabs route={request.route} name="view" label="Show the topics as" chosen={view} tabs={[["list", "List"], ["treemap", "Treemap"]]} />
      </div>
      <p class="soft small">{view === "treemap" ? `Areas show the number of ${data.level}s.` : `Strongest first; bars show the number of ${data.level}s.`}</p>
      {view === "treemap" ? (
        <Treemap data={data} chosen={chosen} href={href} />
      ) : (
        <ol>
          {data.topics.map((topic) => (
            <li key={topic.topic}>
              <a class={colourClass(topic.topic)} href={href(topic)} aria-current={topic.topic === chosen ? "true" : undefined}>
                <NumberBadge topic={topic.topic} />
                <span class="label">
                  <bdi>{topicLabel(topic)}</bdi>
                  {changes && isNew(topic) && <span class="arrow new">new</span>}
                </span>
                <span class="facts">{describeTopic(topic, data.level).join(" · ")}</span>
                <Bar share={topic.pages / maxPages} />
              </a>
            </li>
          ))}
        </ol>
      )}
      {data.total > data.topics.length && <p class="soft small">and {formatCount(data.total - data.topics.length, "smaller topic")}</p>}
      {changes && changes.dropped.length > 0 && (
        <ul class="plain dropped">
          {changes.dropped.map((topic) => (
            <li key={topic.topic}>
              <span class="arrow dropped">dropped</span> <bdi>{topicLabel(topic)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {data.set_aside.length > 0 && (
        <details class="set-aside">
          <summary>{formatCount(data.set_aside.length, "group")} set aside</summary>
          <ul class="plain">
            {data.set_aside.map((topic, k) => (
              <li key={k}>
                {stripControlChars(topic.label || topic.title) && (
                  <b>
                    <bdi>{topicLabel(topic)}</bdi>{" "}
                  </b>
                )}
                <span class="soft">{describeSetAside(topic, data.level)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  );
}
