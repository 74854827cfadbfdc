/** A page's scores, and one of them taken apart: who brought how much of it. */

import type { Explained, PageScores } from "../../ask/shapes";
import { useAsk } from "../../ask/use";
import { Answered, Empty } from "../../pieces/answered";
import { useBaseOptions } from "../../pieces/baseset";
import { Bar, Choice, Wide } from "../../pieces/small";
import { bare, clean, count, number, score, share } from "../../pieces/words";
import { type Place, changed, to } from "../../route";

interface Props {
  place: Place;
  url: string;
  query: string;
  usual: string;
  from: string;
}

export function Scores({ place, url, query, usual, from }: Props) {
  const whole = query === "" || place.search.get("among") === "all";
  const among = whole ? "" : query;
  const base = useBaseOptions(new URLSearchParams(from));
  const given = whole ? {} : base.given;
  const scores = useAsk<PageScores>(base.known ? "page/scores" : null, { url, query: among, ...given });
  const method = place.search.get("by") ?? (whole ? usual : "hits");
  const [name = usual, part = ""] = method.split(":");
  const group = place.search.get("group") ?? "page";
  const why = useAsk<Explained>(base.known ? `why/${name}` : null, { url, by: part, group, query: among, top: 15, ...given });
  return (
    <section class="why">
      <div class="tools">
        <h2>Scores, and why</h2>
        {query && (
          <Choice
            place={place}
            name="among"
            label="Among"
            chosen={whole ? "all" : "query"}
            of={[
              ["query", `Pages around ${query}`],
              ["all", "The whole collection"],
            ]}
          />
        )}
      </div>
      <div class="beside even">
        <Answered asked={scores} what="its scores">
          {(told) =>
            told.rows.length === 0 ? (
              <Empty>It is not among the pages that were ranked.</Empty>
            ) : (
              <ScoreTable told={told} place={place} method={name} part={part} />
            )
          }
        </Answered>
        <div>
          <div class="tools">
            <h3>Why by {name}</h3>
            <Choice
              place={place}
              name="group"
              label="Taken apart by"
              chosen={group}
              of={[
                ["page", "Page"],
                ["site", "Site"],
                ["anchor", "Anchor text"],
              ]}
            />
          </div>
          <Answered asked={why} what="who brought the score">
            {(told) => <Waterfall told={told} group={group} from={from} />}
          </Answered>
        </div>
      </div>
    </section>
  );
}

function ScoreTable({ told, place, method, part }: { told: PageScores; place: Place; method: string; part: string }) {
  const first = new Set<string>();
  return (
    <Wide label="Scores">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">method</th>
            <th scope="col" class="number">
              score
            </th>
            <th scope="col" class="number">
              place
            </th>
          </tr>
        </thead>
        <tbody>
          {told.rows.map((row) => {
            const lead = !first.has(row.method);
            first.add(row.method);
            const chosen = row.method === method && (part ? row.by === part : lead);
            return (
              <tr key={`${row.method} ${row.by}`} class={chosen ? "chosen" : undefined}>
                <th scope="row">
                  <a href={changed(place, { by: `${row.method}:${row.by}` })} aria-current={chosen ? "true" : undefined}>
                    {row.method}
                    {row.by !== "score" && ` ${row.by}`}
                  </a>
                </th>
                <td class="number">{score(row.score)}</td>
                <td class="number">
                  <b>{number(row.place)}</b> of {number(row.of)}
                  <Bar share={1 - (row.place - 1) / Math.max(row.of, 1)} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Wide>
  );
}

/** Each part begins where the one before it ended; with those not listed they are the score. */
function Waterfall({ told, group, from }: { told: Explained; group: string; from: string }) {
  if (told.rows.length === 0) return <Empty>Nothing brought it a score.</Empty>;
  let sum = 0;
  const rows = told.rows.map((row) => {
    const start = sum;
    sum += row.share ?? 0;
    return { ...row, start };
  });
  const rest = told.score ? told.more / told.score : 0;
  const whole = Math.max(sum, 1e-300);
  return (
    <>
      <p class="soft">
        {told.by === "score" ? "score" : told.by} {score(told.score)}: place {number(told.place)} of {number(told.of)}
      </p>
      <ol class="waterfall">
        {rows.map((row) => (
          <li key={row.source}>
            <span class="source">
              <Source name={row.source} group={group} from={from} />
              {row.pages > 1 && <span class="soft"> {count(row.pages, "page")}</span>}
            </span>
            <Bar share={(row.share ?? 0) / whole} from={row.start / whole} />
            <span class="number">{share(row.share)}</span>
          </li>
        ))}
        {told.total > rows.length && (
          <li>
            <span class="source soft">{number(told.total - rows.length)} more, each bringing less</span>
            <span />
            <span class="number">{share(rest)}</span>
          </li>
        )}
      </ol>
    </>
  );
}

function Source({ name, group, from }: { name: string; group: string; from: string }) {
  const words = clean(name);
  if (words.startsWith("(") && words.endsWith(")")) return <i>{words.slice(1, -1)}</i>;
  if (group === "page")
    return (
      <a href={to("/page", { url: name, from })}>
        <bdi>{bare(name)}</bdi>
      </a>
    );
  if (group === "site")
    return (
      <a href={to("/search", { query: `site:${name}` })}>
        <bdi>{words}</bdi>
      </a>
    );
  return (
    <q>
      <bdi>{words}</bdi>
    </q>
  );
}
