/** The topics to choose from: a list, or a treemap. */

import type { Topic, TopicSummary, TopicsFound } from "../../ask/shapes";
import { sentence } from "../../pieces/answered";
import { Badge, Bar, Choice, colour } from "../../pieces/small";
import { clean, count, share } from "../../pieces/words";
import { changed } from "../../route";
import type { Asking } from "./asking";
import { labelOf } from "./label";
import type { Moved } from "./moved";
import { Treemap } from "./treemap";

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

/** Why a group was set aside; a reason that says itself how many pages it has is the whole sentence. */
function asideWords(topic: TopicSummary & { reason: string }, level: string): string {
  const pages = count(topic.pages, level);
  return topic.reason.startsWith(pages) ? sentence(topic.reason) : sentence(`${pages}: ${topic.reason}`);
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
  const href = (topic: Topic) => changed(asking.place, { topic: topic.topic === 1 ? null : topic.topic, more: null, at: null });
  const fresh = (topic: Topic) => moved?.of.get(topic.topic)?.before === undefined;
  return (
    <nav class="topics" aria-label="Topics">
      <div class="tools">
        <h2>{count(found.total, "topic")}</h2>
        <Choice place={asking.place} name="view" label="Show the topics as" chosen={view} of={[["list", "List"], ["treemap", "Treemap"]]} />
      </div>
      <p class="soft small">{view === "treemap" ? `As large as their ${found.level}s are many.` : `The strongest first; bars show their ${found.level}s.`}</p>
      {view === "treemap" ? (
        <Treemap found={found} chosen={chosen} href={href} />
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
                {clean(topic.label || topic.title) && (
                  <b>
                    <bdi>{labelOf(topic)}</bdi>{" "}
                  </b>
                )}
                <span class="soft">{asideWords(topic, found.level)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  );
}
