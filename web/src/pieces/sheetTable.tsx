/** A table of facts: pages are links, shares are percentages, everything else is what it is. */

import type { ComponentChildren } from "preact";
import type { ShapeResponse } from "../api/schemas";
import { type Cell, pageRefIn } from "../api/tables";
import { ScrollableTable } from "./controls";
import { formatNumber, formatPercent, formatScore, stripControlChars } from "./format";
import { EmptyMessage } from "./loading";
import { PageName } from "./pageName";

const PAGE_COLUMNS = new Set(["page", "source", "target", "pages", "path", "link to", "strongest link"]);
const SHARE_COLUMNS = /share|rate$|probability/;

interface Props {
  data: ShapeResponse;
  table: string;
  label: string;
  none: string;
  /** What stands behind the name of a page. */
  beside?: (url: string) => ComponentChildren;
}

export function SheetTable({ data, table, label, none, beside }: Props) {
  const slice = data.tables[table];
  if (slice === undefined || slice.rows.length === 0) return <EmptyMessage>{none}</EmptyMessage>;
  return (
    <ScrollableTable label={label}>
      <table class="figures">
        <thead>
          <tr>
            {slice.columns.map((name, k) => (
              <th key={name} scope="col" class={typeof slice.rows[0]?.[k] === "number" ? "number" : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {slice.rows.map((row, k) => (
            <tr key={slice.offset + k}>
              {row.map((cell, column) => (
                <td key={slice.columns[column]} class={typeof cell === "number" ? "number" : undefined}>
                  <SheetCell data={data} name={slice.columns[column] ?? ""} cell={cell} {...(beside && { beside })} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

function SheetCell({ data, name, cell, beside }: { data: ShapeResponse; name: string; cell: Cell } & Pick<Props, "beside">) {
  if (cell === null) return <>–</>;
  if (typeof cell === "boolean") return <>{cell ? "yes" : "no"}</>;
  if (typeof cell === "number") {
    if (SHARE_COLUMNS.test(name)) return <>{formatPercent(cell)}</>;
    return <>{Number.isInteger(cell) ? formatNumber(cell) : formatScore(cell)}</>;
  }
  const pages = Array.isArray(cell) ? cell.map(String) : [String(cell)];
  if (!PAGE_COLUMNS.has(name)) return <bdi>{stripControlChars(pages.join(" "))}</bdi>;
  return (
    <>
      {pages.map((url, k) => (
        <div key={k} class="sheet-page">
          {data.names[url] ? <PageName pageRef={pageRefIn(data, url)} /> : <bdi>{stripControlChars(url)}</bdi>}
          {data.names[url] && beside?.(url)}
        </div>
      ))}
    </>
  );
}
