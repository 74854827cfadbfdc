/** Labels of topics. */

import type { TopicSummary } from "../../api/schemas";
import { stripControlChars } from "../../pieces/format";

export function topicLabel(topic: TopicSummary): string {
  return stripControlChars(topic.label) || stripControlChars(topic.title) || "(no label)";
}
