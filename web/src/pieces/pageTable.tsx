/** A table of pages with numeric columns. */

import type { PageRef } from "../api/schemas";
import { ambiguousPages, PageName } from "./pageName";
import { ScrollableTable } from "./controls";

interface Props<Row extends PageRef> {
  label: string;
  level: string;
  rows: readonly Row[];
  from?: string;
  rank?: (row: Row) => string;
  columns: readonly (readonly [string, (row: Row) => string])[];
}

/** `columns` are headings with the text of a cell; `rank` is shown before the page. */
export function PageTable<Row extends PageRef>({ label, level, rows, from = "", rank, columns }: Props<Row>) {
  const ambiguous = ambiguousPages(rows);
  return (
    <ScrollableTable label={label}>
      <table class={rank ? "figures members" : "figures"}>
        <thead>
          <tr>
            {rank && <NumberHeading name="place" />}
            <th scope="col">{level}</th>
            {columns.map(([name]) => (
              <NumberHeading key={name} name={name} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.url}>
              {rank && <td class="number">{rank(row)}</td>}
              <th scope="row">
                <PageName pageRef={row} from={from} fullUrl={ambiguous.has(row.url)} />
              </th>
              {columns.map(([name, read]) => (
                <td key={name} class="number">
                  {read(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

function NumberHeading({ name }: { name: string }) {
  return (
    <th scope="col" class="number">
      {name}
    </th>
  );
}
