/** What moved between two runs: topics that belong together, and places of their pages. */

import type { Evidence, Topic, TopicsFound } from "../../ask/shapes";

export type Move = "new" | "same" | number;

/** A topic of this run and the topic it was before; `gone` are pages that are listed no more. */
export interface Moves {
  before: Topic | undefined;
  authorities: ReadonlyMap<string, Move>;
  hubs: ReadonlyMap<string, Move>;
  gone: { authorities: Evidence[]; hubs: Evidence[] };
}

export interface Moved {
  of: ReadonlyMap<number, Moves>;
  gone: Topic[];
}

const ALIKE = 0.2;

/** Compare two runs by the pages that they list. */
export function moved(now: TopicsFound, was: TopicsFound): Moved {
  const partner = matched(now.topics, was.topics);
  const of = new Map<number, Moves>();
  for (const topic of now.topics) {
    const before = partner.get(topic.topic);
    of.set(topic.topic, {
      before,
      authorities: places(topic.authorities, before?.authorities ?? []),
      hubs: places(topic.hubs, before?.hubs ?? []),
      gone: {
        authorities: missing(before?.authorities ?? [], topic.authorities),
        hubs: missing(before?.hubs ?? [], topic.hubs),
      },
    });
  }
  const kept = new Set([...partner.values()].map((topic) => topic.topic));
  return { of, gone: was.topics.filter((topic) => !kept.has(topic.topic)) };
}

/** Pairs of topics with most listed pages in common, the most alike first; each is in one pair. */
function matched(now: readonly Topic[], was: readonly Topic[]): Map<number, Topic> {
  const pairs = now.flatMap((one) => was.map((other) => ({ one, other, alike: alike(one, other) })));
  pairs.sort((a, b) => b.alike - a.alike || a.one.topic - b.one.topic || a.other.topic - b.other.topic);
  const found = new Map<number, Topic>();
  const taken = new Set<number>();
  for (const { one, other, alike } of pairs) {
    if (alike < ALIKE || found.has(one.topic) || taken.has(other.topic)) continue;
    found.set(one.topic, other);
    taken.add(other.topic);
  }
  return found;
}

function alike(one: Topic, other: Topic): number {
  const [a, b] = [pages(one), pages(other)];
  const both = [...a].filter((page) => b.has(page)).length;
  return both / Math.max(1, Math.min(a.size, b.size));
}

function pages(topic: Topic): Set<string> {
  return new Set([...topic.authorities, ...topic.hubs].map((entry) => entry.page));
}

function places(now: readonly Evidence[], was: readonly Evidence[]): Map<string, Move> {
  const before = new Map(was.map((entry) => [entry.page, entry.place]));
  return new Map(
    now.map((entry) => {
      const place = before.get(entry.page);
      const move: Move = place === undefined ? "new" : place === entry.place ? "same" : place - entry.place;
      return [entry.page, move];
    }),
  );
}

function missing(was: readonly Evidence[], now: readonly Evidence[]): Evidence[] {
  const listed = new Set(now.map((entry) => entry.page));
  return was.filter((entry) => !listed.has(entry.page));
}
