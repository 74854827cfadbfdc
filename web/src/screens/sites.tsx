/** Comparison of two sites: what theirs has that mine lacks, and which pages match. */

import type { ComponentChildren } from "preact";
import type { HostsResponse, ShapeResponse } from "../api/schemas";
import { type Cell, numberOrNull, pageRefIn, tableRecords } from "../api/tables";
import { useApi } from "../api/useApi";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { PageName } from "../pieces/pageName";
import { Bar, DownloadLinks, LinkTabs, ScrollableTable, useDocumentTitle } from "../pieces/controls";
import { Notes } from "../pieces/notes";
import { displayUrl, formatCount, formatNumber, formatPercent, stripControlChars, textDirection } from "../pieces/format";
import { buildUrl, navigate, type Route, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { ComparisonOptions, type GivenOptions, optionsFromRoute } from "./sites/options";

const TABS = [
  ["matches", "Matches"],
  ["terms", "Terms"],
  ["pages", "Pages"],
  ["links", "Links"],
] as const;
const KEYWORDS_TAB = ["keywords", "Keywords"] as const;
const EMPTY_MESSAGES: Record<string, string> = {
  matches: "No page of mine matches one of theirs.",
  keywords: "No page of theirs contains them.",
};
const TOP = 25;
const LARGEST = 10;

export function SitesScreen({ route }: ScreenProps) {
  const { search } = route;
  const [mine, theirs] = [search.get("mine") ?? "", search.get("theirs") ?? ""];
  const given = optionsFromRoute(route);
  const response = useApi<ShapeResponse>(mine && theirs ? "compare-sites" : null, { mine, theirs, ...given, top: TOP });
  const hosts = useApi<HostsResponse>("hosts", { top: LARGEST });
  useDocumentTitle("Compare sites");
  return (
    <div>
      <section>
        <p class="kicker">Compare sites</p>
        <h1>What does their site have that mine lacks?</h1>
        <SitesForm route={route} mine={mine} theirs={theirs} hosts={(hosts.data?.rows ?? []).map((row) => row.host)} />
        <ComparisonOptions route={route} given={given} />
      </section>
      {mine && theirs ? (
        <AsyncContent response={response} label={`the comparison of ${mine} and ${theirs}`} placeholderLines={10}>
          {(data) => <ComparisonTables data={data} route={route} mine={mine} theirs={theirs} given={given} />}
        </AsyncContent>
      ) : (
        <EmptyMessage>Enter two hosts, domains or folders of the collection: yours and the one to compare with.</EmptyMessage>
      )}
    </div>
  );
}

function SitesForm({ route, mine, theirs, hosts }: { route: Route; mine: string; theirs: string; hosts: readonly string[] }) {
  return (
    <form
      class="inline sites"
      aria-label="Sites to compare"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        navigate(withParams(route, { mine: String(form.get("mine") ?? "").trim(), theirs: String(form.get("theirs") ?? "").trim() }));
      }}
    >
      <label for="mine">Mine</label>
      <input id="mine" name="mine" type="text" list="hosts" key={`m ${mine}`} defaultValue={mine} maxLength={4000} required />
      <label for="theirs">Theirs</label>
      <input id="theirs" name="theirs" type="text" list="hosts" key={`t ${theirs}`} defaultValue={theirs} maxLength={4000} required />
      <datalist id="hosts">
        {hosts.map((host) => (
          <option key={host} value={host} />
        ))}
      </datalist>
      <button type="submit">Compare</button>
      {mine && theirs && <a href={withParams(route, { mine: theirs, theirs: mine })}>Swap sites</a>}
    </form>
  );
}

function ComparisonTables({
  data,
  route,
  mine,
  theirs,
  given,
}: {
  data: ShapeResponse;
  route: Route;
  mine: string;
  theirs: string;
  given: GivenOptions;
}) {
  const tabs = given["keywords"]?.length ? [...TABS, KEYWORDS_TAB] : TABS;
  const tab = tabs.find(([name]) => name === route.search.get("show"))?.[0] ?? "matches";
  const fact = (name: string) => numberOrNull(data.facts[name]) ?? 0;
  const table = data.tables[tab];
  const rows = tableRecords(table);
  return (
    <section>
      <p class="soft">
        {formatCount(fact("my pages"), "page")} of <bdi>{mine}</bdi> and {formatNumber(fact("their pages"))} of <bdi>{theirs}</bdi>:{" "}
        {formatNumber(fact("my pages with a match"))} of mine have a match; {formatCount(fact("unexpected terms"), "term")} and{" "}
        {formatCount(fact("unexpected links"), "link")} are only on theirs; {formatCount(fact("their pages that link to mine"), "page")} of
        theirs link to mine.
      </p>
      <div class="tools">
        <LinkTabs route={route} name="show" label="Show" chosen={tab} tabs={tabs} />
        <DownloadLinks path="compare-sites" params={{ mine, theirs, ...given, top: 500, table: tab }} formats={["csv"]} />
      </div>
      {rows.length === 0 ? (
        <EmptyMessage>{EMPTY_MESSAGES[tab] ?? "Theirs has nothing that mine lacks."}</EmptyMessage>
      ) : (
        <ScrollableTable label={tabs.find(([name]) => name === tab)?.[1] ?? tab}>
          <table class="figures sites-table">
            <ComparisonRows tab={tab} rows={rows} data={data} />
          </table>
        </ScrollableTable>
      )}
      <Notes notes={data.notes} />
    </section>
  );
}

