/** Hosts with their pages and links; the bar shows the column that orders them. */

import type { HostRow } from "../api/schemas";
import { buildUrl } from "../route";
import { Bar, ScrollableTable } from "./controls";
import { formatNumber } from "./format";
import { Address } from "./pageName";

export function HostTable({ rows, by = "pages" }: { rows: readonly HostRow[]; by?: "pages" | "uncaptured" }) {
  const maxCount = Math.max(1, ...rows.map((row) => row[by]));
  return (
    <ScrollableTable label="Hosts">
      <table class={`figures hosts by-${by}`}>
        <thead>
          <tr>
            <th scope="col">host</th>
            <th scope="col" class="number">
              pages
            </th>
            <th scope="col" class="number">
              not captured
            </th>
            <th scope="col" class="number">
              in-links
            </th>
            <th scope="col" class="number">
              out-links
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.host}>
              <th scope="row">
                <a href={buildUrl("/search", { query: `site:${row.host}` })}>
                  <Address url={row.host} />
                </a>
                <Bar share={row[by] / maxCount} />
              </th>
              <td class="number">{formatNumber(row.pages)}</td>
              <td class="number">{formatNumber(row.uncaptured)}</td>
              <td class="number">{formatNumber(row.inlinks)}</td>
              <td class="number">{formatNumber(row.outlinks)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}
