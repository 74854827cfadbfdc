/** Pages that a search finds. */

import type { Found, Hit } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { Answered, Empty } from "../pieces/answered";
import { PageName } from "../pieces/names";
import { Files, Pager, useTitle } from "../pieces/small";
import { count, day, direction, score } from "../pieces/words";
import { to } from "../route";
import type { ScreenProps } from "../shell";

const SIZE = 20;

export function SearchScreen({ place }: ScreenProps) {
  const query = place.search.get("query") ?? "";
  const offset = Number(place.search.get("offset") ?? 0);
  useTitle(query || "Search");
  const asked = useAsk<Found>(query ? "search" : null, { query, offset, top: SIZE });
  if (!query)
    return (
      <section>
        <h1>Search</h1>
        <Empty>
          Write some words in the box above. "Two words" finds a phrase, -word leaves one out, site:example.org stays on
          a site, lang:de in a language.
        </Empty>
      </section>
    );
  return (
    <section>
      <p class="above">Pages</p>
      <h1>
        <bdi>{query}</bdi>
      </h1>
      <Answered asked={asked} what={`pages with ${query}`} lines={10}>
        {(found) =>
          found.total === 0 ? (
            <Empty>
              No page has these words. Try fewer of them, or <a href="/topics">the topics of everything</a>.
            </Empty>
          ) : (
            <>
              <p class="soft tools">
                <span>{count(found.total, "page")}</span>
                <a href={to("/topics", { query })}>Their topics</a>
                <Files path="search" params={{ query, top: 500 }} formats={["csv"]} />
              </p>
              <ol class="hits">
                {found.rows.map((hit) => (
                  <li key={hit.page}>
                    <PageName named={hit} from={`query=${encodeURIComponent(query)}`} />
                    <Snippet hit={hit} />
                    <p class="soft small">
                      place {hit.place} · score {score(hit.score)}
                      {hit.language && ` · ${hit.language}`}
                      {hit.time > 0 && ` · ${day(hit.time)}`}
                    </p>
                  </li>
                ))}
              </ol>
              <Pager place={place} name="offset" offset={offset} size={SIZE} total={found.total} thing="page" />
            </>
          )
        }
      </Answered>
    </section>
  );
}

/** A piece of the text, the words that were found marked. */
function Snippet({ hit }: { hit: Hit }) {
  const letters = Array.from(hit.snippet);
  const parts: (string | preact.JSX.Element)[] = [];
  let at = 0;
  for (const [start, end] of hit.marks) {
    parts.push(letters.slice(at, start).join(""), <mark key={start}>{letters.slice(start, end).join("")}</mark>);
    at = end;
  }
  parts.push(letters.slice(at).join(""));
  return (
    <p class="snippet" dir={direction(hit.snippet)}>
      {parts}
    </p>
  );
}
