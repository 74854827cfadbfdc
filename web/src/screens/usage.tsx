/** Usage: what visitors do, from access logs, next to the links. */

import type { ShapeResponse } from "../api/schemas";
import { numberOrNull } from "../api/tables";
import { useApi } from "../api/useApi";
import { Plot } from "../draw/plot";
import { LinkTabs, Pager, useDocumentTitle } from "../pieces/controls";
import { formatCount, formatPercent, formatScore } from "../pieces/format";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { FactList, FigureDownloads, Notes } from "../pieces/notes";
import { ScreenHead } from "../pieces/screenHead";
import { pageUrl } from "../pieces/pageName";
import { SheetTable } from "../pieces/sheetTable";
import { type Route, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { AroundPage } from "./usage/around";
import { IndexPages } from "./usage/indexPages";
import { ScentSection } from "./usage/scent";

const PATH = "usage/overview";
const SIZE = 20;
const TABLES: Record<string, { label: string; text: string; none: string }> = {
  pages: { label: "Pages", text: "The pages that visitors viewed, most views first.", none: "Nobody viewed a page." },
  entries: { label: "Entries", text: "Where sessions begin.", none: "There are no sessions." },
  exits: { label: "Exits", text: "Where sessions end.", none: "There are no sessions." },
  clicks: { label: "Clicks", text: "From page to page, and whether there is a link.", none: "Nobody went from one page to another." },
  referrers: { label: "Referrers", text: "The sites that sessions came from.", none: "There are no sessions." },
  "dead ends": {
    label: "Dead ends",
    text: "Pages where significantly more sessions end than elsewhere: perhaps the goal, perhaps a place to get lost.",
    none: "No page ends more sessions than others.",
  },
  "unused links": {
    label: "Unused links",
    text: "Links that nobody followed, although their page was viewed. Most expected clicks first.",
    none: "Every link of a page with enough views was followed.",
  },
  "reached from outside only": {
    label: "Only from outside",
    text: "Pages that sessions begin on, and that no click leads to.",
    none: "Every page was reached by a click.",
  },
};
const TABS = Object.entries(TABLES).map(([name, { label }]) => [name, label] as const);

export function UsageScreen({ route, collection }: ScreenProps) {
  useDocumentTitle("Usage");
  const page = route.search.get("page");
  const hasUsage = (collection.counts["sessions"] ?? 0) > 0;
  return (
    <div class="usage-screen">
      <section>
        <ScreenHead kicker="Usage of" heading={collection.name} />
        {!hasUsage && (
          <EmptyMessage>
            There is no usage data yet. Access logs of a site are added to a collection like web archives; what visitors did is shown here
            then.
          </EmptyMessage>
        )}
      </section>
      {hasUsage && (page ? <AroundPage route={route} page={page} /> : <Overview route={route} />)}
      {!page && <ScentSection route={route} />}
    </div>
  );
}

function Overview({ route }: { route: Route }) {
  const response = useApi<ShapeResponse>(PATH, { top: 1 });
  return (
    <>
      <AsyncContent response={response} label="usage" placeholderLines={14}>
        {(data) => (
          <>
            <p class="lead">{summarise(data)}</p>
            <div class="roles plots">
              <Figure data={data} picture="flow" table="flow" heading="First steps" />
              <div>
                {data.pictures.includes("visits") && <Figure data={data} picture="visits" table="days" heading="Sessions a day" />}
                <FactList rows={factRows(data)} />
              </div>
            </div>
            <Notes notes={data.notes} />
          </>
        )}
      </AsyncContent>
      <UsageTable route={route} />
      <IndexPages route={route} />
    </>
  );
}

function summarise(data: ShapeResponse): string {
  const fact = (name: string) => numberOrNull(data.facts[name] ?? null) ?? 0;
  const span = data.facts["first day"] ? `, from ${String(data.facts["first day"])} to ${String(data.facts["last day"])}` : "";
  return `${formatCount(fact("sessions"), "session")} of ${formatCount(fact("visitors"), "visitor")}${span}.`;
}

function factRows(data: ShapeResponse): [string, string, string?][] {
  const fact = (name: string) => numberOrNull(data.facts[name] ?? null);
  return [
    ["Views", formatScore(fact("views")), `of ${formatCount(fact("pages viewed") ?? 0, "page")}`],
    ["Clicks", formatScore(fact("clicks")), "from one page to another"],
    ["Views per session", formatScore(fact("views per session"))],
    ["Sessions of one page", formatPercent(fact("sessions of one page"))],
  ];
}

function Figure({ data, picture, table, heading }: { data: ShapeResponse; picture: string; table: string; heading: string }) {
  const url = (key: string) => pageUrl({ url: key, kind: "captured" });
  return (
    <figure class="plot">
      <div class="tools">
        <h2>{heading}</h2>
        <FigureDownloads path={PATH} params={{}} table={table} picture={data.pictures.find((name) => name === picture)} />
      </div>
      <Plot path={PATH} params={{}} picture={picture} href={url} />
    </figure>
  );
}

/** One of the tables of the overview, a page of rows at a time. */
function UsageTable({ route }: { route: Route }) {
  const table = route.search.get("table") ?? "pages";
  const offset = Number(route.search.get("offset") ?? 0);
  const response = useApi<ShapeResponse>(PATH, { table, offset, top: SIZE });
  const shown = TABLES[table];
  const without = { ...route, search: new URLSearchParams([...route.search].filter(([name]) => name !== "offset")) };
  if (shown === undefined) return <EmptyMessage>There is no table of this name.</EmptyMessage>;
  return (
    <section id="tables">
      <div class="tools">
        <h2>{shown.label}</h2>
        <FigureDownloads path={PATH} params={{}} table={table} />
      </div>
      <LinkTabs route={without} name="table" label="Tables" chosen={table} tabs={TABS} />
      <p class="soft">{shown.text}</p>
      <AsyncContent response={response} label={shown.label.toLowerCase()} placeholderLines={10}>
        {(data) => (
          <>
            <SheetTable
              data={data}
              table={table}
              label={shown.label}
              none={shown.none}
              beside={(url) => (
                <a class="small" href={withParams(without, { page: url, table: null })}>
                  before and after
                </a>
              )}
            />
            <Pager route={route} name="offset" offset={offset} size={SIZE} total={data.tables[table]?.total ?? 0} unit="row" />
          </>
        )}
      </AsyncContent>
    </section>
  );
}
