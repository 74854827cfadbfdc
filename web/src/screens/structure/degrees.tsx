/** Degree distributions with fitted power laws and their p-values. */

import type { Level } from "../../api/derived";
import type { ShapeResponse } from "../../api/schemas";
import { numberOrNull, tableRecords } from "../../api/tables";
import { useApi } from "../../api/useApi";
import type { View } from "../../pieces/tagFilter";
import { Plot } from "../../draw/plot";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { ScrollableTable } from "../../pieces/controls";
import { FigureDownloads, Notes } from "../../pieces/notes";
import { formatCount, formatNumber, formatPercent, formatScore, toSentence } from "../../pieces/format";
import { buildUrl } from "../../route";

const PATH = "structure/degrees";
const MAX_ROWS = 10_000;
const MAX_LISTED = 200;
const MIN_P_VALUE = 0.1;

type Direction = "in" | "out";

interface Point {
  degree: number;
  pages: number;
  ccdf: number;
}

export function DegreesSection({ view }: { view: View }) {
  const { level } = view;
  const response = useApi<ShapeResponse>(PATH, { ...view, top: MAX_ROWS });
  return (
    <section id="degrees">
      <h2>Degree distributions</h2>
      <p class="soft">
        The complementary cumulative distribution: the share of {level}s with at least that many links. A power law is a straight line; the
        fit is tested. <a href={buildUrl("/method", { kind: "structure", name: "degrees" })}>About the fits</a>
      </p>
      <AsyncContent response={response} label="the degree distributions" placeholderLines={10}>
        {(data) => (
          <>
            <div class="roles plots">
              <DegreeDistribution data={data} direction="in" view={view} />
              <DegreeDistribution data={data} direction="out" view={view} />
            </div>
            <Notes notes={data.notes} />
          </>
        )}
      </AsyncContent>
    </section>
  );
}

function DegreeDistribution({ data, direction, view }: { data: ShapeResponse; direction: Direction; view: View }) {
  const { level } = view;
  const heading = direction === "in" ? "In-links" : "Out-links";
  const points = ccdfPoints(data, direction);
  const fit = tableRecords(data.tables["fits"]).find((row) => row["direction"] === direction) ?? {};
  const evidence = direction === "in" ? (degree: number) => rankingUrl(points, degree, view) : undefined;
  return (
    <figure class="plot">
      <div class="tools">
        <h3>{heading}</h3>
        <FigureDownloads
          path={PATH}
          params={view}
          table="degrees"
          picture={data.pictures.find((name) => name === `${direction}-degrees`)}
        />
      </div>
      {points.length === 0 ? (
        <EmptyMessage>No {level} has any.</EmptyMessage>
      ) : (
        <Plot
          path={PATH}
          params={view}
          picture={`${direction}-degrees`}
          described
          {...(evidence && { href: (key: string) => evidence(Number(key)) })}
        />
      )}
      <figcaption>
        <FitVerdict fit={fit} />
        <p>
          On average {formatScore(numberOrNull(fit["mean"]))}, at most {formatNumber(numberOrNull(fit["largest"]) ?? 0)};{" "}
          {formatNumber(numberOrNull(fit["without links"]) ?? 0)} of {formatCount(numberOrNull(fit["pages"]) ?? 0, level)} have none.
        </p>
        <AlternativeFits data={data} direction={direction} />
        {points.length > 0 && <DegreeTable points={points} level={level} heading={heading} {...(evidence && { href: evidence })} />}
      </figcaption>
    </figure>
  );
}

