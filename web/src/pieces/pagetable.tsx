/** Pages with figures beside them, one a row. */

import type { Named } from "../ask/shapes";
import { PageName, twins } from "./names";
import { Wide } from "./small";

interface Props<Row extends Named> {
  label: string;
  level: string;
  rows: readonly Row[];
  from?: string;
  place?: (row: Row) => string;
  figures: readonly (readonly [string, (row: Row) => string])[];
}

/** `figures` are the columns by their headings; `place` stands before the page. */
export function PageTable<Row extends Named>({ label, level, rows, from = "", place, figures }: Props<Row>) {
  const same = twins(rows);
  return (
    <Wide label={label}>
      <table class={place ? "figures members" : "figures"}>
        <thead>
          <tr>
            {place && <Figure name="place" />}
            <th scope="col">{level}</th>
            {figures.map(([name]) => (
              <Figure key={name} name={name} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.page}>
              {place && <td class="number">{place(row)}</td>}
              <th scope="row">
                <PageName named={row} from={from} whole={same.has(row.page)} />
              </th>
              {figures.map(([name, read]) => (
                <td key={name} class="number">
                  {read(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function Figure({ name }: { name: string }) {
  return (
    <th scope="col" class="number">
      {name}
    </th>
  );
}
