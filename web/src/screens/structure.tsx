/** Structure: the bow-tie, laws of degrees, distances, parts that hang together, pages that nobody finds. */

import { useState } from "preact/hooks";
import type { Level, LooseEnds } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { Answered, Empty } from "../pieces/answered";
import { Choice, LEVELS, useTitle } from "../pieces/small";
import { count } from "../pieces/words";
import type { ScreenProps } from "../shell";
import { BowTie } from "./structure/bowtie";
import { Degrees } from "./structure/degrees";
import { Distances } from "./structure/distances";
import { Lost } from "./structure/lost";
import { Parts } from "./structure/parts";

const KINDS = ["fetched", "error", "listed", "seen"];

/** The bow-tie comes first; the rest is asked for when it is there, so as not to take its time. */
export function StructureScreen({ place, facts }: ScreenProps) {
  const level = (place.search.get("level") ?? "page") as Level;
  const [drawn, setDrawn] = useState("");
  const rest = drawn === level;
  const asked = useAsk<LooseEnds>(rest || level !== "page" ? "structure/ends" : null, { level });
  const pages = KINDS.reduce((sum, kind) => sum + (facts.counts[kind] ?? 0), 0);
  useTitle("Structure");
  return (
    <div class="structure-screen">
      <section>
        <p class="above">Structure of</p>
        <h1>
          <bdi>{facts.name}</bdi>
        </h1>
        <Choice place={place} name="level" label="Links between" chosen={level} of={LEVELS} />
        {level === "page" ? (
          <Size nodes={pages} links={facts.counts["links"] ?? 0} level={level} />
        ) : (
          <Answered asked={asked} what="the size of the graph" lines={1}>
            {(told) => <Size nodes={told.nodes} links={told.links} level={told.level} />}
          </Answered>
        )}
      </section>
      {pages === 0 ? (
        <Empty>The collection is empty: it has no shape yet.</Empty>
      ) : (
        <>
          <BowTie place={place} level={level} onDrawn={setDrawn} />
          {rest && (
            <>
              <Degrees level={level} />
              <Distances level={level} />
              <Parts level={level} ends={asked.data} />
              <Lost place={place} level={level} />
            </>
          )}
        </>
      )}
    </div>
  );
}

function Size({ nodes, links, level }: { nodes: number; links: number; level: Level }) {
  return (
    <p class="soft">
      {count(nodes, level)} with {count(links, "link")}. <a href="/hosts">All hosts</a> · <a href="/sites">Compare two sites</a>
    </p>
  );
}
