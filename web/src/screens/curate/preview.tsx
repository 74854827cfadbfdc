/** What helps to decide on the current row: what it says, who links to it, its tags, why a value is proposed. */

import { useEffect, useState } from "preact/hooks";
import type { PageLinksResponse, PageResponse, SearchResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AnchorText } from "../../pieces/controls";
import { displayName, formatCount, formatDate, formatPercent, stripControlChars, textDirection } from "../../pieces/format";
import { AsyncContent } from "../../pieces/loading";
import { ExternalLink, PageName } from "../../pieces/pageName";
import { isRejection, type Row } from "./rows";

const PAUSE_MS = 150;
const FEW = 5;
const MAX_ANCHOR = 120;

export function Preview({ row, facet }: { row: Row; facet: string }) {
  const url = useSettled(row.url);
  return (
    <section class="preview" aria-label={`About ${displayName(row)}`}>
      <h2>
        <bdi>{displayName(row)}</bdi>
      </h2>
      <p class="address">{row.scope === "page" ? <ExternalLink url={row.url} /> : <bdi>{row.url}</bdi>}</p>
      {row.proposal && <Reasons row={row} />}
      <OwnTags row={row} facet={facet} />
      {url === row.url &&
        (row.scope === "page" ? <PageDetails url={url} inlinks={row.inlinks} /> : <PagesOfSite name={url} scope={row.scope} />)}
    </section>
  );
}

/** A value once it has stayed the same for a moment: moving fast through a list asks for nothing. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function Reasons({ row }: { row: Row }) {
  const { proposal } = row;
  if (proposal === null) return null;
  const { value, certainty, words, neighbours, anchors } = proposal;
  return (
    <div class="reasons">
      <h3>
        Why <bdi>{value}</bdi>, {formatPercent(certainty)} certain
      </h3>
      {words.length > 0 && (
        <p>
          Its words: <bdi>{words.map(stripControlChars).join(", ")}</bdi>
        </p>
      )}
      {anchors.length > 0 && (
        <p>
          Links to it say{" "}
          {anchors.map((anchor, k) => (
            <span key={anchor}>
              {k > 0 && ", "}
              <AnchorText label={anchor} maxLength={MAX_ANCHOR} />
            </span>
          ))}
        </p>
      )}
      {neighbours.length > 0 && (
        <ul class="plain">
          {neighbours.map((other) => (
            <li key={other.url}>
              {other.direction === "in" ? "Linked from" : "Links to"} <PageName pageRef={other} compact />{" "}
              <span class="soft small">
                {other.is_example ? "tagged" : "probably"} <bdi>{value}</bdi>
              </span>
            </li>
          ))}
        </ul>
      )}
      {words.length + anchors.length + neighbours.length === 0 && <p class="soft">Only because most pages have this value.</p>}
    </div>
  );
}

function OwnTags({ row, facet }: { row: Row; facet: string }) {
  const own = row.tags.some((tag) => tag.facet === facet);
  if (row.tags.length === 0 && !row.value) return null;
  return (
    <ul class="plain own-tags">
      {!own && row.value && (
        <li>
          <bdi>
            {facet}: <b>{row.value}</b>
          </bdi>{" "}
          <span class="soft small">
            {row.scope === "page" ? "from its host, domain, entity or a pattern" : "by its tags or most of its pages"}
          </span>
        </li>
      )}
      {row.tags.map((tag) => (
        <li key={tag.facet}>
          <bdi>
            {isRejection(tag.facet) ? "rejected" : tag.facet}: <b>{tag.value}</b>
          </bdi>{" "}
          <span class="soft small">
            {tag.by && (
              <>
                by <bdi>{tag.by}</bdi>,{" "}
              </>
            )}
            {formatDate(tag.time)}
          </span>
          {tag.why && (
            <p class="note">
              <bdi>{tag.why}</bdi>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function PageDetails({ url, inlinks }: { url: string; inlinks: number }) {
  const page = useApi<PageResponse>("page", { url });
  const links = useApi<PageLinksResponse>(inlinks > 0 ? "page/links" : null, { url, direction: "in", top: FEW });
  return (
    <>
      <AsyncContent response={page} label="the page" placeholderLines={4}>
        {({ opening_text: text }) =>
          text ? (
            <p class="opening-text" dir={textDirection(text)}>
              {stripControlChars(text).replace(/[^\s.!?]+$/, "…")}
            </p>
          ) : (
            <p class="soft">It has no text.</p>
          )
        }
      </AsyncContent>
      {inlinks > 0 && (
        <AsyncContent response={links} label="its in-links" placeholderLines={4}>
          {({ rows, total }) => (
            <>
              <h3>Linked by {formatCount(total, "page")}</h3>
              <ul class="plain linking">
                {rows.map((row) => (
                  <li key={row.url}>
                    <PageName pageRef={row} compact />{" "}
                    {row.anchors[0] && (
                      <span class="soft small">
                        <AnchorText label={row.anchors[0]} maxLength={MAX_ANCHOR} />
                      </span>
                    )}
                  </li>
                ))}
              </ul>
            </>
          )}
        </AsyncContent>
      )}
    </>
  );
}

/** Some pages of a host or domain. */
function PagesOfSite({ name, scope }: { name: string; scope: Row["scope"] }) {
  const hasSearch = scope === "host" || scope === "domain";
  const response = useApi<SearchResponse>(hasSearch ? "search" : null, { query: `site:${name}`, top: FEW });
  if (!hasSearch) return null;
  return (
    <AsyncContent response={response} label="its pages" placeholderLines={4}>
      {({ rows, total }) => (
        <>
          <h3>{total > 0 ? formatCount(total, "captured page") : "No captured page"}</h3>
          <ul class="plain linking">
            {rows.map((row) => (
              <li key={row.url}>
                <PageName pageRef={row} compact />
              </li>
            ))}
          </ul>
        </>
      )}
    </AsyncContent>
  );
}
