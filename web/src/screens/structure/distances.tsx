/** How many clicks lie between pages, and between home and the rest. */

import type { Level } from "../../ask/shapes";
import { type ShapeFound, amount, records } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { Bars } from "../../draw/bars";
import { Answered, Empty } from "../../pieces/answered";
import { FactList, Kept, Notes } from "../../pieces/told";
import { count, number, score, share } from "../../pieces/words";
import { to } from "../../route";

const ALL = 1000;

export function Distances({ level }: { level: Level }) {
  return (
    <section class="roles" id="distances">
      <Between level={level} />
      <FromHome level={level} />
    </section>
  );
}

function Between({ level }: { level: Level }) {
  const path = "structure/distances";
  const asked = useAsk<ShapeFound>(path, { level, top: ALL });
  return (
    <figure>
      <div class="tools">
        <h2>Clicks from one to another</h2>
        {asked.data && <Kept path={path} params={{ level }} table="distances" picture={asked.data.pictures[0]} />}
      </div>
      <Answered asked={asked} what="the distances" lines={9}>
        {(found) => {
          const steps = records(found.tables["distances"]).map((row) => {
            const [at, part] = [amount(row["distance"]) ?? 0, amount(row["share"]) ?? 0];
            return { at, size: part, words: `${count(at, "click")}: ${share(part)} of the pairs with a way` };
          });
          const fact = (name: string) => amount(found.facts[name]);
          const [average, effective] = [fact("average distance"), fact("effective diameter")];
          if (steps.length === 0 || average === null) return <Empty>No {level} leads to another: there is no distance to measure.</Empty>;
          const marks = [
            { at: average, words: `average ${average.toFixed(2)}` },
            ...(effective === null ? [] : [{ at: effective, words: `effective diameter ${effective.toFixed(2)}` }]),
          ];
          const exact = found.facts["how"] === "exact";
          return (
            <>
              <Bars label={`Distances between ${level}s: ${steps.map((step) => step.words).join("; ")}`} axis="clicks" steps={steps} scale={share} marks={marks} />
              <p class="told">
                <span class={exact ? "verdict first good" : "verdict first"}>{exact ? "exact" : String(found.facts["how"])}</span>{" "}
                {exact ? `searched from all ${count(fact("pages") ?? fact(`${level}s`) ?? 0, level)}` : `searched from ${number(fact("searched from") ?? 0)} of ${count(fact("pages") ?? fact(`${level}s`) ?? 0, level)}`}
              </p>
              <FactList
                rows={[
                  ["Average distance", within(average, fact("error of the average distance")), "clicks, where there is a way"],
                  ["Effective diameter", within(effective, fact("error of the effective diameter")), `${share(amount(found.options["share"] as number) ?? 0.9)} of such pairs are this near`],
                  ["Diameter", number(fact("diameter") ?? 0), `the longest of the shortest ways: ${String(found.facts["diameter is"] ?? "")}`],
                  ["Pairs with a way", share(fact("share of connected pairs")), "of all ordered pairs"],
                ]}
              />
              <Notes notes={found.notes} />
            </>
          );
        }}
      </Answered>
    </figure>
  );
}

function FromHome({ level }: { level: Level }) {
  const path = "structure/depth";
  const asked = useAsk<ShapeFound>(path, { level, table: "depth", top: ALL });
  return (
    <figure>
      <div class="tools">
        <h2>Clicks from home</h2>
        {asked.data && <Kept path={path} params={{ level }} table="depth" picture={asked.data.pictures[0]} />}
      </div>
      <Answered asked={asked} what="the depth" lines={9}>
        {(found) => {
          const steps = records(found.tables["depth"]).map((row) => {
            const [at, part] = [amount(row["clicks"]) ?? 0, amount(row["share"]) ?? 0];
            return { at, size: part, words: `${count(at, "click")}: ${count(amount(row["pages"]) ?? 0, level)}, ${share(part)}` };
          });
          const fact = (name: string) => amount(found.facts[name]);
          const near = amount(found.options["clicks"] as number) ?? 3;
          if (steps.length === 0) return <Empty>There is no home to begin from.</Empty>;
          return (
            <>
              <Bars label={`Clicks from home: ${steps.map((step) => step.words).join("; ")}`} axis="clicks from the nearest home" steps={steps} scale={share} />
              <p class="told">
                {share(fact(`share within ${near} clicks`))} within {near} clicks
              </p>
              <FactList
                rows={[
                  ["Average depth", score(fact("average depth")), "clicks from the nearest home"],
                  ["Deepest", number(fact("deepest") ?? 0), "clicks"],
                  ["Not reached", number(fact("not reached from home") ?? 0), "no way leads there from a home"],
                ]}
              />
              <Notes notes={found.notes} />
              <p>
                <a href={to("/method", { kind: "structure", name: "depth" })}>How depth is counted</a>
              </p>
            </>
          );
        }}
      </Answered>
    </figure>
  );
}

function within(value: number | null, error: number | null): string {
  if (value === null) return "unknown";
  return error ? `${value.toFixed(2)} ± ${error.toFixed(2)}` : value.toFixed(2);
}
