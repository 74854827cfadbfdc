/** The links into a page, or out of it, with what they say. */

import type { PageLinks } from "../../ask/shapes";
import { useAsk } from "../../ask/use";
import { Answered, Empty } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { Files, Pager } from "../../pieces/small";
import { clean, count } from "../../pieces/words";
import type { Place } from "../../route";

const SIZE = 10;

interface Props {
  place: Place;
  url: string;
  direction: "in" | "out";
  from: string;
  total: number;
}

export function LinkTable({ place, url, direction, from, total }: Props) {
  const offset = Number(place.search.get(direction) ?? 0);
  const asked = useAsk<PageLinks>("page/links", { url, direction, offset, top: SIZE });
  return (
    <section id={direction}>
      <div class="tools">
        <h2>{direction === "in" ? "Linked by" : "Links to"}</h2>
        <span class="soft">
          {count(total, "page")} <Files path="page/links" params={{ url, direction, top: 500 }} formats={["csv"]} />
        </span>
      </div>
      <Answered asked={asked} what={direction === "in" ? "links into the page" : "links out of the page"}>
        {(links) =>
          links.total === 0 ? (
            <Empty>{direction === "in" ? "No page of the collection links to it." : "It links to no other page, or was never fetched."}</Empty>
          ) : (
            <>
              <ul class="links">
                {links.rows.map((row, k) => (
                  <li key={k}>
                    <PageName named={row} from={from} />
                    {row.anchor && (
                      <span class="anchor">
                        {direction === "in" ? "says " : "called "}
                        <q>
                          <bdi>{clean(row.anchor)}</bdi>
                        </q>
                      </span>
                    )}
                  </li>
                ))}
              </ul>
              <Pager place={place} name={direction} offset={offset} size={SIZE} total={links.total} thing="link" />
            </>
          )
        }
      </Answered>
    </section>
  );
}
