/** Tables of a crawl: what waits, what was fetched, and what was refused. */

import type { CrawlHost, CrawlPage, CrawlRefusal, CrawlUrl } from "../../api/schemas";
import { Bar, ScrollableTable } from "../../pieces/controls";
import { EmptyMessage } from "../../pieces/loading";
import { ExternalLink, PageName } from "../../pieces/pageName";
import { displayUrl, formatNumber, formatRelevance, formatScore, stripControlChars } from "../../pieces/format";

/** Headings of number columns. */
function NumberHeads({ names }: { names: readonly string[] }) {
  return (
    <>
      {names.map((name) => (
        <th key={name} scope="col" class="number">
          {name}
        </th>
      ))}
    </>
  );
}

/** A URL and the page that it was found on; a link into the collection, or to the web if it is not there. */
function FoundUrl({ row, inCollection = false }: { row: CrawlUrl; inCollection?: boolean }) {
  return (
    <span class="named">
      {inCollection ? <PageName pageRef={{ url: row.url, title: "", kind: "captured" }} compact /> : <ExternalLink url={row.url} />}
      <span class="address">{row.parent ? <bdi>found on {displayUrl(row.parent)}</bdi> : "a seed"}</span>
    </span>
  );
}

export function WaitingUrls({ rows }: { rows: readonly CrawlUrl[] }) {
  if (rows.length === 0) return <EmptyMessage>No URL waits.</EmptyMessage>;
  return (
    <ScrollableTable label="Waiting, best first">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">URL</th>
            <NumberHeads names={["score", "depth"]} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.url}>
              <th scope="row">
                <FoundUrl row={row} />
              </th>
              <td class="number">{formatScore(row.score)}</td>
              <td class="number">{formatNumber(row.depth)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

export function LastPages({ rows }: { rows: readonly CrawlPage[] }) {
  if (rows.length === 0) return <EmptyMessage>No page was fetched yet.</EmptyMessage>;
  return (
    <ScrollableTable label="Last pages">
      <table class="figures crawl-pages">
        <thead>
          <tr>
            <th scope="col">page</th>
            <NumberHeads names={["place", "relevance", "score", "depth"]} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.place}>
              <th scope="row">
                <FoundUrl row={row} inCollection={row.in_collection} />
              </th>
              <td class="number">{formatNumber(row.place)}</td>
              <td class="number">
                {formatRelevance(row.relevance)}
                <Bar share={row.relevance ?? 0} />
              </td>
              <td class="number">{formatScore(row.score)}</td>
              <td class="number">{formatNumber(row.depth)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

export function WaitingHosts({ rows }: { rows: readonly CrawlHost[] }) {
  if (rows.length === 0) return <EmptyMessage>No URL waits.</EmptyMessage>;
  const most = Math.max(...rows.map((row) => row.waiting));
  return (
    <ScrollableTable label="Waiting, by host">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">host</th>
            <NumberHeads names={["waiting", "best score", "fetched"]} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <bdi>{stripControlChars(row.name)}</bdi>
                <Bar share={row.waiting / most} />
              </th>
              <td class="number">{formatNumber(row.waiting)}</td>
              <td class="number">{formatScore(row.best_score)}</td>
              <td class="number">{formatNumber(row.fetched)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

export function Refusals({ rows }: { rows: readonly CrawlRefusal[] }) {
  if (rows.length === 0) return <EmptyMessage>Nothing was refused, and no fetch failed.</EmptyMessage>;
  return (
    <ScrollableTable label="Not fetched, and why">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">reason</th>
            <NumberHeads names={["URLs"]} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.reason}>
              <th scope="row">{stripControlChars(row.reason)}</th>
              <td class="number">{formatNumber(row.urls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}
