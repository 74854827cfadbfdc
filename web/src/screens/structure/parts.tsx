/** Parts that hang together, links that are answered, and loose ends. */

import type { Level, LooseEnds } from "../../ask/shapes";
import { type ShapeFound, amount, namedIn, records } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { Answered } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { Bar, Wide } from "../../pieces/small";
import { FactList, Kept, Notes } from "../../pieces/told";
import { count, number, share } from "../../pieces/words";
import { to } from "../../route";

const FIRST = 6;
const CONNECTIONS = [
  ["weak", "whichever way links point"],
  ["strong", "following links, from each to every other"],
] as const;

export function Parts({ level, ends }: { level: Level; ends: LooseEnds | undefined }) {
  return (
    <section class="roles" id="parts">
      <Components level={level} />
      <div>
        <Answers level={level} />
        {ends && ends.nodes > 0 && <Ends ends={ends} />}
      </div>
    </section>
  );
}

function Components({ level }: { level: Level }) {
  const path = "structure/components";
  const asked = useAsk<ShapeFound>(path, { level, top: 200 });
  return (
    <div>
      <div class="tools">
        <h2>Parts that hang together</h2>
        {asked.data && <Kept path={path} params={{ level }} table="sizes" picture={asked.data.pictures[0]} />}
      </div>
      <Answered asked={asked} what="the components">
        {(found) => {
          const all = amount(found.facts[`${level}s`]) ?? amount(found.facts["pages"]) ?? 0;
          return (
            <>
              {CONNECTIONS.map(([connection, words]) => (
                <Connection key={connection} found={found} connection={connection} words={words} level={level} all={all} />
              ))}
              <Notes notes={found.notes} />
            </>
          );
        }}
      </Answered>
    </div>
  );
}

function Connection({ found, connection, words, level, all }: { found: ShapeFound; connection: string; words: string; level: Level; all: number }) {
  const sizes = records(found.tables["sizes"])
    .filter((row) => row["connection"] === connection)
    .map((row) => ({ size: amount(row["size"]) ?? 0, parts: amount(row["components"]) ?? 0, pages: amount(row["pages"]) ?? 0 }))
    .sort((a, b) => b.size - a.size);
  const largest = records(found.tables["largest"]).filter((row) => row["connection"] === connection && (amount(row["pages"]) ?? 0) > 1);
  const exponent = amount(found.facts[`exponent of ${connection} sizes`]);
  const rest = sizes.slice(FIRST).reduce((sum, one) => sum + one.parts, 0);
  return (
    <div class="parts">
      <p>
        <b>{count(amount(found.facts[`${connection} components`]) ?? 0, "part")}</b>{" "}
        <span class="soft">
          {words}
          {exponent !== null && `; sizes fall with the power ${exponent.toFixed(2)}`}
        </span>
      </p>
      <ul class="plain">
        {sizes.slice(0, FIRST).map((one) => (
          <li key={one.size}>
            <span>
              {number(one.parts)} × {count(one.size, level)}
            </span>
            <Bar share={one.pages / Math.max(all, 1)} />
          </li>
        ))}
        {rest > 0 && <li class="soft">and {count(rest, "part")} of other sizes</li>}
      </ul>
      {largest.length > 0 && (
        <details class="small">
          <summary>A {level} of each of the largest</summary>
          <ul class="links">
            {largest.slice(0, 10).map((row) => (
              <li key={String(row["component"])}>
                <span class="soft">{count(amount(row["pages"]) ?? 0, level)}: </span>
                <PageName named={namedIn(found, String(row["first page"]))} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Answers({ level }: { level: Level }) {
  const path = "structure/reciprocity";
  const asked = useAsk<ShapeFound>(path, { level, top: 8 });
  return (
    <div>
      <div class="tools">
        <h2>Links that are answered</h2>
        {asked.data && <Kept path={path} params={{ level }} table="pages" />}
      </div>
      <Answered asked={asked} what="the reciprocity">
        {(found) => {
          const fact = (name: string) => amount(found.facts[name]);
          const rows = records(found.tables["pages"]);
          return (
            <>
              <FactList
                rows={[
                  ["Reciprocity", share(fact("reciprocity")), "links whose target links back"],
                  ["By chance", share(fact("by chance")), "if the same number of links fell anywhere"],
                  ["Pairs that link to each other", number(fact("mutual pairs") ?? 0)],
                ]}
              />
              {rows.length > 0 && (
                <details class="small">
                  <summary>The {level}s with most answered links</summary>
                  <ul class="links">
                    {rows.map((row) => (
                      <li key={String(row["page"])}>
                        <PageName named={namedIn(found, String(row["page"]))} />
                        <span class="anchor">
                          {number(amount(row["mutual"]) ?? 0)} of {count(amount(row["links out"]) ?? 0, "link")} out are answered
                        </span>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          );
        }}
      </Answered>
    </div>
  );
}

function Ends({ ends }: { ends: LooseEnds }) {
  const rows: [string, number, string?][] = [
    ["nothing links to them", ends.unlinked, to("/ranking", { method: "indegree", between: ends.level, level: ends.level === "page" ? "" : ends.level, offset: ends.nodes - ends.unlinked || "" })],
    ["they link to nothing", ends.dangling],
    ["neither", ends.isolated],
  ];
  return (
    <div class="loose">
      <h2>Loose ends</h2>
      <Wide label="Loose ends">
        <table class="figures">
          <tbody>
            {rows.map(([words, value, href]) => (
              <tr key={words}>
                <th scope="row">{href && value > 0 ? <a href={href}>{words}</a> : words}</th>
                <td class="number">
                  {number(value)}
                  <Bar share={value / Math.max(ends.nodes, 1)} />
                </td>
                <td class="number soft">{share(value / Math.max(ends.nodes, 1))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      <p class="soft small">Of all {count(ends.nodes, ends.level)}, those only seen included; these link to nothing, since nobody read them. <a href="#lost">Orphans</a> are counted otherwise: only what
        was fetched, and without home.
      </p>
    </div>
  );
}
