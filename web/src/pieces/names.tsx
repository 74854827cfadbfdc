/** Pages by name: filled marks for fetched ones, hollow for those only seen. */

import type { Named } from "../ask/shapes";
import { to } from "../route";
import { bare, called, clean } from "./words";

const SEEN = "only seen in links, not fetched";

/** Where a page, host or domain is looked at; `from` is the search that led here. */
export function placeOf(named: { page: string; kind: string }, from = ""): string {
  if (named.kind === "host" || named.kind === "domain") return to("/search", { query: `site:${named.page}` });
  return to("/page", { url: named.page, from });
}

/** A page's name as a link, with its address below. */
export function PageName({ named, from = "", plain = false }: { named: Named; from?: string; plain?: boolean }) {
  const name = called(named);
  const where = bare(named.page);
  return (
    <span class="named">
      <Mark kind={named.kind} />
      <a class="title" href={placeOf(named, from)} title={clean(named.page)}>
        <bdi>{name}</bdi>
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
