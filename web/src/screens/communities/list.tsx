/** The communities to choose from. */

import type { CommunitiesFound, Community } from "../../ask/surveyed";
import { Badge, Bar, colour, Files } from "../../pieces/small";
import { called, clean, count, number } from "../../pieces/words";
import type { Asking } from "./asking";

const NAMED = 3;

/** What a community is called. */
export function labelOf(one: { label: string; title?: string }): string {
  return clean(one.label) || clean(one.title ?? "") || "(no words)";
}

/** The share of its links that stay inside. */
export function insideOf(one: Community): number {
  return one.inside / Math.max(one.inside + one.leaving + one.arriving, 1);
}

export function CommunityList({ asking, found, chosen }: { asking: Asking; found: CommunitiesFound; chosen: number }) {
  const most = Math.max(1, ...found.communities.map((one) => one.pages));
  return (
    <nav class="topics" aria-label="Communities">
      <div class="tools">
        <h2>{count(found.total, "community")}</h2>
        <Files path={`communities/${asking.method}`} params={{ ...asking.params, table: "communities" }} formats={["csv"]} />
      </div>
      <ol>
        {found.communities.map((one) => (
          <li key={one.community}>
            <a class={colour(one.community)} href={asking.choose(one.community)} aria-current={one.community === chosen ? "true" : undefined}>
              <Badge topic={one.community} />
              <span class="label">
                <bdi>{labelOf(one)}</bdi>
              </span>
              <span class="facts">
                {count(one.pages, found.level)} · links {number(one.inside)} inside, {number(one.leaving + one.arriving)} across
              </span>
              {one.centres.length > 0 && (
                <span class="facts centres">
                  <bdi>{one.centres.slice(0, NAMED).map(called).join(", ")}</bdi>
                </span>
              )}
              <Bar share={one.pages / most} />
            </a>
          </li>
        ))}
      </ol>
      {found.total > found.communities.length && <p class="soft small">and {number(found.total - found.communities.length)} that matter less; the CSV has them all</p>}
    </nav>
  );
}
