/** Distances between pages, and depths from the home pages. */

import type { ShapeResponse } from "../../api/schemas";
import { numberOrNull } from "../../api/tables";
import { useApi } from "../../api/useApi";
import type { View } from "../../pieces/tagFilter";
import { Plot } from "../../draw/plot";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { FactList, FigureDownloads, Notes } from "../../pieces/notes";
import { formatCount, formatNumber, formatPercent, formatScore } from "../../pieces/format";
import { buildUrl } from "../../route";

export function Distances({ view }: { view: View }) {
  return (
    <section class="roles" id="distances">
      <PairDistances view={view} />
      <DepthFromHome view={view} />
    </section>
  );
}

function PairDistances({ view }: { view: View }) {
  const { level } = view;
  const path = "structure/distances";
  const response = useApi<ShapeResponse>(path, { ...view, table: "distances", top: 1 });
  return (
    <figure>
      <div class="tools">
        <h2>Distances</h2>
        {response.data && <FigureDownloads path={path} params={view} table="distances" picture={response.data.pictures[0]} />}
      </div>
      <AsyncContent response={response} label="the distances" placeholderLines={9}>
        {(data) => {
          const fact = (name: string) => numberOrNull(data.facts[name]);
          const [average, effective] = [fact("average distance"), fact("effective diameter")];
          if (average === null) return <EmptyMessage>No {level} links to another: there are no distances.</EmptyMessage>;
          const exact = data.facts["algorithm"] === "exact";
          return (
            <>
              <Plot path={path} params={view} picture="distances" />
              <p class="result">
                <span class={exact ? "verdict first good" : "verdict first"}>{exact ? "exact" : String(data.facts["algorithm"])}</span>{" "}
                {exact
                  ? `searched from all ${formatCount(fact("pages") ?? fact(`${level}s`) ?? 0, level)}`
                  : `searched from ${formatNumber(fact("sources") ?? 0)} of ${formatCount(fact("pages") ?? fact(`${level}s`) ?? 0, level)}`}
              </p>
              <FactList
                rows={[
                  ["Average distance", formatWithError(average, fact("error of the average distance")), "clicks, over connected pairs"],
                  [
                    "Effective diameter",
                    formatWithError(effective, fact("error of the effective diameter")),
                    `${formatPercent(numberOrNull(data.options["quantile"] as number) ?? 0.9)} of connected pairs are at most this far apart`,
                  ],
                  ["Diameter", formatNumber(fact("diameter") ?? 0), `longest shortest path: ${String(data.facts["diameter is"] ?? "")}`],
                  ["Connected pairs", formatPercent(fact("share of connected pairs")), "of all ordered pairs"],
                ]}
              />
              <Notes notes={data.notes} />
            </>
          );
        }}
      </AsyncContent>
    </figure>
  );
}

function DepthFromHome({ view }: { view: View }) {
  const path = "structure/depth";
  const response = useApi<ShapeResponse>(path, { ...view, table: "depth", top: 1 });
  return (
    <figure>
      <div class="tools">
        <h2>Depth</h2>
        {response.data && <FigureDownloads path={path} params={view} table="depth" picture={response.data.pictures[0]} />}
      </div>
      <AsyncContent response={response} label="the depth" placeholderLines={9}>
        {(data) => {
          const fact = (name: string) => numberOrNull(data.facts[name]);
          const within = numberOrNull(data.options["within"] as number) ?? 3;
          if (data.tables["depth"]?.total === 0) return <EmptyMessage>There is no home page.</EmptyMessage>;
          return (
            <>
              <Plot path={path} params={view} picture="depth" />
              <p class="result">
                {formatPercent(fact(`share within ${within} clicks`))} within {within} clicks
              </p>
              <FactList
                rows={[
                  ["Average depth", formatScore(fact("average depth")), "clicks from the nearest home page"],
                  ["Deepest", formatNumber(fact("deepest") ?? 0), "clicks"],
                  ["Not reached", formatNumber(fact("not reached from home") ?? 0), "no path leads there from a home page"],
                ]}
              />
              <Notes notes={data.notes} />
              <p>
                <a href={buildUrl("/method", { kind: "structure", name: "depth" })}>About depth</a>
              </p>
            </>
          );
        }}
      </AsyncContent>
    </figure>
  );
}

function formatWithError(value: number | null, error: number | null): string {
  if (value === null) return "unknown";
  return error ? `${value.toFixed(2)} ± ${error.toFixed(2)}` : value.toFixed(2);
}
