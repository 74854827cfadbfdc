/** Comparison of two runs: matching topics, and changes of rank of their pages. */

import type { GroupDetails, LeadingPage, TopicsResponse } from "../../api/schemas";

export type RankChange = "new" | "same" | number;

/** A topic and its match in the previous run; `dropped` are pages no longer listed. */
export interface TopicChange {
  before: GroupDetails | undefined;
  authorities: ReadonlyMap<string, RankChange>;
  hubs: ReadonlyMap<string, RankChange>;
  dropped: { authorities: LeadingPage[]; hubs: LeadingPage[] };
}

export interface RunComparison {
  byTopic: ReadonlyMap<number, TopicChange>;
  dropped: GroupDetails[];
}

const MIN_SIMILARITY = 0.2;

/** Compare two runs by the pages that they list. */
export function compareRuns(current: TopicsResponse, previous: TopicsResponse): RunComparison {
  const partner = matchTopics(current.topics, previous.topics);
  const byTopic = new Map<number, TopicChange>();
  for (const topic of current.topics) {
    const before = partner.get(topic.number);
    byTopic.set(topic.number, {
      before,
      authorities: rankChanges(topic.authorities, before?.authorities ?? []),
      hubs: rankChanges(topic.hubs, before?.hubs ?? []),
      dropped: {
        authorities: droppedEntries(before?.authorities ?? [], topic.authorities),
        hubs: droppedEntries(before?.hubs ?? [], topic.hubs),
      },
    });
  }
  const kept = new Set([...partner.values()].map((topic) => topic.number));
  return { byTopic, dropped: previous.topics.filter((topic) => !kept.has(topic.number)) };
}

/** Greedy matching of topics by the overlap of their listed pages, most similar pairs first. */
function matchTopics(current: readonly GroupDetails[], previous: readonly GroupDetails[]): Map<number, GroupDetails> {
  const pairs = current.flatMap((topic) => previous.map((other) => ({ topic, other, similarity: overlapCoefficient(topic, other) })));
  pairs.sort((a, b) => b.similarity - a.similarity || a.topic.number - b.topic.number || a.other.number - b.other.number);
  const matches = new Map<number, GroupDetails>();
  const taken = new Set<number>();
  for (const { topic, other, similarity } of pairs) {
    if (similarity < MIN_SIMILARITY || matches.has(topic.number) || taken.has(other.number)) continue;
    matches.set(topic.number, other);
    taken.add(other.number);
  }
  return matches;
}

function overlapCoefficient(topic: GroupDetails, other: GroupDetails): number {
  const [a, b] = [listedPages(topic), listedPages(other)];
  const both = [...a].filter((page) => b.has(page)).length;
  return both / Math.max(1, Math.min(a.size, b.size));
}

function listedPages(topic: GroupDetails): Set<string> {
  return new Set([...topic.authorities, ...topic.hubs].map((entry) => entry.url));
}

function rankChanges(current: readonly LeadingPage[], previous: readonly LeadingPage[]): Map<string, RankChange> {
  const before = new Map(previous.map((entry) => [entry.url, entry.place]));
  return new Map(
    current.map((entry) => {
      const place = before.get(entry.url);
      const move: RankChange = place === undefined ? "new" : place === entry.place ? "same" : place - entry.place;
      return [entry.url, move];
    }),
  );
}

function droppedEntries(previous: readonly LeadingPage[], current: readonly LeadingPage[]): LeadingPage[] {
  const listed = new Set(current.map((entry) => entry.url));
  return previous.filter((entry) => !listed.has(entry.url));
}