/** The exponent with its standard error and p-value. */
function FitVerdict({ fit }: { fit: Record<string, unknown> }) {
  const value = (name: string) => (typeof fit[name] === "number" ? (fit[name] as number) : null);
  const [exponent, error, p] = [value("exponent"), value("standard error"), value("p-value")];
  const verdict = String(fit["verdict"] ?? "");
  if (exponent === null) return <p class="result">No fit: {verdict || "too few values"}.</p>;
  return (
    <>
      <p class="result">
        Exponent {exponent.toFixed(error !== null && error < 0.01 ? 4 : 2)} ± {error === null ? "?" : error.toFixed(error < 0.01 ? 4 : 2)}{" "}
        from {formatNumber(value("x_min") ?? 0)} links on
        {p !== null && (
          <span class={p > MIN_P_VALUE ? "verdict good" : "verdict bad"}>{p < 0.005 ? "p < 0.01" : `p = ${p.toFixed(2)}`}</span>
        )}
      </p>
      <p>
        A power law is {toSentence(verdict).replace(/^./, (first) => first.toLowerCase())}{" "}
        {p !== null && (
          <>
            The p-value is the share of synthetic samples that fit worse than the data; at most {formatPercent(MIN_P_VALUE)} rules the power
            law out.
          </>
        )}
      </p>
    </>
  );
}

function AlternativeFits({ data, direction }: { data: ShapeResponse; direction: Direction }) {
  const rows = tableRecords(data.tables["alternatives"]).filter((row) => row["direction"] === direction);
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>Alternative distributions</summary>
      <ScrollableTable label="Alternative distributions">
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">distribution</th>
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
              <tr key={String(row["alternative"])}>
                <th scope="row">
                  {String(row["alternative"])} <span class="soft small">{String(row["parameters"])}</span>
                </th>
                <td>{String(row["verdict"])}</td>
                <td class="number">{formatScore(numberOrNull(row["Vuong ratio"])).replace("-", "−")}</td>
                <td class="number">{formatScore(numberOrNull(row["p-value"]))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollableTable>
      <p>
        Vuong's normalized log-likelihood ratio: negative values favour the alternative; p is the probability of such a ratio by chance.
      </p>
    </details>
  );
}

/** The distribution as a table; in-degrees link to the nodes that have them. */
function DegreeTable({
  points,
  level,
  heading,
  href,
}: {
  points: readonly Point[];
  level: Level;
  heading: string;
  href?: (degree: number) => string;
}) {
  const rows = points.length <= MAX_LISTED ? points : [...points.slice(0, MAX_LISTED / 2), ...points.slice(-MAX_LISTED / 2)];
  return (
    <details>
      <summary>Table</summary>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{heading.toLowerCase()}</th>
            <th scope="col" class="number">
              {level}s
            </th>
            <th scope="col" class="number">
              at least as many
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((point) => (
            <tr key={point.degree}>
              <th scope="row">{formatNumber(point.degree)}</th>
              <td class="number">{href ? <a href={href(point.degree)}>{formatNumber(point.pages)}</a> : formatNumber(point.pages)}</td>
              <td class="number">{formatPercent(point.ccdf)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < points.length && (
        <p>
          The first and last {MAX_LISTED / 2} of {formatNumber(points.length)} rows; the CSV has all of them.
        </p>
      )}
    </details>
  );
}

function ccdfPoints(data: ShapeResponse, direction: Direction): Point[] {
  return tableRecords(data.tables["degrees"])
    .filter((row) => row["direction"] === direction && (numberOrNull(row["degree"]) ?? 0) > 0)
    .map((row) => ({
      degree: numberOrNull(row["degree"]) ?? 0,
      pages: numberOrNull(row["pages"]) ?? 0,
      ccdf: numberOrNull(row["share at least"]) ?? 0,
    }));
}

/** The position of an in-degree in the ranking by in-degree. */
function rankingUrl(points: readonly Point[], degree: number, view: View): string {
  const before = points.filter((other) => other.degree > degree).reduce((sum, other) => sum + other.pages, 0);
  return buildUrl("/ranking", {
    ...view,
    method: "indegree",
    between: view.level,
    level: view.level === "page" ? "" : view.level,
    offset: before || "",
  });
}
