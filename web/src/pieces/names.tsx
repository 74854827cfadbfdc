/** Pages by name: filled marks for fetched ones, hollow for those only seen. */

import type { Named } from "../ask/shapes";
import { to } from "../route";
import { bare, called, clean, direction } from "./words";

const SEEN = "only seen in links, not fetched";

/** Where a page, host or domain is looked at; `from` is the search that led here. */
export function placeOf(named: { page: string; kind: string }, from = ""): string {
  if (named.kind === "host" || named.kind === "domain") return to("/search", { query: `site:${named.page}` });
  return to("/page", { url: named.page, from });
}

/** The pages of a list that would be shown by the same name and address as another. */
export function twins(rows: readonly Named[]): ReadonlySet<string> {
  const shown = new Map<string, Set<string>>();
  for (const row of rows) {
    const name = `${called(row)}\n${bare(row.page)}`;
    shown.set(name, (shown.get(name) ?? new Set()).add(row.page));
  }
  return new Set([...shown.values()].filter((pages) => pages.size > 1).flatMap((pages) => [...pages]));
}

interface Props {
  named: Named;
  from?: string;
  plain?: boolean;
  /** Whether the address is written out: another page has the same without scheme and www. */
  whole?: boolean;
}

/** A page's name as a link, with its address below. */
export function PageName({ named, from = "", plain = false, whole = false }: Props) {
  const where = whole ? clean(named.page) : bare(named.page);
  const name = clean(named.title) || where;
  return (
    <span class="named">
      <Mark kind={named.kind} />
      <a class="title" href={placeOf(named, from)} title={clean(named.page)}>
        <bdi dir={direction(name)}>{name}</bdi>
      </a>
      {!plain && name !== where && (
        <span class="address">
          <bdi>{where}</bdi>
        </span>
      )}
      {!plain && named.kind === "seen" && <span class="address">{SEEN}</span>}
    </span>
  );
}

/** The mark of a page. */
export function Mark({ kind }: { kind: string }) {
  if (kind !== "seen") return null;
  return (
    <span class="mark" title={SEEN}>
      <span class="unseen">({SEEN}) </span>
    </span>
  );
}

/** A link out to the web itself, where the address is one of the web. */
export function Outside({ url }: { url: string }) {
  const words = <bdi>{clean(url)}</bdi>;
  if (!/^https?:\/\//i.test(url)) return <span class="outside">{words}</span>;
  return (
    <a class="outside" href={url} rel="noreferrer noopener" target="_blank">
      {words}
      <span aria-hidden="true"> ↗</span>
      <span class="unseen"> (opens the page on the web)</span>
    </a>
  );
}
