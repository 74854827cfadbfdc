/** How links are shared out: the laws of in- and out-degrees, and how far they can be believed. */

import type { Level } from "../../ask/shapes";
import { type ShapeFound, amount, records } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { LawPlot, type Point } from "../../draw/law";
import { Answered, Empty, sentence } from "../../pieces/answered";
import { Wide } from "../../pieces/small";
import { Kept, Notes } from "../../pieces/told";
import { count, number, score, share } from "../../pieces/words";
import { to } from "../../route";

const PATH = "structure/degrees";
const ALL = 10_000;
const LISTED = 200;
const RULED_OUT = 0.1;

type End = "in" | "out";

export function Degrees({ level }: { level: Level }) {
  const asked = useAsk<ShapeFound>(PATH, { level, top: ALL });
  return (
    <section id="degrees">
      <h2>How links are shared out</h2>
      <p class="soft">
        The share of {level}s with so many links or more. A straight line is a power law; whether it is one is tested.{" "}
        <a href={to("/method", { kind: "structure", name: "degrees" })}>About the laws</a>
      </p>
      <Answered asked={asked} what="the laws of degrees" lines={10}>
        {(found) => (
          <>
            <div class="roles plots">
              <Law found={found} end="in" level={level} />
              <Law found={found} end="out" level={level} />
            </div>
            <Notes notes={found.notes} />
          </>
        )}
      </Answered>
    </section>
  );
}

function Law({ found, end, level }: { found: ShapeFound; end: End; level: Level }) {
  const heading = end === "in" ? "Links in" : "Links out";
  const points = pointsOf(found, end);
  const fit = records(found.tables["fits"]).find((row) => row["end"] === end) ?? {};
  const lines = linesOf(found, end);
  const words = (point: Point) => `${count(point.pages, level)} ${end === "in" ? "linked by" : "linking to"} ${number(point.degree)}; ${share(point.least)} have as many or more`;
  const evidence = end === "in" ? (point: Point) => ranked(points, point, level) : undefined;
  return (
    <figure class="plot">
      <div class="tools">
        <h3>{heading}</h3>
        <Kept path={PATH} params={{ level }} table="degrees" picture={found.pictures.find((name) => name === `${end}-degrees`)} />
      </div>
      {points.length === 0 ? (
        <Empty>No {level} has any.</Empty>
      ) : (
        <LawPlot label={`${heading}: the share of ${level}s with so many or more`} axis={heading.toLowerCase()} points={points} lines={lines} from={amount(fit["fitted from"])} words={words} {...(evidence && { href: evidence })} />
      )}
      <figcaption>
        <Verdict fit={fit} level={level} />
        <p>
          On average {score(amount(fit["mean"]))}, at most {number(amount(fit["largest"]) ?? 0)}; {number(amount(fit["without links"]) ?? 0)} of {count(amount(fit["pages"]) ?? 0, level)} have none.
        </p>
        <Rivals found={found} end={end} />
        {points.length > 0 && <Numbers points={points} level={level} heading={heading} {...(evidence && { href: evidence })} />}
      </figcaption>
    </figure>
  );
}

/** The exponent, and the doubt about it. */
function Verdict({ fit, level }: { fit: Record<string, unknown>; level: Level }) {
  const value = (name: string) => (typeof fit[name] === "number" ? (fit[name] as number) : null);
  const [exponent, error, p] = [value("exponent"), value("error"), value("p")];
  const verdict = String(fit["verdict"] ?? "");
  if (exponent === null) return <p class="told">No law: {verdict || "too few to tell"}.</p>;
  return (
    <>
      <p class="told">
        Exponent {exponent.toFixed(error !== null && error < 0.01 ? 4 : 2)} ± {error === null ? "?" : error.toFixed(error < 0.01 ? 4 : 2)} from {number(value("fitted from") ?? 0)} links on
        {p !== null && <span class={p > RULED_OUT ? "verdict good" : "verdict bad"}>{p < 0.005 ? "p < 0.01" : `p = ${p.toFixed(2)}`}</span>}
      </p>
      <p>
        A power law is {sentence(verdict).replace(/^./, (first) => first.toLowerCase())}{" "}
        {p !== null && (
          <>
            If it held, {p < 0.005 ? "hardly any" : share(p)} of such {level}s would lie as far from it; up to {share(RULED_OUT)} rules it out.
          </>
        )}
      </p>
    </>
  );
}

function Rivals({ found, end }: { found: ShapeFound; end: End }) {
  const rows = records(found.tables["rivals"]).filter((row) => row["end"] === end);
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>Other laws beside it</summary>
      <Wide label="Other laws">
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">law</th>
              <th scope="col">fits</th>
              <th scope="col" class="number">
                ratio
              </th>
              <th scope="col" class="number">
                p
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={String(row["rival"])}>
                <th scope="row">
                  {String(row["rival"])} <span class="soft small">{String(row["law"])}</span>
                </th>
                <td>{String(row["fits"])}</td>
                <td class="number">{score(amount(row["ratio"])).replace("-", "−")}</td>
                <td class="number">{score(amount(row["p"]))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      <p>Vuong's normalised ratio of likelihoods: below zero the other law fits better; p says how easily chance would do it.</p>
    </details>
  );
}

/** The same in words; each number of links in leads to those that have it. */
function Numbers({ points, level, heading, href }: { points: readonly Point[]; level: Level; heading: string; href?: (point: Point) => string }) {
  const rows = points.length <= LISTED ? points : [...points.slice(0, LISTED / 2), ...points.slice(-LISTED / 2)];
  return (
    <details>
      <summary>The numbers</summary>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{heading.toLowerCase()}</th>
            <th scope="col" class="number">
              {level}s
            </th>
            <th scope="col" class="number">
              as many or more
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((point) => (
            <tr key={point.degree}>
              <th scope="row">{number(point.degree)}</th>
              <td class="number">{href ? <a href={href(point)}>{number(point.pages)}</a> : number(point.pages)}</td>
              <td class="number">{share(point.least)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < points.length && <p>The first and the last {LISTED / 2} of {number(points.length)} rows; the CSV has them all.</p>}
    </details>
  );
}

function pointsOf(found: ShapeFound, end: End): Point[] {
  return records(found.tables["degrees"])
    .filter((row) => row["end"] === end && (amount(row["degree"]) ?? 0) > 0)
    .map((row) => ({ degree: amount(row["degree"]) ?? 0, pages: amount(row["pages"]) ?? 0, least: amount(row["share at least"]) ?? 0 }));
}

function linesOf(found: ShapeFound, end: End): { law: string; points: [number, number][] }[] {
  const laws = new Map<string, [number, number][]>();
  for (const row of records(found.tables["lines"])) {
    const [degree, least] = [amount(row["degree"]), amount(row["share at least"])];
    if (row["end"] !== end || degree === null || least === null || least <= 0) continue;
    const law = String(row["law"]);
    const line = laws.get(law) ?? [];
    line.push([degree, least]);
    laws.set(law, line);
  }
  return [...laws].map(([law, points]) => ({ law, points }));
}

/** Where those with so many links in can be seen: a place in the ranking by in-degree. */
function ranked(points: readonly Point[], point: Point, level: Level): string {
  const before = points.filter((other) => other.degree > point.degree).reduce((sum, other) => sum + other.pages, 0);
  return to("/ranking", { method: "indegree", between: level, level: level === "page" ? "" : level, offset: before || "" });
}
