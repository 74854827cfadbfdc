/** Similar pages, and the terms a page is known for. */

import type { KnownForResponse, SimilarPage, SimilarPagesResponse, WitnessSchema } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { Bar, DownloadLinks, LinkTabs } from "../../pieces/controls";
import { Notes } from "../../pieces/notes";
import { formatCount, formatNumber, formatPercent, formatUnitScore, stripControlChars } from "../../pieces/format";
import { buildUrl, type Route } from "../../route";

const METHOD_LABELS: Record<string, string> = {
  combined: "All links",
  "co-citation": "Co-citation",
  coupling: "Coupling",
  indirect: "Two links away",
  text: "Text",
};
const WITNESS_TEXTS: Record<string, (count: string, single: boolean) => string> = {
  "co-citation": (count, single) => `${count} ${single ? "links" : "link"} to both`,
  coupling: (count) => `both link to ${count}`,
};

/** Similar pages by a method, each with its witnesses. */
export function SimilarPages({ route, url, from, defaultMethod }: { route: Route; url: string; from: string; defaultMethod: string }) {
  const method = route.search.get("similar") ?? defaultMethod;
  const response = useApi<SimilarPagesResponse>(`page/similar/${method}`, { url, top: 8 });
  const names = [defaultMethod, ...Object.keys(METHOD_LABELS).filter((name) => name !== defaultMethod)];
  return (
    <section id="similar">
      <div class="tools">
        <h2>Similar pages</h2>
        <DownloadLinks path={`page/similar/${method}`} params={{ url, top: 100 }} formats={["csv"]} />
      </div>
      <LinkTabs
        route={route}
        name="similar"
        label="Similar by"
        chosen={method}
        tabs={names.map((name) => [name, METHOD_LABELS[name] ?? name] as const)}
      />
      <AsyncContent response={response} label="similar pages">
        {(data) => (
          <>
            {data.rows.length === 0 ? (
              <EmptyMessage>
                {method === "text" ? "No page has the same keywords, or the page was not captured." : "No page shares links with it."}
              </EmptyMessage>
            ) : (
              <ol class="entries scored">
                {data.rows.map((row) => (
                  <li key={row.url}>
                    <span class="place">{row.place}</span>
                    <div>
                      <PageName pageRef={row} from={from} />
                      <SimilarityEvidence row={row} from={from} />
                    </div>
                    <span class="score">
                      <span class="visually-hidden">score </span>
                      {formatUnitScore(row.score)}
                      <Bar share={row.score / Math.max(data.rows[0]?.score ?? 1, 1e-300)} />
                    </span>
                  </li>
                ))}
              </ol>
            )}
            <Notes notes={data.notes} />
          </>
        )}
      </AsyncContent>
    </section>
  );
}

/** The number of witnesses, and on demand which, with anchor texts. */
function SimilarityEvidence({ row, from }: { row: SimilarPage; from: string }) {
  const patterns = Object.entries(row.witness_counts).filter(([, count]) => count > 0);
  const counts = patterns.map(
    ([pattern, count]) =>
      WITNESS_TEXTS[pattern]?.(formatCount(count, "page"), count === 1) ?? `${stripControlChars(pattern)}: ${formatCount(count, "page")}`,
  );
  const text = row.shared_words.length > 0 ? `shared keywords ${row.shared_words.map(stripControlChars).join(", ")}` : "";
  const line = [...counts, text].filter(Boolean).join(" · ");
  if (row.witnesses.length === 0) return line ? <p class="soft small">{line}</p> : null;
  return (
    <details class="evidence">
      <summary>{line}</summary>
      <WitnessList rows={row.witnesses} from={from} />
      {patterns.some(([pattern, count]) => count > row.witnesses.filter((witness) => witness.pattern === pattern).length) && (
        <p class="soft">Only the first are listed.</p>
      )}
    </details>
  );
}

/** Pages linked with both, and the anchor texts of these links. */
export function WitnessList({ rows, from }: { rows: readonly WitnessSchema[]; from: string }) {
  return (
    <ul class="plain">
      {rows.map((witness, k) => (
        <li key={k}>
          <PageName pageRef={witness} from={from} compact />
          {(witness.page_anchor || witness.other_anchor) && (
            <span class="soft">
              {" "}
              {[witness.page_anchor, witness.other_anchor].filter(Boolean).map((anchor, k) => (
                <span key={k}>
                  {k > 0 && " · "}
                  <q>
                    <bdi>{stripControlChars(anchor)}</bdi>
                  </q>
                </span>
              ))}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

export function KnownForTerms({ url }: { url: string }) {
  const response = useApi<KnownForResponse>("page/known-for", { url });
  return (
    <section id="known-for">
      <h2>Known for</h2>
      <AsyncContent response={response} label="the terms">
        {(data) => {
          if (data.rows.length === 0) return <EmptyMessage>There is no such term.</EmptyMessage>;
          return (
            <ul class="known-terms">
              {data.rows.map((row) => (
                <li key={row.term}>
                  <a href={buildUrl("/topics", { query: row.term })}>
                    <bdi>{stripControlChars(row.term)}</bdi>
                  </a>
                  <Bar share={row.penetration ?? 0} />
                  <span class="soft small">
                    {formatPercent(row.penetration)} of {formatNumber(row.pages)} pages with the term lead here
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </AsyncContent>
    </section>
  );
}
