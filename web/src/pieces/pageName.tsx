/** Names of pages as links; uncaptured pages have a hollow mark. */

import { Fragment } from "preact";
import type { PageRef } from "../api/schemas";
import { buildUrl } from "../route";
import { displayName, displayUrl, stripControlChars, textDirection } from "./format";

const UNCAPTURED_TEXT = "linked, not captured";

/** Whether something is no page but a host, domain or entity. */
export function hasPages(kind: string): boolean {
  return kind === "host" || kind === "domain" || kind === "entity";
}

/** The URL that shows a page, host, domain or entity; `from` is the search that led here. */
export function pageUrl(pageRef: { url: string; kind: string }, from = ""): string {
  if (pageRef.kind === "entity") return buildUrl("/curate", { view: "entities", find: pageRef.url });
  if (hasPages(pageRef.kind)) return buildUrl("/search", { query: `site:${pageRef.url}` });
  return buildUrl("/page", { url: pageRef.url, from });
}

/** The pages of a list that have the same displayed name and address as another. */
export function ambiguousPages(rows: readonly PageRef[]): ReadonlySet<string> {
  const shown = new Map<string, Set<string>>();
  for (const row of rows) {
    const name = `${displayName(row)}\n${displayUrl(row.url)}`;
    shown.set(name, (shown.get(name) ?? new Set()).add(row.url));
  }
  return new Set([...shown.values()].filter((pages) => pages.size > 1).flatMap((pages) => [...pages]));
}

interface Props {
  pageRef: PageRef;
  from?: string;
  compact?: boolean;
  /** Whether to show the full URL: another page has the same without scheme and www. */
  fullUrl?: boolean;
}

/** A page's name as a link, with its address below. */
export function PageName({ pageRef, from = "", compact = false, fullUrl = false }: Props) {
  const address = fullUrl ? stripControlChars(pageRef.url) : displayUrl(pageRef.url);
  const name = stripControlChars(pageRef.title) || address;
  return (
    <span class="named">
      <UncapturedMark kind={pageRef.kind} />
      <a class="title" href={pageUrl(pageRef, from)} title={stripControlChars(pageRef.url)}>
        {name === address && !fullUrl ? <Address url={pageRef.url} /> : <bdi dir={textDirection(name)}>{name}</bdi>}
      </a>
      {!compact && name !== address && (
        <span class="address">
          <bdi>{address}</bdi>
        </span>
      )}
      {!compact && pageRef.kind === "uncaptured" && <span class="address">{UNCAPTURED_TEXT}</span>}
    </span>
  );
}

/** An address that breaks into lines after a slash, a host after a dot, rather than within a word. */
export function Address({ url }: { url: string }) {
  const text = displayUrl(url);
  const [first, ...parts] = text.split(text.includes("/") ? /(?<=[/?&])(?=[^/])/ : /(?<=\.)/);
  return (
    <bdi>
      {first}
      {parts.map((part, k) => (
        <Fragment key={k}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </bdi>
  );
}

/** The mark of an uncaptured page. */
export function UncapturedMark({ kind }: { kind: string }) {
  if (kind !== "uncaptured") return null;
  return (
    <span class="mark" title={UNCAPTURED_TEXT}>
      <span class="visually-hidden">({UNCAPTURED_TEXT}) </span>
    </span>
  );
}

/** A link to the page on the web, if its URL is a web address. */
export function ExternalLink({ url }: { url: string }) {
  const label = <bdi>{stripControlChars(url)}</bdi>;
  if (!/^https?:\/\//i.test(url)) return <span class="external">{label}</span>;
  return (
    <a class="external" href={url} rel="noreferrer noopener" target="_blank">
      {label}
      <span aria-hidden="true"> ↗</span>
      <span class="visually-hidden"> (opens the page on the web)</span>
    </a>
  );
}
