/** Search results. */

import type { SearchHit, SearchResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { PageName } from "../pieces/pageName";
import { DownloadLinks, Pager, useDocumentTitle } from "../pieces/controls";
import { formatCount, formatDate, formatScore, textDirection } from "../pieces/format";
import { buildUrl } from "../route";
import type { ScreenProps } from "../shell";

const SIZE = 20;

export function SearchScreen({ route }: ScreenProps) {
  const query = route.search.get("query") ?? "";
  const offset = Number(route.search.get("offset") ?? 0);
  useDocumentTitle(query || "Search");
  const response = useApi<SearchResponse>(query ? "search" : null, { query, offset, top: SIZE });
  if (!query)
    return (
      <section>
        <h1>Search</h1>
        <EmptyMessage>
          Enter some words in the box above. "Two words" finds a phrase, -word excludes a word, site:example.org and
          lang:de restrict the search to a site or a language.
        </EmptyMessage>
      </section>
    );
  return (
    <section>
      <p class="kicker">Pages</p>
      <h1>
        <bdi>{query}</bdi>
      </h1>
      <AsyncContent response={response} label={`pages with ${query}`} placeholderLines={10}>
        {(data) =>
          data.total === 0 ? (
            <EmptyMessage>
              No page contains these words. Try fewer words, or <a href="/topics">the topics of the whole collection</a>.
            </EmptyMessage>
          ) : (
            <>
              <p class="soft tools">
                <span>{formatCount(data.total, "page")}</span>
                <a href={buildUrl("/topics", { query })}>Topics of these pages</a>
                <DownloadLinks path="search" params={{ query, top: 500 }} formats={["csv"]} />
              </p>
              <ol class="hits">
                {data.rows.map((hit) => (
                  <li key={hit.url}>
                    <PageName pageRef={hit} from={`query=${encodeURIComponent(query)}`} />
                    <Snippet hit={hit} />
                    <p class="soft small">
                      place {hit.place} · score {formatScore(hit.score)}
                      {hit.language && ` · ${hit.language}`}
                      {hit.time > 0 && ` · ${formatDate(hit.time)}`}
                    </p>
                  </li>
                ))}
              </ol>
              <Pager route={route} name="offset" offset={offset} size={SIZE} total={data.total} unit="page" />
            </>
          )
        }
      </AsyncContent>
    </section>
  );
}

/** A snippet with the query words highlighted. */
function Snippet({ hit }: { hit: SearchHit }) {
  const letters = Array.from(hit.snippet);
  const parts: (string | preact.JSX.Element)[] = [];
  let position = 0;
  for (const [start, end] of hit.highlights) {
    parts.push(letters.slice(position, start).join(""), <mark key={start}>{letters.slice(start, end).join("")}</mark>);
    position = end;
  }
  parts.push(letters.slice(position).join(""));
  return (
    <p class="snippet" dir={textDirection(hit.snippet)}>
      {parts}
    </p>
  );
}
