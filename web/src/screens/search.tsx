/** Search results with facets and a histogram of captures; all filters are in the address. */

import type { FacetsResponse, SearchHit, SearchResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { DownloadLinks, Pager, useDocumentTitle } from "../pieces/controls";
import { DirectedText } from "../pieces/directedText";
import { formatCount, formatDate, languageName, textDirection } from "../pieces/format";
import { Histogram } from "../pieces/histogram";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { ambiguousPages, PageName } from "../pieces/pageName";
import { ScreenHead } from "../pieces/screenHead";
import { buildUrl, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { FacetList, FilterChips, filterParams } from "./search/facets";

const [SIZE, FACET_VALUES, ALL_FACET_VALUES] = [20, 6, 60];

export function SearchScreen({ route }: ScreenProps) {
  const query = route.search.get("query") ?? "";
  const offset = Number(route.search.get("offset") ?? 0);
  const filters = filterParams(route.search);
  useDocumentTitle(query || "Search");
  const response = useApi<SearchResponse>(query ? "search" : null, { query, ...filters, offset, top: SIZE });
  const top = route.search.get("all") === "yes" ? ALL_FACET_VALUES : FACET_VALUES;
  const facets = useApi<FacetsResponse>(query ? "search/facets" : null, { query, ...filters, top });
  if (!query)
    return (
      <section>
        <h1>Search</h1>
        <EmptyMessage>
          Enter some words in the box above. "Two words" finds a phrase, -word excludes a word, site:example.org and lang:de restrict the
          search to a site or a language.
        </EmptyMessage>
      </section>
    );
  const since = route.search.get("since") ?? "";
  return (
    <div class="search-screen">
      {query === "*" ? <ScreenHead heading="All pages" /> : <ScreenHead kicker="Pages with" heading={query} />}
      <FilterChips route={route} />
      <div class="search-layout">
        <aside class="search-side">{facets.data && <FacetList route={route} facets={facets.data.facets} />}</aside>
        <div>
          {facets.data && (
            <Histogram
              captures={facets.data.captures}
              chosen={since}
              href={(from, until) =>
                since === from
                  ? withParams(route, { since: null, until: null, offset: null })
                  : withParams(route, { since: from, until, offset: null })
              }
            />
          )}
          <AsyncContent response={response} label={`pages with ${query}`} placeholderLines={10}>
            {(data) =>
              data.total === 0 ? (
                <EmptyMessage>
                  No page contains these words
                  {Object.keys(filters).length > 0 ? " and passes the filters. Take some away." : ". Try fewer words, or "}
                  {Object.keys(filters).length === 0 && <a href="/topics">the topics of the whole collection</a>}
                </EmptyMessage>
              ) : (
                <>
                  <p class="soft tools">
                    <span>{formatCount(data.total, "page")}</span>
                    <a href={buildUrl("/topics", { query: query === "*" ? "" : query })}>Topics</a>
                    <DownloadLinks path="search" params={{ query, ...filters, top: 500 }} formats={["csv"]} />
                  </p>
                  <ol class="hits" start={data.offset + 1}>
                    {data.rows.map((hit) => (
                      <li key={hit.url}>
                        <PageName
                          pageRef={hit}
                          from={query === "*" ? "" : `query=${encodeURIComponent(query)}`}
                          fullUrl={ambiguousPages(data.rows).has(hit.url)}
                        />
                        <span class="hit-facts">
                          {[hit.language && languageName(hit.language), hit.time > 0 ? formatDate(hit.time) : ""]
                            .filter(Boolean)
                            .join(" · ")}
                        </span>
                        <Snippet hit={hit} />
                      </li>
                    ))}
                  </ol>
                  <Pager route={route} name="offset" offset={offset} size={SIZE} total={data.total} unit="page" />
                </>
              )
            }
          </AsyncContent>
        </div>
      </div>
    </div>
  );
}

/** A snippet with the query words highlighted. */
function Snippet({ hit }: { hit: SearchHit }) {
  const letters = Array.from(hit.snippet);
  const parts: preact.JSX.Element[] = [];
  let position = 0;
  for (const [start, end] of hit.highlights) {
    parts.push(<DirectedText key={position} text={letters.slice(position, start).join("")} />);
    parts.push(<mark key={`mark ${start}`}>{letters.slice(start, end).join("")}</mark>);
    position = end;
  }
  parts.push(<DirectedText key={position} text={letters.slice(position).join("")} />);
  return (
    <p class="snippet" dir={textDirection(hit.snippet)}>
      {parts}
    </p>
  );
}