function ComparisonRows({ tab, rows, data }: { tab: string; rows: readonly Record<string, Cell>[]; data: ShapeResponse }) {
  const text = (row: Record<string, Cell>, name: string) => stripControlChars(String(row[name] ?? ""));
  const page = (url: Cell | undefined, title = "") => (
    <PageName pageRef={{ ...pageRefIn(data, String(url)), kind: data.names[String(url)]?.kind ?? "page", ...(title && { title }) }} />
  );
  const lines: { heads: [string, boolean?][]; cells: (row: Record<string, Cell>) => ComponentChildren[] } =
    tab === "terms"
      ? {
          heads: [["term of theirs"], ["unexpected", true], ["their pages", true], ["my pages", true]],
          cells: (row) => [
            <>
              <a href={buildUrl("/topics", { query: text(row, "term") })}>
                <bdi>{text(row, "term")}</bdi>
              </a>
              <span class="snippet" dir={textDirection(text(row, "snippet"))}>
                {text(row, "snippet")}
              </span>
              <span class="small">{page(row["example"])}</span>
            </>,
            <PercentCell value={numberOrNull(row["unexpectedness"])} />,
            formatNumber(numberOrNull(row["their_pages"]) ?? 0),
            formatNumber(numberOrNull(row["my_pages"]) ?? 0),
          ],
        }
      : tab === "pages"
        ? {
            heads: [["page of theirs"], ["unexpected", true], ["nearest of mine"]],
            cells: (row) => [
              <>
                {page(row["page"])}
                <span class="anchor">
                  <bdi>{text(row, "unexpected")}</bdi>
                </span>
              </>,
              <PercentCell value={numberOrNull(row["unexpectedness"])} />,
              row["nearest"] ? page(row["nearest"]) : "none",
            ],
          }
        : tab === "links"
          ? {
              heads: [["they link to"], ["their pages", true], ["share", true]],
              cells: (row) => [
                <>
                  <PageName
                    pageRef={{ url: String(row["url"]), title: String(row["title"] ?? ""), kind: row["title"] ? "captured" : "uncaptured" }}
                  />
                  {row["anchors"] && (
                    <span class="anchor">
                      anchor text{" "}
                      <q>
                        <bdi>{text(row, "anchors").replaceAll(" | ", "”, “")}</bdi>
                      </q>
                    </span>
                  )}
                </>,
                formatNumber(numberOrNull(row["pages"]) ?? 0),
                <PercentCell value={numberOrNull(row["share"])} />,
              ],
            }
          : tab === "keywords"
            ? {
                heads: [["page of theirs"], ["contains"], ["their pages", true], ["my pages", true]],
                cells: (row) => [
                  <>
                    {page(row["page"], String(row["title"] ?? ""))}
                    <span class="snippet" dir={textDirection(text(row, "snippet"))}>
                      {text(row, "snippet")}
                    </span>
                  </>,
                  <bdi>{text(row, "keyword")}</bdi>,
                  formatNumber(numberOrNull(row["their_pages"]) ?? 0),
                  formatNumber(numberOrNull(row["my_pages"]) ?? 0),
                ],
              }
            : {
                heads: [["mine"], ["theirs"], ["similarity", true], ["only on their page"]],
                cells: (row) => [
                  page(row["mine"]),
                  page(row["theirs"]),
                  <PercentCell value={numberOrNull(row["cosine"])} />,
                  <bdi>{text(row, "unexpected") || displayUrl(String(row["theirs"]))}</bdi>,
                ],
              };
  return (
    <>
      <thead>
        <tr>
          {lines.heads.map(([heading, right]) => (
            <th key={heading} scope="col" class={right ? "number" : undefined}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, k) => (
          <tr key={k}>
            {lines.cells(row).map((cell, column) =>
              column === 0 ? (
                <th key={column} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={column} class={lines.heads[column]?.[1] ? "number" : "named-cell"}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </>
  );
}

function PercentCell({ value }: { value: number | null }) {
  return (
    <>
      {formatPercent(value)}
      <Bar share={value ?? 0} />
    </>
  );
}
