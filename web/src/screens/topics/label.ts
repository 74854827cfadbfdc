/** What topics are called. */

import type { TopicSummary } from "../../ask/shapes";
import { clean } from "../../pieces/words";

export function labelOf(topic: TopicSummary): string {
  return clean(topic.label) || clean(topic.title) || "(no words)";
}
