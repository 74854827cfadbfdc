/** Comparison of two runs: matching topics, and changes of rank of their pages. */

import type { TopicDetails, TopicEvidence, TopicsResponse } from "../../api/schemas";

export type RankChange = "new" | "same" | number;

/** A topic and its match in the previous run; `dropped` are pages no longer listed. */
export interface TopicChange {
  before: TopicDetails | undefined;
  authorities: ReadonlyMap<string, RankChange>;
  hubs: ReadonlyMap<string, RankChange>;
  dropped: { authorities: TopicEvidence[]; hubs: TopicEvidence[] };
}

export interface RunComparison {
  byTopic: ReadonlyMap<number, TopicChange>;
  dropped: TopicDetails[];
}

const MIN_SIMILARITY = 0.2;

/** Compare two runs by the pages that they list. */
export function compareRuns(current: TopicsResponse, previous: TopicsResponse): RunComparison {
  const partner = matchTopics(current.topics, previous.topics);
  const byTopic = new Map<number, TopicChange>();
  for (const topic of current.topics) {
    const before = partner.get(topic.topic);
    byTopic.set(topic.topic, {
      before,
      authorities: rankChanges(topic.authorities, before?.authorities ?? []),
      hubs: rankChanges(topic.hubs, before?.hubs ?? []),
      dropped: {
        authorities: droppedEntries(before?.authorities ?? [], topic.authorities),
        hubs: droppedEntries(before?.hubs ?? [], topic.hubs),
      },
    });
  }
  const kept = new Set([...partner.values()].map((topic) => topic.topic));
  return { byTopic, dropped: previous.topics.filter((topic) => !kept.has(topic.topic)) };
}

/** Greedy matching of topics by the overlap of their listed pages, most similar pairs first. */
function matchTopics(current: readonly TopicDetails[], previous: readonly TopicDetails[]): Map<number, TopicDetails> {
  const pairs = current.flatMap((topic) => previous.map((other) => ({ topic, other, similarity: overlapCoefficient(topic, other) })));
  pairs.sort((a, b) => b.similarity - a.similarity || a.topic.topic - b.topic.topic || a.other.topic - b.other.topic);
  const matches = new Map<number, TopicDetails>();
  const taken = new Set<number>();
  for (const { topic, other, similarity } of pairs) {
    if (similarity < MIN_SIMILARITY || matches.has(topic.topic) || taken.has(other.topic)) continue;
    matches.set(topic.topic, other);
    taken.add(other.topic);
  }
  return matches;
}

function overlapCoefficient(topic: TopicDetails, other: TopicDetails): number {
  const [a, b] = [listedPages(topic), listedPages(other)];
  const both = [...a].filter((page) => b.has(page)).length;
  return both / Math.max(1, Math.min(a.size, b.size));
}

function listedPages(topic: TopicDetails): Set<string> {
  return new Set([...topic.authorities, ...topic.hubs].map((entry) => entry.page));
}

function rankChanges(current: readonly TopicEvidence[], previous: readonly TopicEvidence[]): Map<string, RankChange> {
  const before = new Map(previous.map((entry) => [entry.page, entry.place]));
  return new Map(
    current.map((entry) => {
      const place = before.get(entry.page);
      const move: RankChange = place === undefined ? "new" : place === entry.place ? "same" : place - entry.place;
      return [entry.page, move];
    }),
  );
}

function droppedEntries(previous: readonly TopicEvidence[], current: readonly TopicEvidence[]): TopicEvidence[] {
  const listed = new Set(current.map((entry) => entry.page));
  return previous.filter((entry) => !listed.has(entry.page));
}
