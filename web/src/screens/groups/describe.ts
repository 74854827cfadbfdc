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
    links ? `${formatCount(links.internal, "internal link")}, ${formatNumber(links.outgoing + links.incoming)} external` : "",
    stability?.description ?? "",
    group.note,
    group.in_passing ? "mentioned in passing" : "",
    sites?.tightly_knit ? `tightly knit: ${sites.tightly_knit}` : "",
  ].filter(Boolean);
}

/** The links of a group in detail. */
export function describeLinks({ internal, outgoing, incoming }: LinkCountsSchema): string {
  const share = internal / Math.max(internal + outgoing + incoming, 1);
  return `${formatCount(internal, "internal link")} · ${formatNumber(outgoing)} outgoing · ${formatNumber(incoming)} incoming · ${formatPercent(share)} of its links are internal`;
}
