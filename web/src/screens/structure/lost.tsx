/** Pages that readers hardly find: those that nothing links to, and those many clicks away. */

import type { Level } from "../../ask/shapes";
import { type Cell, type ShapeFound, amount, namedIn, records } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { Answered, Empty } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { Pager } from "../../pieces/small";
import { Kept } from "../../pieces/told";
import { count } from "../../pieces/words";
import type { Place } from "../../route";

const PATH = "structure/depth";
const SIZE = 10;

export function Lost({ place, level }: { place: Place; level: Level }) {
  return (
    <section class="roles" id="lost">
      <List place={place} level={level} table="orphans" heading="Orphans" words={`Fetched ${level}s that can only be found from outside: nothing links to them, or no way from home. Loose ends are counted otherwise: with home, and with what was only seen.`} none={`Something links to every ${level}.`}>
        {(row) => `${String(row["why"])}; it links to ${count(amount(row["links of it"]) ?? 0, level)}`}
      </List>
      <List place={place} level={level} table="deepest" heading="Deepest" words="the longest ways from home" none="Nothing lies deeper than home.">
        {(row) => count(amount(row["clicks"]) ?? 0, "click")}
      </List>
    </section>
  );
}

interface Props {
  place: Place;
  level: Level;
  table: "orphans" | "deepest";
  heading: string;
  words: string;
  none: string;
  children: (row: Record<string, Cell>) => string;
}

function List({ place, level, table, heading, words, none, children }: Props) {
  const offset = Number(place.search.get(table) ?? 0);
  const asked = useAsk<ShapeFound>(PATH, { level, table, offset, top: SIZE });
  return (
    <div>
      <div class="tools">
        <h2>{heading}</h2>
        {asked.data && <Kept path={PATH} params={{ level }} table={table} />}
      </div>
      <p class="soft">{words}</p>
      <Answered asked={asked} what={heading.toLowerCase()}>
        {(found) => {
          const rows = records(found.tables[table]);
          const total = found.tables[table]?.total ?? 0;
          if (rows.length === 0) return <Empty>{none}</Empty>;
          return (
            <>
              <ul class="links">
                {rows.map((row) => (
                  <li key={String(row["page"])}>
                    <PageName named={namedIn(found, String(row["page"]))} />
                    {Array.isArray(row["path"]) && row["path"].length > 1 ? (
                      <Way found={found} path={row["path"].map(String)} words={children(row)} />
                    ) : (
                      <span class="anchor">{children(row)}</span>
                    )}
                  </li>
                ))}
              </ul>
              <Pager place={place} name={table} offset={found.tables[table]?.offset ?? 0} size={SIZE} total={total} thing={level} />
            </>
          );
        }}
      </Answered>
    </div>
  );
}

/** The way from home, one click a line. */
function Way({ found, path, words }: { found: ShapeFound; path: readonly string[]; words: string }) {
  return (
    <details class="speaks">
      <summary>{words} from home</summary>
      <ol class="way">
        {path.map((page, k) => (
          <li key={k}>
            <PageName named={namedIn(found, page)} plain />
          </li>
        ))}
      </ol>
    </details>
  );
}
