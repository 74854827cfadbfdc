/** Hosts with their pages and links; the bar shows what orders them. */

import type { Host } from "../ask/shapes";
import { to } from "../route";
import { Bar, Wide } from "./small";
import { number } from "./words";

export function HostTable({ rows, by = "pages" }: { rows: readonly Host[]; by?: "pages" | "seen" }) {
  const most = Math.max(1, ...rows.map((row) => row[by]));
  return (
    <Wide label="Hosts">
      <table class={`figures hosts by-${by}`}>
        <thead>
          <tr>
            <th scope="col">host</th>
            <th scope="col" class="number">
              pages
            </th>
            <th scope="col" class="number">
              more only seen
            </th>
            <th scope="col" class="number">
              links in
            </th>
            <th scope="col" class="number">
              links out
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.host}>
              <th scope="row">
                <a href={to("/search", { query: `site:${row.host}` })}>
                  <bdi>{row.host}</bdi>
                </a>
                <Bar share={row[by] / most} />
              </th>
              <td class="number">{number(row.pages)}</td>
              <td class="number">{number(row.seen)}</td>
              <td class="number">{number(row.inlinks)}</td>
              <td class="number">{number(row.outlinks)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
