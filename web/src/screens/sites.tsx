/** Two sites side by side: what theirs has that mine lacks, and which pages match. */

import type { ComponentChildren } from "preact";
import type { Hosts } from "../ask/shapes";
import { type Cell, type ShapeFound, amount, namedIn, records } from "../ask/surveyed";
import { useAsk } from "../ask/use";
import { Answered, Empty } from "../pieces/answered";
import { PageName } from "../pieces/names";
import { Bar, Choice, Files, useTitle, Wide } from "../pieces/small";
import { Notes } from "../pieces/told";
import { bare, clean, count, direction, number, share } from "../pieces/words";
import { type Place, changed, go, to } from "../route";
import type { ScreenProps } from "../shell";
import { Expected, type Given, givenIn } from "./sites/expected";

const TABS = [
  ["matches", "Matches"],
  ["terms", "Terms"],
  ["pages", "Pages"],
  ["links", "Links"],
] as const;
const SAID = ["keywords", "Keywords"] as const;
const NONE: Record<string, string> = { matches: "No page of mine is like one of theirs.", keywords: "No page of theirs says it." };
const TOP = 25;
const LARGEST = 10;

export function SitesScreen({ place }: ScreenProps) {
  const { search } = place;
  const [mine, theirs] = [search.get("mine") ?? "", search.get("theirs") ?? ""];
  const given = givenIn(place);
  const asked = useAsk<ShapeFound>(mine && theirs ? "compare-sites" : null, { mine, theirs, ...given, top: TOP });
  const hosts = useAsk<Hosts>("hosts", { top: LARGEST });
  useTitle("Two sites");
  return (
    <div>
      <section>
        <p class="above">Two sites</p>
        <h1>What do they have that we lack?</h1>
        <Which place={place} mine={mine} theirs={theirs} hosts={(hosts.data?.rows ?? []).map((one) => one.host)} />
        <Expected place={place} given={given} />
      </section>
      {mine && theirs ? (
        <Answered asked={asked} what={`${theirs} beside ${mine}`} lines={10}>
          {(found) => <Found found={found} place={place} mine={mine} theirs={theirs} given={given} />}
        </Answered>
      ) : (
        <Empty>Name two hosts, domains or folders of the collection: yours, and the one to look at.</Empty>
      )}
    </div>
  );
}

