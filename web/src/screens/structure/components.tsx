/** Connected components, reciprocity, and nodes without links. */

import type { Level } from "../../api/derived";
import type { GraphCountsResponse, ShapeResponse } from "../../api/schemas";
import { numberOrNull, pageRefIn, tableRecords } from "../../api/tables";
import { useApi } from "../../api/useApi";
import type { View } from "../../pieces/tagFilter";
import { AsyncContent } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { Bar, ScrollableTable } from "../../pieces/controls";
import { FactList, FigureDownloads, Notes } from "../../pieces/notes";
import { formatCount, formatNumber, formatPercent, toSentence } from "../../pieces/format";
import { buildUrl } from "../../route";

const FIRST = 6;
const CONNECTIONS = [
  ["weak", "weakly connected: ignoring the direction of links"],
  ["strong", "strongly connected: a path in both directions"],
] as const;

export function ComponentsSection({ view, counts }: { view: View; counts: GraphCountsResponse | undefined }) {
  return (
    <section class="roles" id="components">
      <ComponentSizes view={view} />
      <div>
        <Reciprocity view={view} />
        {counts && counts.nodes > 0 && <UnlinkedNodes counts={counts} view={view} />}
      </div>
    </section>
  );
}

function ComponentSizes({ view }: { view: View }) {
  const { level } = view;
  const path = "structure/components";
  const response = useApi<ShapeResponse>(path, { ...view, top: 200 });
  return (
    <div>
      <div class="tools">
        <h2>Connected components</h2>
        {response.data && <FigureDownloads path={path} params={view} table="sizes" picture={response.data.pictures[0]} />}
      </div>
      <AsyncContent response={response} label="the components">
        {(data) => {
          const all = numberOrNull(data.facts[`${level}s`]) ?? numberOrNull(data.facts["pages"]) ?? 0;
          return (
            <>
              {CONNECTIONS.map(([connection, description]) => (
                <ComponentsOfKind key={connection} data={data} connection={connection} description={description} level={level} all={all} />
              ))}
              <Notes notes={data.notes} />
            </>
          );
        }}
      </AsyncContent>
    </div>
  );
}

function ComponentsOfKind({
  data,
  connection,
  description,
  level,
  all,
}: {
  data: ShapeResponse;
  connection: string;
  description: string;
  level: Level;
  all: number;
}) {
  const sizes = tableRecords(data.tables["sizes"])
    .filter((row) => row["connection"] === connection)
    .map((row) => ({
      size: numberOrNull(row["size"]) ?? 0,
      components: numberOrNull(row["components"]) ?? 0,
      pages: numberOrNull(row["pages"]) ?? 0,
    }))
    .sort((a, b) => b.size - a.size);
  const largest = tableRecords(data.tables["largest"]).filter(
    (row) => row["connection"] === connection && (numberOrNull(row["pages"]) ?? 0) > 1,
  );
  const exponent = numberOrNull(data.facts[`exponent of ${connection} sizes`]);
  const otherComponents = sizes.slice(FIRST).reduce((sum, row) => sum + row.components, 0);
  return (
    <div class="components">
      <p>
        <b>{formatCount(numberOrNull(data.facts[`${connection} components`]) ?? 0, "component")}</b>{" "}
        <span class="soft">
          {description}
          {exponent !== null && `; exponent of the sizes ${exponent.toFixed(2)}`}
        </span>
      </p>
      <ul class="plain">
        {sizes.slice(0, FIRST).map((row) => (
          <li key={row.size}>
            <span>
              {formatNumber(row.components)} × {formatCount(row.size, level)}
            </span>
            <Bar share={row.pages / Math.max(all, 1)} />
          </li>
        ))}
        {otherComponents > 0 && <li class="soft">and {formatCount(otherComponents, "component")} of other sizes</li>}
      </ul>
      {largest.length > 0 && (
        <details class="small">
          <summary>Example {level}s of the largest</summary>
          <ul class="links">
            {largest.slice(0, 10).map((row) => (
              <li key={String(row["component"])}>
                <span class="soft">{formatCount(numberOrNull(row["pages"]) ?? 0, level)}: </span>
                <PageName pageRef={pageRefIn(data, String(row["first page"]))} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Reciprocity({ view }: { view: View }) {
  const { level } = view;
  const path = "structure/reciprocity";
  const response = useApi<ShapeResponse>(path, { ...view, top: 8 });
  return (
    <div>
      <div class="tools">
        <h2>Reciprocity</h2>
        {response.data && <FigureDownloads path={path} params={view} table="pages" />}
      </div>
      <AsyncContent response={response} label="the reciprocity">
        {(data) => {
          const fact = (name: string) => numberOrNull(data.facts[name]);
          const rows = tableRecords(data.tables["pages"]);
          return (
            <>
              <FactList
                rows={[
                  ["Reciprocity", formatPercent(fact("reciprocity")), "share of links whose target links back"],
                  ["By chance", formatPercent(fact("by chance")), "expected for the same number of random links"],
                  ["Mutual pairs", formatNumber(fact("mutual pairs") ?? 0)],
                ]}
              />
              {rows.length > 0 && (
                <details class="small">
                  <summary>{toSentence(`${level}s with most reciprocal links`).slice(0, -1)}</summary>
                  <ul class="links">
                    {rows.map((row) => (
                      <li key={String(row["page"])}>
                        <PageName pageRef={pageRefIn(data, String(row["page"]))} />
                        <span class="anchor">
                          {formatNumber(numberOrNull(row["mutual"]) ?? 0)} of {formatCount(numberOrNull(row["links out"]) ?? 0, "out-link")}{" "}
                          are reciprocal
                        </span>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          );
        }}
      </AsyncContent>
    </div>
  );
}

function UnlinkedNodes({ counts, view }: { counts: GraphCountsResponse; view: View }) {
  const rows: [string, number, string?][] = [
    [
      "without in-links",
      counts.unlinked,
      buildUrl("/ranking", {
        ...view,
        method: "indegree",
        between: counts.level,
        level: counts.level === "page" ? "" : counts.level,
        offset: counts.nodes - counts.unlinked || "",
      }),
    ],
    ["without out-links", counts.dangling],
    ["without any link", counts.isolated],
  ];
  return (
    <div class="unlinked">
      <h2>Nodes without links</h2>
      <ScrollableTable label="Nodes without links">
        <table class="figures">
          <tbody>
            {rows.map(([description, value, href]) => (
              <tr key={description}>
                <th scope="row">{href && value > 0 ? <a href={href}>{description}</a> : description}</th>
                <td class="number">
                  {formatNumber(value)}
                  <Bar share={value / Math.max(counts.nodes, 1)} />
                </td>
                <td class="number soft">{formatPercent(value / Math.max(counts.nodes, 1))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollableTable>
      <p class="soft small">
        Of all {formatCount(counts.nodes, counts.level)}, including those not captured, whose links are unknown.{" "}
        <a href="#orphans">Orphans</a> count only captured {counts.level}s, without home pages.
      </p>
    </div>
  );
}
