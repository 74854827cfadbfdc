/** The bow-tie, and the pages of the selected region. */

import { useEffect } from "preact/hooks";
import type { Level } from "../../api/derived";
import type { RegionPagesResponse, ShapeResponse } from "../../api/schemas";
import { numberOrNull, tableRecords } from "../../api/tables";
import { useApi } from "../../api/useApi";
import type { View } from "../../pieces/tagFilter";
import { Plot } from "../../draw/plot";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { PageTable } from "../../pieces/pageTable";
import { capitalise, regionColourClass } from "../../pieces/regions";
import { Bar, DownloadLinks, Pager, ScrollableTable } from "../../pieces/controls";
import { FigureDownloads, Notes } from "../../pieces/notes";
import { formatCount, formatNumber, formatPercent, toSentence } from "../../pieces/format";
import { buildUrl, type Route, withParams } from "../../route";

const SIZE = 20;
const PATH = "structure/bow-tie";

interface Region {
  region: string;
  pages: number;
  share: number;
  meaning: string;
}

/** `onLoaded` is called once the bow-tie of a view has loaded or failed. */
export function BowTieSection({ route, view, onLoaded }: { route: Route; view: View; onLoaded: () => void }) {
  const { level } = view;
  const response = useApi<ShapeResponse>(PATH, { ...view, table: "regions" });
  const finished = response.fresh || response.problem !== undefined;
  useEffect(() => {
    if (finished) onLoaded();
  }, [finished, JSON.stringify(view)]);
  return (
    <section id="bow-tie">
      <div class="tools">
        <h2>Bow-tie</h2>
        {response.data && <FigureDownloads path={PATH} params={view} table="regions" picture={response.data.pictures[0]} />}
      </div>
      <p class="soft">
        In leads to the core, the largest strongly connected component, and the core leads to Out. Select a region to list its {level}s.{" "}
        <a href={buildUrl("/method", { kind: "structure", name: "bow-tie" })}>About the bow-tie</a>
      </p>
      <AsyncContent response={response} label="the bow-tie" placeholderLines={9}>
        {(data) => <BowTieDetails data={data} route={route} view={view} />}
      </AsyncContent>
    </section>
  );
}

function BowTieDetails({ data, route, view }: { data: ShapeResponse; route: Route; view: View }) {
  const { level } = view;
  const regions = tableRecords(data.tables["regions"]).map(
    (row): Region => ({
      region: String(row["region"]),
      pages: numberOrNull(row["pages"]) ?? 0,
      share: numberOrNull(row["share"]) ?? 0,
      meaning: String(row["meaning"]),
    }),
  );
  const core = data.facts["core"] !== "no core";
  const chosen = route.search.get("region") ?? (core ? "" : "no core");
  const href = (region: string) => `${withParams(route, { region: region === chosen ? null : region, offset: null })}#region`;
  return (
    <>
      {core ? (
        <div class="beside even bow-tie">
          <div class="bowtie">
            <Plot path={PATH} params={view} picture="bow-tie" href={href} chosen={chosen} />
            <p class="soft small">Areas are proportional to the number of {level}s.</p>
          </div>
          <div>
            <RegionTable regions={regions} chosen={chosen} level={level} href={href} />
            <BowTieFacts data={data} level={level} />
            <Notes notes={data.notes} />
          </div>
        </div>
      ) : (
        <>
          <NoCore data={data} level={level} />
          <Notes notes={data.notes.slice(1)} />
        </>
      )}
      {regions.some((row) => row.region === chosen && row.pages > 0) && <RegionPages region={chosen} route={route} view={view} />}
    </>
  );
}

/** Shown instead of the diagram if there is no core. */
function NoCore({ data, level }: { data: ShapeResponse; level: Level }) {
  return (
    <div class="no-core">
      <svg viewBox="0 0 220 90" width="220" height="90" aria-hidden="true">
        <path d="M88 45Q48 38 8 12V78Q48 52 88 45" />
        <path d="M132 45Q172 38 212 12V78Q172 52 132 45" />
        <circle cx="110" cy="45" r="22" />
      </svg>
      <div>
        <p>
          <b>No core, no bow-tie.</b> {toSentence((data.notes[0] ?? "").replace(/^no core: /, ""))}
        </p>
        <p class="soft">
          {formatCount(numberOrNull(data.facts[`${level}s`]) ?? 0, level)} in{" "}
          {formatCount(numberOrNull(data.facts["weak components"]) ?? 0, "weakly connected component")}
          {level === "page" && ". The graph of hosts may still have a core: select another level above"}.
        </p>
      </div>
    </div>
  );
}

