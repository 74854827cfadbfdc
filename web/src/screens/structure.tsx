/** Structure: the bow-tie, laws of degrees, distances, parts that hang together, pages that nobody finds. */

import type { Level, Structure } from "../ask/shapes";
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

export function StructureScreen({ place, facts }: ScreenProps) {
  const level = (place.search.get("level") ?? "page") as Level;
  const asked = useAsk<Structure>("structure", { level });
  useTitle("Structure");
  return (
    <div class="structure-screen">
      <section>
        <p class="above">Structure of</p>
        <h1>
          <bdi>{facts.name}</bdi>
        </h1>
        <Choice place={place} name="level" label="Links between" chosen={level} of={LEVELS} />
        <Answered asked={asked} what="the size of the graph" lines={1}>
          {(told) => (
            <p class="soft">
              {count(told.nodes, told.level)} with {count(told.links, "link")}. <a href="/hosts">All hosts</a> · <a href="/sites">Compare two sites</a>
            </p>
          )}
        </Answered>
      </section>
      {asked.data?.nodes === 0 ? (
        <Empty>The collection is empty: it has no shape yet.</Empty>
      ) : (
        <>
          <BowTie place={place} level={level} />
          <Degrees level={level} />
          <Distances level={level} />
          <Parts level={level} ends={asked.data} />
          <Lost place={place} level={level} />
        </>
      )}
    </div>
  );
}
