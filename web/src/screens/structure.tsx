/** Structure: bow-tie, degree distributions, distances, connected components, orphans. */

import { useState } from "preact/hooks";
import type { Level } from "../api/derived";
import type { GraphCountsResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { LEVELS, LinkTabs, useDocumentTitle } from "../pieces/controls";
import { formatCount, formatNumber } from "../pieces/format";
import { ScreenHead } from "../pieces/screenHead";
import type { ScreenProps } from "../shell";
import { TagFilter, tagParams, type View } from "../pieces/tagFilter";
import { BowTieSection } from "./structure/bowtie";
import { DegreesSection } from "./structure/degrees";
import { Distances } from "./structure/distances";
import { OrphansSection } from "./structure/orphans";
import { ComponentsSection } from "./structure/components";

const PAGE_KINDS = ["captured", "error", "listed", "uncaptured"];

/** The bow-tie is loaded first; the other sections follow, so that they do not delay it. */
export function StructureScreen({ route, collection }: ScreenProps) {
  const level = (route.search.get("level") ?? "page") as Level;
  const tags = tagParams(route.search);
  const isWhole = Object.keys(tags).length === 0;
  const view: View = { level, ...tags };
  const key = JSON.stringify(view);
  const [loadedView, setLoadedView] = useState("");
  const bowTieLoaded = loadedView === key;
  const response = useApi<GraphCountsResponse>(bowTieLoaded || level !== "page" || !isWhole ? "structure/counts" : null, view);
  const pages = PAGE_KINDS.reduce((sum, kind) => sum + (collection.counts[kind] ?? 0), 0);
  useDocumentTitle("Structure");
  return (
    <div class="structure-screen">
      <section>
        <ScreenHead kicker="Structure of" heading={collection.name}>
          <LinkTabs route={route} name="level" label="Links between" chosen={level} tabs={LEVELS} />
          <TagFilter route={route} facets={collection.facets} resetParams={["region", "offset"]} />
        </ScreenHead>
        {level === "page" && isWhole ? (
          <GraphSize
            nodes={pages}
            links={collection.counts["links"] ?? 0}
            level={level}
            uncaptured={collection.counts["uncaptured"] ?? 0}
          />
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
          <BowTieSection route={route} view={view} onLoaded={() => setLoadedView(key)} />
          {bowTieLoaded && (
            <>
              <DegreesSection view={view} />
              <Distances view={view} />
              <ComponentsSection view={view} counts={response.data} />
              <OrphansSection route={route} view={view} />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** The size of the graph; the pages that are only linked are counted apart, as on the other screens. */
function GraphSize({ nodes, links, level, uncaptured = 0 }: { nodes: number; links: number; level: Level; uncaptured?: number }) {
  return (
    <p class="soft small tools">
      <span>
        {formatCount(nodes - uncaptured, level)}
        {uncaptured > 0 && <>, {formatNumber(uncaptured)} more linked but not captured,</>} with {formatCount(links, "link")}
      </span>
      <a href="/hosts">All hosts</a>
      <a href="/sites">Compare two sites</a>
    </p>
  );
}