function RegionTable({
  regions,
  chosen,
  level,
  href,
}: {
  regions: readonly Region[];
  chosen: string;
  level: Level;
  href: (region: string) => string;
}) {
  return (
    <ScrollableTable label="Regions of the bow-tie">
      <table class="figures regions">
        <thead>
          <tr>
            <th scope="col">region</th>
            <th scope="col" class="number">
              {level}s
            </th>
            <th scope="col" class="number">
              share
            </th>
          </tr>
        </thead>
        <tbody>
          {regions.map((row) => (
            <tr key={row.region} class={`${regionColourClass(row.region)} ${row.region === chosen ? "chosen" : ""}`}>
              <th scope="row">
                <span class="dot own" />
                {row.pages > 0 ? (
                  <a href={href(row.region)} aria-current={row.region === chosen ? "true" : undefined}>
                    {capitalise(row.region)}
                  </a>
                ) : (
                  capitalise(row.region)
                )}{" "}
                <span class="soft small">{row.meaning}</span>
              </th>
              <td class="number">{formatNumber(row.pages)}</td>
              <td class="number">
                {formatPercent(row.share)}
                <Bar share={row.share} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

/** Tendrils by two definitions, and the share of connected pairs. */
function BowTieFacts({ data, level }: { data: ShapeResponse; level: Level }) {
  const fact = (name: string) => numberOrNull(data.facts[name]) ?? 0;
  const error = fact("error of the share of connected pairs");
  const [tendrils, byBroder] = [fact("tendrils in") + fact("tendrils out"), fact("tendrils by Broder")];
  return (
    <p class="soft small">
      {byBroder > 0 &&
        `Tendrils: ${formatNumber(tendrils)} reachable from In or leading to Out; ${formatNumber(byBroder)} by the definition of Broder et al., with everything else connected to the bow-tie. `}
      A path leads from one {level} to another in {formatPercent(fact("share of connected pairs"))} of all ordered pairs
      {error > 0 && ` (± ${formatPercent(error)}, estimated)`}.
    </p>
  );
}

function RegionPages({ region, route, view }: { region: string; route: Route; view: View }) {
  const { level } = view;
  const offset = Number(route.search.get("offset") ?? 0);
  const response = useApi<RegionPagesResponse>(`${PATH}/region`, { region, level, offset, top: SIZE });
  return (
    <section id="region" class={`topic ${regionColourClass(region)}`} aria-label={`Region ${region}`}>
      <AsyncContent response={response} label={`the ${level}s of ${region}`}>
        {(data) => (
          <>
            <div class="tools">
              <h3>
                {region === "no core" ? "All" : `${capitalise(data.region)}:`} {formatCount(data.total, level)}
              </h3>
              <DownloadLinks path={`${PATH}/region`} params={{ region, ...view }} formats={["csv"]} />
              {region !== "no core" && <a href={withParams(route, { region: null, offset: null })}>Close</a>}
            </div>
            <p class="soft">
              {region !== "no core" && toSentence(data.meaning)} In descending order of in-links, which are counted within the graph.
            </p>
            {data.rows.length === 0 ? (
              <EmptyMessage>The region is empty.</EmptyMessage>
            ) : (
              <PageTable
                label={`${level}s of the region ${region}`}
                level={level}
                rows={data.rows}
                columns={[
                  ["in-links", (row) => formatNumber(row.inlinks)],
                  ["out-links", (row) => formatNumber(row.outlinks)],
                ]}
              />
            )}
            <Pager route={route} name="offset" offset={data.offset} size={SIZE} total={data.total} unit={level} of="the region" />
          </>
        )}
      </AsyncContent>
    </section>
  );
}
