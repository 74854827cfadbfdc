/** The links into a page, or out of it, with what they say. */

import type { PageLinks } from "../../ask/shapes";
import { useAsk } from "../../ask/use";
import { Answered, Empty } from "../../pieces/answered";
import { PageName, twins } from "../../pieces/names";
import { Files, Pager, Quote } from "../../pieces/small";
import { count } from "../../pieces/words";
import type { Place } from "../../route";

const SIZE = 10;
const LONG = 240;

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
                {links.rows.map((row) => (
                  <li key={row.page}>
                    <PageName named={row} from={from} whole={twins(links.rows).has(row.page)} />
                    <Said direction={direction} row={row} />
                  </li>
                ))}
              </ul>
              <Pager place={place} name={direction} offset={offset} size={SIZE} total={links.total} thing="page" />
            </>
          )
        }
      </Answered>
    </section>
  );
}

/** What the links between two pages say, and how many there are. */
function Said({ direction, row }: { direction: "in" | "out"; row: PageLinks["rows"][number] }) {
  if (row.anchors.length === 0 && row.links === 1) return null;
  return (
    <span class="anchor">
      {row.anchors.length > 0 && (direction === "in" ? "says " : "called ")}
      {row.anchors.map((anchor, k) => (
        <span key={anchor}>
          {k > 0 && ", "}
          <Quote words={anchor} most={LONG} />
        </span>
      ))}
      {row.links > 1 && `${row.anchors.length > 0 ? " · " : ""}${count(row.links, "link")}`}
    </span>
  );
}
