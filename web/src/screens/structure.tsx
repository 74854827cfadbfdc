/** Structure: bow-tie, degree distributions, distances, connected components, orphans. */

import { useState } from "preact/hooks";
import type { Level } from "../api/derived";
import type { GraphCountsResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { LEVELS, LinkTabs, useDocumentTitle } from "../pieces/controls";
import { formatCount } from "../pieces/format";
import type { ScreenProps } from "../shell";
import { BowTieSection } from "./structure/bowtie";
import { DegreesSection } from "./structure/degrees";
import { Distances } from "./structure/distances";
import { OrphansSection } from "./structure/orphans";
import { ComponentsSection } from "./structure/components";

const PAGE_KINDS = ["captured", "error", "listed", "uncaptured"];

/** The bow-tie is loaded first; the other sections follow, so that they do not delay it. */
export function StructureScreen({ route, collection }: ScreenProps) {
  const level = (route.search.get("level") ?? "page") as Level;
  const [loadedLevel, setLoadedLevel] = useState("");
  const bowTieLoaded = loadedLevel === level;
  const response = useApi<GraphCountsResponse>(bowTieLoaded || level !== "page" ? "structure/counts" : null, { level });
  const pages = PAGE_KINDS.reduce((sum, kind) => sum + (collection.counts[kind] ?? 0), 0);
  useDocumentTitle("Structure");
  return (
    <div class="structure-screen">
      <section>
        <p class="kicker">Structure of</p>
        <h1>
          <bdi>{collection.name}</bdi>
        </h1>
        <LinkTabs route={route} name="level" label="Links between" chosen={level} tabs={LEVELS} />
        {level === "page" ? (
          <GraphSize nodes={pages} links={collection.counts["links"] ?? 0} level={level} />
        ) : (
          <AsyncContent response={response} label="the size of the graph" placeholderLines={1}>
            {(counts) => <GraphSize nodes={counts.nodes} links={counts.links} level={counts.level} />}
          </AsyncContent>
        )}
      </section>
      {pages === 0 ? (
        <EmptyMessage>The collection is empty.</EmptyMessage>
      ) : (
        <>
          <BowTieSection route={route} level={level} onLoaded={setLoadedLevel} />
          {bowTieLoaded && (
            <>
              <DegreesSection level={level} />
              <Distances level={level} />
              <ComponentsSection level={level} counts={response.data} />
              <OrphansSection route={route} level={level} />
            </>
          )}
        </>
      )}
    </div>
  );
}

function GraphSize({ nodes, links, level }: { nodes: number; links: number; level: Level }) {
  return (
    <p class="soft">
      {formatCount(nodes, level)} with {formatCount(links, "link")}. <a href="/hosts">All hosts</a> · <a href="/sites">Compare two sites</a>
    </p>
  );
}
