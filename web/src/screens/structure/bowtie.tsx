/** The bow-tie of the links, and the pages of the region that was chosen. */

import { useEffect } from "preact/hooks";
import type { Level } from "../../ask/shapes";
import { type RegionFound, type ShapeFound, amount, records } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { BowTieDrawing, type Region, regionColour, titled } from "../../draw/bowtie";
import { Answered, Empty, sentence } from "../../pieces/answered";
import { PageTable } from "../../pieces/pagetable";
import { Bar, Files, Pager, Wide } from "../../pieces/small";
import { Kept, Notes } from "../../pieces/told";
import { count, number, share } from "../../pieces/words";
import { type Place, changed, to } from "../../route";

const SIZE = 20;
const PATH = "structure/bow-tie";

/** `onDrawn` is told the level whose bow-tie is there, or could not be had. */
export function BowTie({ place, level, onDrawn }: { place: Place; level: Level; onDrawn: (level: Level) => void }) {
  const asked = useAsk<ShapeFound>(PATH, { level, table: "regions" });
  const answered = asked.fresh || asked.problem !== undefined;
  useEffect(() => {
    if (answered) onDrawn(level);
  }, [answered, level]);
  return (
    <section id="bow-tie">
      <div class="tools">
        <h2>The bow-tie</h2>
        {asked.data && <Kept path={PATH} params={{ level }} table="regions" picture={asked.data.pictures[0]} />}
      </div>
      <p class="soft">
        What leads into the core, the core in which all lead to each other, and what it leads to. Choose a region to see its {level}s.{" "}
        <a href={to("/method", { kind: "structure", name: "bow-tie" })}>About the bow-tie</a>
      </p>
      <Answered asked={asked} what="the bow-tie" lines={9}>
        {(found) => <Tie found={found} place={place} level={level} />}
      </Answered>
    </section>
  );
}

function Tie({ found, place, level }: { found: ShapeFound; place: Place; level: Level }) {
  const regions = records(found.tables["regions"]).map((row): Region => ({
    region: String(row["region"]),
    pages: amount(row["pages"]) ?? 0,
    share: amount(row["share"]) ?? 0,
    meaning: String(row["meaning"]),
  }));
  const core = found.facts["core"] !== "no core";
  const chosen = place.search.get("region") ?? (core ? "" : "no core");
  const href = (region: string) => `${changed(place, { region: region === chosen ? null : region, offset: null })}#region`;
  return (
    <>
      {core ? (
        <div class="beside even tie">
          <BowTieDrawing regions={regions} chosen={chosen} thing={level} href={href} />
          <div>
            <RegionTable regions={regions} chosen={chosen} level={level} href={href} />
            <Told found={found} level={level} />
          </div>
        </div>
      ) : (
        <NoCore found={found} level={level} />
      )}
      <Notes notes={core ? found.notes : found.notes.slice(1)} />
      {regions.some((one) => one.region === chosen && one.pages > 0) && <Pages region={chosen} place={place} level={level} />}
    </>
  );
}

/** There is nothing to be beside: say so, and what is there instead. */
function NoCore({ found, level }: { found: ShapeFound; level: Level }) {
  return (
    <div class="no-core">
      <svg viewBox="0 0 220 90" width="220" height="90" aria-hidden="true">
        <path d="M88 45Q48 38 8 12V78Q48 52 88 45" />
        <path d="M132 45Q172 38 212 12V78Q172 52 132 45" />
        <circle cx="110" cy="45" r="22" />
      </svg>
      <div>
        <p>
          <b>No core, no bow-tie.</b> {sentence((found.notes[0] ?? "").replace(/^no core: /, ""))}
        </p>
        <p class="soft">
          {count(amount(found.facts[`${level}s`]) ?? 0, level)} in {count(amount(found.facts["weak components"]) ?? 0, "part")} that hang together whichever way links point
          {level === "page" && ". Links between hosts may still have a core: look at another level above"}.
        </p>
      </div>
    </div>
  );
}

function RegionTable({ regions, chosen, level, href }: { regions: readonly Region[]; chosen: string; level: Level; href: (region: string) => string }) {
  return (
    <Wide label="Regions of the bow-tie">
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
          {regions.map((one) => (
            <tr key={one.region} class={`${regionColour(one.region)} ${one.region === chosen ? "chosen" : ""}`}>
              <th scope="row">
                <span class="dot own" />
                {one.pages > 0 ? (
                  <a href={href(one.region)} aria-current={one.region === chosen ? "true" : undefined}>
                    {titled(one.region)}
                  </a>
                ) : (
                  titled(one.region)
                )}{" "}
                <span class="soft small">{one.meaning}</span>
              </th>
              <td class="number">{number(one.pages)}</td>
              <td class="number">
                {share(one.share)}
                <Bar share={one.share} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

/** Both ways to count tendrils, and how often one page leads to another at all. */
function Told({ found, level }: { found: ShapeFound; level: Level }) {
  const fact = (name: string) => amount(found.facts[name]) ?? 0;
  const error = fact("joined pairs error");
  return (
    <p class="soft small">
      Tendrils: {number(fact("tendrils in") + fact("tendrils out"))} in the strict sense, where IN leads to them or they lead to OUT; {number(fact("tendrils by Broder"))} as Broder and others count, with all that hangs on
      otherwise. From one {level} there is a way to another in {share(fact("joined pairs"))} of all pairs{error > 0 && ` (± ${share(error)}, estimated)`}.
    </p>
  );
}

function Pages({ region, place, level }: { region: string; place: Place; level: Level }) {
  const offset = Number(place.search.get("offset") ?? 0);
  const asked = useAsk<RegionFound>(`${PATH}/region`, { region, level, offset, top: SIZE });
  return (
    <section id="region" class={`topic ${regionColour(region)}`} aria-label={`${level}s of the region ${region}`}>
      <Answered asked={asked} what={`the ${level}s of ${region}`}>
        {(found) => (
          <>
            <div class="tools">
              <h3>
                {region === "no core" ? "All" : `${titled(found.region)}:`} {count(found.total, level)}
              </h3>
              <Files path={`${PATH}/region`} params={{ region, level }} formats={["csv"]} />
              {region !== "no core" && <a href={changed(place, { region: null, offset: null })}>Close</a>}
            </div>
            <p class="soft">
              {region !== "no core" && sentence(found.meaning)} The most linked first; links are those among the {level}s looked at.</p>
            {found.rows.length === 0 ? (
              <Empty>No {level} is here.</Empty>
            ) : (
              <PageTable
                label={`${level}s of the region ${region}`}
                level={level}
                rows={found.rows}
                figures={[
                  ["links in", (row) => number(row.inlinks)],
                  ["links out", (row) => number(row.outlinks)],
                ]}
              />
            )}
            <Pager place={place} name="offset" offset={found.offset} size={SIZE} total={found.total} thing={level} />
          </>
        )}
      </Answered>
    </section>
  );
}
