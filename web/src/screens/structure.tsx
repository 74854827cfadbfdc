/** Structure: degrees, parts that hang together, loose ends. */

import type { Bin, Components, Structure } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { DegreePlot } from "../draw/degrees";
import { Answered, Empty } from "../pieces/answered";
import { Bar, Choice, LEVELS, useTitle, Wide } from "../pieces/small";
import { count, number, share } from "../pieces/words";
import { to } from "../route";
import type { ScreenProps } from "../shell";

export function StructureScreen({ place, facts }: ScreenProps) {
  const level = place.search.get("level") ?? "page";
  const asked = useAsk<Structure>("structure", { level });
  useTitle("Structure");
  return (
    <div>
      <section>
        <p class="above">Structure of</p>
        <h1>
          <bdi>{facts.name}</bdi>
        </h1>
        <Choice
          place={place}
          name="level"
          label="Links between"
          chosen={level}
          of={LEVELS}
        />
      </section>
      <Answered asked={asked} what="the shape of the graph" lines={10}>
        {(told) => (told.nodes === 0 ? <Empty>The collection is empty: it has no shape yet.</Empty> : <Shape told={told} />)}
      </Answered>
    </div>
  );
}

function Shape({ told }: { told: Structure }) {
  const thing = told.level;
  return (
    <>
      <section class="roles plots">
        <DegreePlot heading="Links in" bins={told.indegrees} thing={thing} verb="linked by" evidence={(bin) => evidence(told, bin)} />
        <DegreePlot heading="Links out" bins={told.outdegrees} thing={thing} verb="linking to" />
      </section>
      <section class="roles">
        <div>
          <h2>Loose ends</h2>
          <Wide label="Loose ends">
            <table class="figures">
              <tbody>
                <Loose words="nothing links to them" value={told.unlinked} of={told.nodes} href={last(told)} />
                <Loose words="they link to nothing" value={told.dangling} of={told.nodes} />
                <Loose words="neither" value={told.isolated} of={told.nodes} />
              </tbody>
            </table>
          </Wide>
          <p class="soft">
            Of {count(told.nodes, thing)} with {count(told.links, "link")}. Pages that were only seen link to nothing, since nobody read them.
          </p>
          <p>
            <a href="/hosts">All hosts with their pages and links</a>
          </p>
        </div>
        <div>
          <h2>Parts that hang together</h2>
          <Parts parts={told.weak} of={told.nodes} thing={thing} words="whichever way links point" />
          <Parts parts={told.strong} of={told.nodes} thing={thing} words="following links, from each to every other" />
        </div>
      </section>
    </>
  );
}

/** Where the nodes with a number of links in can be seen: a place in the ranking by in-degree. */
function evidence(told: Structure, bin: Bin): string {
  const before = told.indegrees.filter((other) => other.value > bin.value).reduce((sum, other) => sum + other.count, 0);
  return to("/ranking", { method: "indegree", between: told.level === "domain" ? "domain" : told.level, level: told.level === "page" ? "" : told.level, offset: before || "" });
}

function last(told: Structure): string {
  return evidence(told, { value: 0, count: told.unlinked });
}

function Loose({ words, value, of, href }: { words: string; value: number; of: number; href?: string }) {
  return (
    <tr>
      <th scope="row">{href && value > 0 ? <a href={href}>{words}</a> : words}</th>
      <td class="number">
        {number(value)}
        <Bar share={value / Math.max(of, 1)} />
      </td>
      <td class="number soft">{share(value / Math.max(of, 1))}</td>
    </tr>
  );
}

function Parts({ parts, of, thing, words }: { parts: Components; of: number; thing: string; words: string }) {
  const largest = [...parts.sizes].sort((a, b) => b.value - a.value);
  const shown = largest.slice(0, 6);
  const rest = largest.slice(6).reduce((sum, bin) => sum + bin.count, 0);
  return (
    <div class="parts">
      <p>
        <b>{count(parts.count, "part")}</b> <span class="soft">{words}</span>
      </p>
      <ul class="plain">
        {shown.map((bin) => (
          <li key={bin.value}>
            <span>
              {number(bin.count)} × {count(bin.value, thing)}
            </span>
            <Bar share={(bin.count * bin.value) / Math.max(of, 1)} />
          </li>
        ))}
        {rest > 0 && <li class="soft">and {count(rest, "part")} of other sizes</li>}
      </ul>
    </div>
  );
}