function Which({ place, mine, theirs, hosts }: { place: Place; mine: string; theirs: string; hosts: readonly string[] }) {
  return (
    <form
      class="across sites"
      aria-label="Which sites"
      onSubmit={(event) => {
        event.preventDefault();
        const told = new FormData(event.currentTarget);
        go(changed(place, { mine: String(told.get("mine") ?? "").trim(), theirs: String(told.get("theirs") ?? "").trim() }));
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
      {mine && theirs && <a href={changed(place, { mine: theirs, theirs: mine })}>The other way round</a>}
    </form>
  );
}

function Found({ found, place, mine, theirs, given }: { found: ShapeFound; place: Place; mine: string; theirs: string; given: Given }) {
  const tabs = given["keywords"]?.length ? [...TABS, SAID] : TABS;
  const tab = tabs.find(([name]) => name === place.search.get("show"))?.[0] ?? "matches";
  const fact = (name: string) => amount(found.facts[name]) ?? 0;
  const table = found.tables[tab];
  const rows = records(table);
  return (
    <section>
      <p class="soft">
        {count(fact("my pages"), "page")} of <bdi>{mine}</bdi> and {number(fact("their pages"))} of <bdi>{theirs}</bdi>: {number(fact("my pages with a match"))} of mine have a match; {count(fact("unexpected terms"), "term")} and{" "}
        {count(fact("unexpected links"), "link")} are theirs alone; {count(fact("their pages that link to mine"), "page")} of theirs link to mine.
      </p>
      <div class="tools">
        <Choice place={place} name="show" label="Show" chosen={tab} of={tabs} />
        <Files path="compare-sites" params={{ mine, theirs, ...given, top: 500, table: tab }} formats={["csv"]} />
      </div>
      {rows.length === 0 ? (
        <Empty>{NONE[tab] ?? "Theirs has none that mine lacks."}</Empty>
      ) : (
        <Wide label={tabs.find(([name]) => name === tab)?.[1] ?? tab}>
          <table class="figures sites-table">
            <Rows tab={tab} rows={rows} found={found} />
          </table>
        </Wide>
      )}
      <Notes notes={found.notes} />
    </section>
  );
}

function Rows({ tab, rows, found }: { tab: string; rows: readonly Record<string, Cell>[]; found: ShapeFound }) {
  const text = (row: Record<string, Cell>, name: string) => clean(String(row[name] ?? ""));
  const page = (url: Cell | undefined, title = "") => <PageName named={{ ...namedIn(found, String(url)), kind: found.names[String(url)]?.kind ?? "page", ...(title && { title }) }} />;
  const lines: { heads: [string, boolean?][]; cells: (row: Record<string, Cell>) => ComponentChildren[] } =
    tab === "terms"
      ? {
          heads: [["term of theirs"], ["unexpected", true], ["their pages", true], ["my pages", true]],
          cells: (row) => [
            <>
              <a href={to("/topics", { query: text(row, "term") })}>
                <bdi>{text(row, "term")}</bdi>
              </a>
              <span class="snippet" dir={direction(text(row, "snippet"))}>
                {text(row, "snippet")}
              </span>
              <span class="small">{page(row["example"])}</span>
            </>,
            <Part value={amount(row["unexpectedness"])} />,
            number(amount(row["their_pages"]) ?? 0),
            number(amount(row["my_pages"]) ?? 0),
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
              <Part value={amount(row["unexpectedness"])} />,
              row["nearest"] ? page(row["nearest"]) : "none",
            ],
          }
        : tab === "links"
          ? {
              heads: [["they link to"], ["their pages", true], ["share", true]],
              cells: (row) => [
                <>
                  <PageName named={{ page: String(row["url"]), title: String(row["title"] ?? ""), kind: row["title"] ? "fetched" : "seen" }} />
                  {row["anchors"] && (
                    <span class="anchor">
                      called{" "}
                      <q>
                        <bdi>{text(row, "anchors").replaceAll(" | ", "”, “")}</bdi>
                      </q>
                    </span>
                  )}
                </>,
                number(amount(row["pages"]) ?? 0),
                <Part value={amount(row["share"])} />,
              ],
            }
          : tab === "keywords"
            ? {
                heads: [["page of theirs"], ["says"], ["their pages", true], ["my pages", true]],
                cells: (row) => [
                  <>
                    {page(row["page"], String(row["title"] ?? ""))}
                    <span class="snippet" dir={direction(text(row, "snippet"))}>
                {text(row, "snippet")}
              </span>
                  </>,
                  <bdi>{text(row, "keyword")}</bdi>,
                  number(amount(row["their_pages"]) ?? 0),
                  number(amount(row["my_pages"]) ?? 0),
                ],
              }
            : {
                heads: [["mine"], ["theirs"], ["alike", true], ["theirs says besides"]],
                cells: (row) => [page(row["mine"]), page(row["theirs"]), <Part value={amount(row["cosine"])} />, <bdi>{text(row, "unexpected") || bare(String(row["theirs"]))}</bdi>],
              };
  return (
    <>
      <thead>
        <tr>
          {lines.heads.map(([words, right]) => (
            <th key={words} scope="col" class={right ? "number" : undefined}>
              {words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, k) => (
          <tr key={k}>
            {lines.cells(row).map((cell, at) =>
              at === 0 ? (
                <th key={at} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={at} class={lines.heads[at]?.[1] ? "number" : "named-cell"}>
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

function Part({ value }: { value: number | null }) {
  return (
    <>
      {share(value)}
      <Bar share={value ?? 0} />
    </>
  );
}
