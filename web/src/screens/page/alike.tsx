/** Pages like this one, and the words it is known for. */

import type { KnownFor } from "../../ask/shapes";
import type { Alike, SimilarFound, Witness } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { Answered, Empty } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { Bar, Choice, Files } from "../../pieces/small";
import { Notes } from "../../pieces/told";
import { clean, count, number, score, share } from "../../pieces/words";
import { type Place, to } from "../../route";

const SIMILAR: Record<string, string> = {
  combined: "All links",
  "co-citation": "Linked together",
  coupling: "Same links",
  indirect: "Two clicks",
  text: "Same words",
};
const WAYS: Record<string, (many: string, one: boolean) => string> = {
  "co-citation": (many, one) => `${many} ${one ? "links" : "link"} to both`,
  coupling: (many) => `both link to ${many}`,
};

/** Pages like it by a method, each with those that tie the two. */
export function SimilarPages({ place, url, from, usual }: { place: Place; url: string; from: string; usual: string }) {
  const method = place.search.get("similar") ?? usual;
  const asked = useAsk<SimilarFound>(`page/similar/${method}`, { url, top: 8 });
  const names = [usual, ...Object.keys(SIMILAR).filter((name) => name !== usual)];
  return (
    <section id="similar">
      <div class="tools">
        <h2>Similar pages</h2>
        <Files path={`page/similar/${method}`} params={{ url, top: 100 }} formats={["csv"]} />
      </div>
      <Choice place={place} name="similar" label="Similar by" chosen={method} of={names.map((name) => [name, SIMILAR[name] ?? name] as const)} />
      <Answered asked={asked} what="similar pages">
        {(told) => (
          <>
            {told.rows.length === 0 ? (
              <Empty>{method === "text" ? "No page says the same telling words, or it was never fetched." : "No page shares links with it."}</Empty>
            ) : (
              <ol class="entries">
                {told.rows.map((row) => (
                  <li key={row.page}>
                    <span class="place">{row.place}</span>
                    <div>
                      <PageName named={row} from={from} />
                      <Ties row={row} from={from} />
                    </div>
                    <span class="score">
                      <span class="unseen">score </span>
                      {score(row.score)}
                      <Bar share={row.score / Math.max(told.rows[0]?.score ?? 1, 1e-300)} />
                    </span>
                  </li>
                ))}
              </ol>
            )}
            <Notes notes={told.notes} />
          </>
        )}
      </Answered>
    </section>
  );
}

/** How many pages tie the two, and on demand which, in what words. */
function Ties({ row, from }: { row: Alike; from: string }) {
  const tied = Object.entries(row.shared).filter(([, many]) => many > 0);
  const told = tied.map(([pattern, many]) => WAYS[pattern]?.(count(many, "page"), many === 1) ?? `${clean(pattern)}: ${count(many, "page")}`);
  const words = row.words.length > 0 ? `both say ${row.words.map(clean).join(", ")}` : "";
  const line = [...told, words].filter(Boolean).join(" · ");
  if (row.witnesses.length === 0) return line ? <p class="soft small">{line}</p> : null;
  return (
    <details class="speaks">
      <summary>{line}</summary>
      <Witnesses rows={row.witnesses} from={from} />
      {tied.some(([pattern, many]) => many > row.witnesses.filter((one) => one.pattern === pattern).length) && <p class="soft">The first of them.</p>}
    </details>
  );
}

/** Pages that tie two others, and what they say of each. */
export function Witnesses({ rows, from }: { rows: readonly Witness[]; from: string }) {
  return (
    <ul class="plain">
      {rows.map((one, k) => (
        <li key={k}>
          <PageName named={one} from={from} plain />
          {(one.anchor || one.other) && (
            <span class="soft">
              {" "}
              {[one.anchor, one.other].filter(Boolean).map((said, at) => (
                <span key={at}>
                  {at > 0 && " · "}
                  <q>
                    <bdi>{clean(said)}</bdi>
                  </q>
                </span>
              ))}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

export function KnownWords({ url }: { url: string }) {
  const asked = useAsk<KnownFor>("page/known-for", { url });
  return (
    <section>
      <h2>Known for</h2>
      <Answered asked={asked} what="what it is known for">
        {(told) => {
          if (told.rows.length === 0) return <Empty>No word leads readers here more than by chance.</Empty>;
          const most = told.rows[0]?.reputation ?? 1;
          return (
            <ul class="known">
              {told.rows.map((row) => (
                <li key={row.term}>
                  <a href={to("/topics", { query: row.term })}>
                    <bdi>{clean(row.term)}</bdi>
                  </a>
                  <Bar share={row.reputation / most} />
                  <span class="soft small">
                    {share(row.penetration)} of {number(row.pages)} pages with the word lead here
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Answered>
    </section>
  );
}
