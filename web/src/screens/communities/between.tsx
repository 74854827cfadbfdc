/** The links that a cell of the matrix counts: from which page to which, and what they say. */

import type { CommunityLinks } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { Answered, Empty } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { Badge, colour, Files, Pager, Wide } from "../../pieces/small";
import { clean, count } from "../../pieces/words";
import { changed } from "../../route";
import type { Asking } from "./asking";
import { labelOf } from "./list";

const SIZE = 20;

export function Between({ asking, one, other }: { asking: Asking; one: number; other: number }) {
  const path = `communities/${asking.method}/links`;
  const offset = Number(asking.place.search.get("links") ?? 0);
  const params = { ...asking.params, community: one, other };
  const asked = useAsk<CommunityLinks>(path, { ...params, offset, top: SIZE });
  return (
    <section id="cell" class={`topic ${colour(one)}`} aria-label={`Links from community ${one} to ${other}`}>
      <Answered asked={asked} what={`the links from community ${one} to ${other}`}>
        {(found) => (
          <>
            <div class="tools">
              <h3>
                {count(found.total, "link")} {one === other ? "inside" : "from"} <Name asking={asking} number={found.community} label={found.label} />
                {one !== other && (
                  <>
                    {" "}
                    to <Name asking={asking} number={found.other} label={found.other_label} />
                  </>
                )}
              </h3>
              {found.total > 0 && <Files path={path} params={params} formats={["csv"]} />}
            </div>
            {found.rows.length === 0 && <Empty>No link leads from the one to the other.</Empty>}
            {found.rows.length > 0 && (
              <Wide label={`Links from community ${one} to ${other}`}>
                <table class="figures">
                  <thead>
                    <tr>
                      <th scope="col">from</th>
                      <th scope="col">to</th>
                      <th scope="col">saying</th>
                    </tr>
                  </thead>
                  <tbody>
                    {found.rows.map((row) => (
                      <tr key={`${row.source.page} ${row.target.page}`}>
                        <th scope="row">
                          <PageName named={row.source} from={asking.from} />
                        </th>
                        <td class="named-cell">
                          <PageName named={row.target} from={asking.from} />
                        </td>
                        <td class="named-cell">
                          <bdi>{row.anchors.map(clean).join(", ")}</bdi>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Wide>
            )}
            <Pager place={asking.place} name="links" offset={found.offset} size={SIZE} total={found.total} thing="link" />
          </>
        )}
      </Answered>
    </section>
  );
}

function Name({ asking, number, label }: { asking: Asking; number: number; label: string }) {
  return (
    <>
      <Badge topic={number} />{" "}
      <a href={changed(asking.place, { view: null, community: number === 1 ? null : number, with: null, links: null })}>
        <bdi>{labelOf({ label })}</bdi>
      </a>
    </>
  );
}
