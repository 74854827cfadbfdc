/** All that the numbers of a topic count: its pages, or its sites. */

import type { TopicMembers, TopicSites } from "../../ask/shapes";
import { useAsk } from "../../ask/use";
import { Answered } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { PageTable } from "../../pieces/pagetable";
import { Bar, Choice, Files, Pager, Wide } from "../../pieces/small";
import { count, number, score } from "../../pieces/words";
import { changed, to } from "../../route";
import type { Asking } from "./asking";

const SIZE = 50;

export function Members({ asking, topic, level, what }: { asking: Asking; topic: number; level: string; what: "pages" | "sites" }) {
  const { place } = asking;
  const offset = Number(place.search.get("at") ?? 0);
  const part = { asking, topic, offset, level };
  return (
    <section id="members">
      <p class="tools">
        <a href={changed(place, { list: null, order: null, at: null })}>← Best authorities and hubs</a>
      </p>
      {what === "pages" ? <Pages {...part} /> : <Sites {...part} />}
    </section>
  );
}

interface Part {
  asking: Asking;
  topic: number;
  offset: number;
  level: string;
}

function Pages({ asking, topic, offset, level }: Part) {
  const { place } = asking;
  const by = place.search.get("order") === "hub" ? "hub" : "authority";
  const path = `topics/${asking.method}/members`;
  const params = { ...asking.params, topic, by };
  const asked = useAsk<TopicMembers>(path, { ...params, offset, top: SIZE });
  return (
    <>
      <div class="tools">
        <h3>All its {level}s</h3>
        <Choice
          place={{ ...place, search: without(place.search, "at") }}
          name="order"
          label="Order by"
          chosen={by}
          of={[
            ["authority", "By authority"],
            ["hub", "By hub"],
          ]}
        />
        <Files path={path} params={params} formats={["csv"]} />
      </div>
      <Answered asked={asked} what={`all its ${level}s`} lines={12}>
        {(found) => (
          <>
            <PageTable
              label={`All ${level}s of the topic`}
              level={level}
              rows={found.rows}
              from={asking.from}
              place={(row) => number(row.place)}
              figures={[
                ["authority", (row) => score(row.authority)],
                ["hub", (row) => score(row.hub)],
              ]}
            />
            <Pager place={place} name="at" offset={offset} size={SIZE} total={found.total} thing={level} />
          </>
        )}
      </Answered>
    </>
  );
}

function Sites({ asking, topic, offset, level }: Part) {
  const path = `topics/${asking.method}/sites`;
  const params = { ...asking.params, topic };
  const asked = useAsk<TopicSites>(path, { ...params, offset, top: SIZE });
  return (
    <>
      <div class="tools">
        <h3>All its sites</h3>
        <Files path={path} params={params} formats={["csv"]} />
      </div>
      <Answered asked={asked} what="all its sites" lines={12}>
        {(found) => {
          const most = Math.max(1, ...found.rows.map((row) => row.pages));
          return (
            <>
              <p class="soft">
                {count(found.total, "site")} have its {count(found.pages, level)}.
              </p>
              <Wide label="All sites of the topic">
                <table class="figures members">
                  <thead>
                    <tr>
                      <th scope="col">site</th>
                      <th scope="col" class="number">
                        {level}s
                      </th>
                      <th scope="col">best of them</th>
                    </tr>
                  </thead>
                  <tbody>
                    {found.rows.map((row) => (
                      <tr key={row.site}>
                        <th scope="row">
                          <a href={to("/search", { query: `site:${row.site}` })}>
                            <bdi>{row.site}</bdi>
                          </a>
                          <Bar share={row.pages / most} />
                        </th>
                        <td class="number">{number(row.pages)}</td>
                        <td class="named-cell">
                          <PageName named={row.best} from={asking.from} plain />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Wide>
              <Pager place={asking.place} name="at" offset={offset} size={SIZE} total={found.total} thing="site" />
            </>
          );
        }}
      </Answered>
    </>
  );
}

function without(search: URLSearchParams, name: string): URLSearchParams {
  const rest = new URLSearchParams(search);
  rest.delete(name);
  return rest;
}
