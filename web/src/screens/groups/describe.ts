/** Labels and sizes of groups. */

import type { GroupSummary, LinkCountsSchema } from "../../api/schemas";
import { formatCount, formatNumber, formatPercent, stripControlChars } from "../../pieces/format";

export function groupLabel(group: { label: string; title?: string }): string {
  return stripControlChars(group.label) || stripControlChars(group.title ?? "") || "(no label)";
}

/** Size, links and stability of a group, as far as the method reports them. */
export function describeGroup(group: GroupSummary, level: string): string[] {
  const { sites, links, stability } = group;
  return [
    formatCount(group.pages, level),
    sites ? formatCount(sites.count, "site") : "",
    links ? `${formatPercent(insideShare(links))} of its links inside` : "",
    stability?.description ?? "",
    group.note,
    group.in_passing ? "mentioned in passing" : "",
    sites?.tightly_knit ? `tightly knit: ${sites.tightly_knit}` : "",
  ].filter(Boolean);
}

/** The share of the links of a group that stay in it. */
function insideShare({ internal, outgoing, incoming }: LinkCountsSchema): number {
  return internal / Math.max(internal + outgoing + incoming, 1);
}

/** The links of a group in detail. */
export function describeLinks({ internal, outgoing, incoming }: LinkCountsSchema): string {
  return `${formatCount(internal, "internal link")} · ${formatNumber(outgoing)} outgoing · ${formatNumber(incoming)} incoming · ${formatPercent(insideShare({ internal, outgoing, incoming }))} of its links inside`;
}
