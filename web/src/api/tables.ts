/** Tables and facts of a response, whose columns and names depend on the method. */

import type { PageRef, ShapeResponse, TableSlice } from "./schemas";

export type Cell = TableSlice["rows"][number][number];

/** The rows of a table as records by column. */
export function tableRecords(table: TableSlice | undefined): Record<string, Cell>[] {
  return (table?.rows ?? []).map((row) => Object.fromEntries(row.map((cell, k) => [table?.columns[k] ?? "", cell])));
}

/** The number in a cell; null if there is none. */
export function numberOrNull(cell: Cell | undefined): number | null {
  return typeof cell === "number" ? cell : null;
}

/** A page in a row, with its title and kind. */
export function pageRefIn(data: ShapeResponse, url: string): PageRef {
  const name = data.names[url];
  return { url, title: name?.title ?? "", kind: name?.kind ?? data.level };
}
