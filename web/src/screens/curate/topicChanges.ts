/** Topics before and after, matched by their labels. */

import type { TopicSizeSchema } from "../../api/schemas";

export interface TopicChange {
  label: string;
  before: number | null;
  after: number | null;
}

/** The topics after, in their order, then those that are gone. */
export function topicChanges(before: readonly TopicSizeSchema[], after: readonly TopicSizeSchema[]): TopicChange[] {
  const old = new Map(before.map(({ label, pages }) => [label, pages]));
  const kept = new Set(after.map(({ label }) => label));
  return [
    ...after.map(({ label, pages }) => ({ label, before: old.get(label) ?? null, after: pages })),
    ...before.filter(({ label }) => !kept.has(label)).map(({ label, pages }) => ({ label, before: pages, after: null })),
  ];
}
