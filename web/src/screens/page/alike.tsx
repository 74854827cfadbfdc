/** Pages like this one, and the words it is known for. */

import type { KnownFor, Similar } from "../../ask/shapes";
import { useAsk } from "../../ask/use";
import { Answered, Empty } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { Bar } from "../../pieces/small";
import { clean, count, number, share } from "../../pieces/words";
import { to } from "../../route";

export function SimilarPages({ url, from }: { url: string; from: string }) {
  const asked = useAsk<Similar>("page/similar", { url });
  return (
    <section>
      <h2>Similar by its links</h2>
      <Answered asked={asked} what="similar pages">
        {(told) =>
          told.rows.length === 0 ? (
            <Empty>No page shares links with it.</Empty>
          ) : (
            <ul class="links">
              {told.rows.map((row) => (
                <li key={row.page}>
                  <PageName named={row} from={from} />
                  <span class="anchor">
                    {row.cocited > 0 && `${count(row.cocited, "page")} ${row.cocited === 1 ? "links" : "link"} to both`}
                    {row.cocited > 0 && row.coupled > 0 && " · "}
                    {row.coupled > 0 && `both link to ${count(row.coupled, "page")}`}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </section>
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
