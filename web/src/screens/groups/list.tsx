/** The list of topics or communities. */

import type { ComponentChildren } from "preact";
import type { GroupsResponse } from "../../api/derived";
import type { GroupDetails, GroupSummary } from "../../api/schemas";
import { Bar, colourClass, NumberBadge } from "../../pieces/controls";
import { displayName, formatCount, stripControlChars, toSentence } from "../../pieces/format";
import type { RunComparison } from "../topics/compareRuns";
import { describeGroup, groupLabel } from "./describe";
import type { GroupsRequest } from "./request";

const MAX_LEADING_PAGES = 3;

interface Props {
  request: GroupsRequest;
  data: GroupsResponse;
  groups: readonly GroupDetails[];
  chosen: number;
  changes?: RunComparison | undefined;
  /** What is beside the heading. */
  tools: ComponentChildren;
}

export function GroupList({ request, data, groups, chosen, changes, tools }: Props) {
  const maxPages = Math.max(1, ...groups.map((group) => group.pages));
  const isNew = (group: GroupDetails) => changes && changes.byTopic.get(group.number)?.before === undefined;
  return (
    <nav class="topics" aria-label={request.kind === "topics" ? "Topics" : "Communities"}>
      <div class="tools">
        <h2>{formatCount(data.total, request.noun)}</h2>
        {tools}
      </div>
      <p class="soft small">Strongest first; bars show the number of {data.level}s.</p>
      <ol>
        {groups.map((group) => (
          <li key={group.number}>
            <a
              class={colourClass(group.number)}
              href={request.groupUrl(group.number)}
              aria-current={group.number === chosen ? "true" : undefined}
            >
              <NumberBadge number={group.number} />
              <span class="label">
                <bdi>{groupLabel(group)}</bdi>
                {isNew(group) && <span class="arrow new">new</span>}
              </span>
              <span class="facts">{describeGroup(group, data.level).join(" · ")}</span>
              {request.kind === "communities" && group.authorities.length > 0 && (
                <span class="facts leading-pages">
                  <bdi>{group.authorities.slice(0, MAX_LEADING_PAGES).map(displayName).join(", ")}</bdi>
                </span>
              )}
              <Bar share={group.pages / maxPages} />
            </a>
          </li>
        ))}
      </ol>
      {data.total > groups.length && <p class="soft small">and {formatCount(data.total - groups.length, `smaller ${request.noun}`)}</p>}
      {changes && changes.dropped.length > 0 && (
        <ul class="plain dropped">
          {changes.dropped.map((group) => (
            <li key={group.number}>
              <span class="arrow dropped">dropped</span> <bdi>{groupLabel(group)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {data.set_aside.length > 0 && (
        <details class="set-aside">
          <summary>{formatCount(data.set_aside.length, request.noun)} set aside</summary>
          <ul class="plain">
            {data.set_aside.map((group, k) => (
              <li key={k}>
                {stripControlChars(group.label || group.title) && (
                  <b>
                    <bdi>{groupLabel(group)}</bdi>{" "}
                  </b>
                )}
                <span class="soft">{describeSetAside(group, data.level)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  );
}

/** Why a group was set aside; the size is not repeated if the reason contains it. */
function describeSetAside(group: GroupSummary, level: string): string {
  const pages = formatCount(group.pages, level);
  return group.reason.startsWith(pages) ? toSentence(group.reason) : toSentence(`${pages}: ${group.reason}`);
}
