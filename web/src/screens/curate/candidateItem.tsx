/** A row of the list of candidates. */

import type { ComponentChildren } from "preact";
import { formatCount, formatPercent, stripControlChars } from "../../pieces/format";
import { PageName } from "../../pieces/pageName";
import { isRejection, ownTag, type Row, rejectedValue } from "./rows";

interface Props {
  row: Row;
  facet: string;
  isCurrent: boolean;
  isSelected: boolean;
  isAmbiguous: boolean;
  choose: () => void;
  toggle: () => void;
  children: ComponentChildren;
}

export function CandidateItem({ row, facet, isCurrent, isSelected, isAmbiguous, choose, toggle, children }: Props) {
  const { proposal } = row;
  const refused = rejectedValue(row, facet);
  const rejected = proposal === null || proposal.value === refused ? refused : ""; // else another value is proposed since
  const others = row.tags.filter((tag) => tag.facet !== facet && !isRejection(tag.facet));
  return (
    <li
      aria-current={isCurrent ? "true" : undefined}
      class={isSelected ? "selected" : undefined}
      tabIndex={isCurrent ? 0 : -1}
      onFocusIn={choose}
    >
      <input type="checkbox" checked={isSelected} aria-label={`Select ${stripControlChars(row.title) || row.url}`} onChange={toggle} />
      <div class="candidate">
        <PageName pageRef={row} fullUrl={isAmbiguous} />
        {others.length > 0 && (
          <ul class="small soft dots">
            {others.map((tag) => (
              <li key={tag.facet}>
                <bdi>
                  {tag.facet}: {tag.value}
                </bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div class="state">
        <span class="address">{formatCount(row.inlinks, "in-link")}</span>
        {row.value && (
          <span class={`value ${row.value}`} title={ownTag(row, facet) ? undefined : "from what covers it"}>
            <bdi>{row.value}</bdi>
          </span>
        )}
        {!row.value && rejected && (
          <span class="value rejected">
            not <bdi>{rejected}</bdi>
          </span>
        )}
        {!row.value && !rejected && proposal && (
          <span class="value proposed">
            <bdi>{proposal.value}</bdi>? {formatPercent(proposal.certainty)}
          </span>
        )}
      </div>
      {children}
    </li>
  );
}
