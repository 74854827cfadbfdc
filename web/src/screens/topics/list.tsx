/** The topics to choose from: a list, or a treemap. */

import type { Topic, TopicSummary, TopicsFound } from "../../ask/shapes";
import { squares } from "../../draw/treemap";
import { Badge, Bar, Choice, colour } from "../../pieces/small";
import { clean, count, share } from "../../pieces/words";
import { changed } from "../../route";
import type { Asking } from "./asking";
import type { Moved } from "./moved";

/** What a topic is called. */
export function labelOf(topic: TopicSummary): string {
  return clean(topic.label) || clean(topic.title) || "(no words)";
}

/** How large and how sure a topic is, as far as its method tells. */
export function tellFacts(topic: TopicSummary, level: string): string[] {
  const facts = topic.facts;
  const sites = facts["sites"];
  const stability = facts["stability"];
  return [
    count(topic.pages, level),
    typeof sites === "number" ? count(sites, "site") : "",
    typeof stability === "number" ? `${share(stability)} stable` : String(stability ?? ""),
    String(facts["note"] ?? ""),
    facts["tightly knit"] ? `tightly knit: ${String(facts["tightly knit"])}` : "",
  ].filter(Boolean);
}

interface Props {
  asking: Asking;
  found: TopicsFound;
  chosen: number;
  moved: Moved | undefined;
}

export function TopicList({ asking, found, chosen, moved }: Props) {
  const view = asking.place.search.get("view") ?? "list";
  const most = Math.max(1, ...found.topics.map((topic) => topic.pages));
  const href = (topic: Topic) => changed(asking.place, { topic: topic.topic === 1 ? null : topic.topic, more: null });
  const largest = [...found.topics].sort((a, b) => b.pages - a.pages);
  const fresh = (topic: Topic) => moved?.of.get(topic.topic)?.before === undefined;
  return (
    <nav class="topics" aria-label="Topics">
      <div class="tools">
        <h2>{count(found.total, "topic")}</h2>
        <Choice place={asking.place} name="view" label="Show the topics as" chosen={view} of={[["list", "List"], ["treemap", "Treemap"]]} />
      </div>
      {view === "treemap" ? (
        <div class="treemap">
          {squares(largest.map((topic) => topic.pages), 100, 72).map((box, k) => {
            const topic = largest[k] as Topic;
            return (
              <a
                key={topic.topic}
                class={colour(topic.topic)}
                href={href(topic)}
                aria-current={topic.topic === chosen ? "true" : undefined}
                title={labelOf(topic)}
                style={{ left: `${box.x}%`, top: `${(100 * box.y) / 72}%`, width: `${box.width}%`, height: `${(100 * box.height) / 72}%` }}
              >
                <b>
                  {topic.topic} {labelOf(topic)}
                </b>
                <span>{count(topic.pages, found.level)}</span>
              </a>
            );
          })}
        </div>
      ) : (
        <ol>
          {found.topics.map((topic) => (
            <li key={topic.topic}>
              <a class={colour(topic.topic)} href={href(topic)} aria-current={topic.topic === chosen ? "true" : undefined}>
                <Badge topic={topic.topic} />
                <span class="label">
                  <bdi>{labelOf(topic)}</bdi>
                  {moved && fresh(topic) && <span class="arrow new">new</span>}
                </span>
                <span class="facts">{tellFacts(topic, found.level).join(" · ")}</span>
                <Bar share={topic.pages / most} />
              </a>
            </li>
          ))}
        </ol>
      )}
      {found.total > found.topics.length && <p class="soft small">and {count(found.total - found.topics.length, "smaller topic")}</p>}
      {moved && moved.gone.length > 0 && (
        <ul class="plain gone">
          {moved.gone.map((topic) => (
            <li key={topic.topic}>
              <span class="arrow gone">gone</span> <bdi>{labelOf(topic)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {found.aside.length > 0 && (
        <details class="aside">
          <summary>{count(found.aside.length, "group")} set aside</summary>
          <ul class="plain">
            {found.aside.map((topic, k) => (
              <li key={k}>
                <b>
                  <bdi>{labelOf(topic)}</bdi>
                </b>{" "}
                <span class="soft">
                  {count(topic.pages, found.level)}: {topic.reason}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  );
}
