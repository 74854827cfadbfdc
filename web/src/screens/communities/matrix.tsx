/** The matrix of links between communities. */

import type { CommunitiesResponse } from "../../api/schemas";
import { downloadBlob, svgToBlob, svgToPng } from "../../draw/download";
import { matrixToSvg } from "../../draw/matrixSvg";
import { EmptyMessage } from "../../pieces/loading";
import { colourClass, DownloadLinks, NumberBadge, ScrollableTable } from "../../pieces/controls";
import { formatCount, formatNumber } from "../../pieces/format";
import { withParams } from "../../route";
import { groupLabel } from "../groups/describe";
import type { GroupsRequest } from "../groups/request";
import { CommunityLinksTable } from "./communityLinks";

const MAX_COLOUR_PERCENT = 40;

export function LinkMatrix({ request, data, chosen }: { request: GroupsRequest; data: CommunitiesResponse; chosen: number }) {
  const { numbers, labels, cells } = data.matrix;
  if (numbers.length < 2) return <EmptyMessage>There is only one community.</EmptyMessage>;
  const maxLinks = Math.max(1, ...cells.flat());
  const other = Number(request.route.search.get("with") ?? 0);
  const href = (row: number, column: number) =>
    `${withParams(request.route, { community: row === 1 ? null : row, with: column, links: null, members: null })}#cell`;
  const toSvg = () => matrixToSvg(data.matrix, getComputedStyle(document.body).fontFamily);
  return (
    <section>
      <div class="tools">
        <h2>Link matrix</h2>
        <span class="downloads">
          <DownloadLinks path={`communities/${request.method}`} params={{ ...request.params, table: "matrix" }} formats={["csv"]} />
          <button type="button" class="file" onClick={() => downloadBlob(svgToBlob(toSvg()), "matrix.svg")}>
            SVG
          </button>
          <button type="button" class="file" onClick={() => void svgToPng(toSvg()).then((file) => downloadBlob(file, "matrix.png"))}>
            PNG
          </button>
        </span>
      </div>
      <p class="soft">
        Number of links from the community of a row to that of a column; the diagonal holds internal links. Colours are on a logarithmic
        scale. Select a number to list its links.
        {data.total > numbers.length && ` The first ${formatNumber(numbers.length)} of ${formatCount(data.total, "community")}.`}
      </p>
      <ScrollableTable label="Links between communities">
        <table class="matrix link-matrix">
          <thead>
            <tr>
              <td />
              {numbers.map((row, k) => (
                <th key={row} scope="col" title={labels[k]}>
                  <NumberBadge number={row} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {numbers.map((row, i) => (
              <tr key={row} class={colourClass(row)}>
                <th scope="row">
                  <span class="row-name">
                    <bdi>{groupLabel({ label: labels[i] ?? "" })}</bdi>
                  </span>{" "}
                  <NumberBadge number={row} />
                </th>
                {numbers.map((column, j) => {
                  const value = cells[i]?.[j] ?? 0;
                  const strength = Math.round((MAX_COLOUR_PERCENT * Math.log1p(value)) / Math.log1p(maxLinks));
                  const current = row === chosen && column === other;
                  return (
                    <td key={column} style={{ background: `color-mix(in srgb, var(--accent) ${strength}%, var(--paper))` }}>
                      {value > 0 ? (
                        <a
                          href={href(row, column)}
                          aria-current={current ? "true" : undefined}
                          aria-label={`${formatCount(value, "link")} from community ${row} to ${row === column ? "itself" : column}`}
                        >
                          {formatShort(value)}
                        </a>
                      ) : (
                        <span class="soft">·</span>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollableTable>
      {numbers.includes(other) && <CommunityLinksTable request={request} community={chosen} other={other} />}
    </section>
  );
}

function formatShort(value: number): string {
  if (value < 10_000) return formatNumber(value);
  return value < 1e6 ? `${Math.round(value / 1000)}k` : `${(value / 1e6).toFixed(1)}M`;
}
