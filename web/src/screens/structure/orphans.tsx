/** Pages that are hard to find: orphans, and the deepest pages. */

import type { ShapeResponse } from "../../api/schemas";
import { type Cell, numberOrNull, pageRefIn, tableRecords } from "../../api/tables";
import { useApi } from "../../api/useApi";
import type { View } from "../../pieces/tagFilter";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { Pager } from "../../pieces/controls";
import { FigureDownloads } from "../../pieces/notes";
import { formatCount } from "../../pieces/format";
import type { Route } from "../../route";

const PATH = "structure/depth";
const SIZE = 10;

export function OrphansSection({ route, view }: { route: Route; view: View }) {
  const { level } = view;
  return (
    <section class="roles" id="orphans">
      <OrphanList
        route={route}
        view={view}
        table="orphans"
        heading="Orphans"
        text={`Captured ${level}s that no link leads to; below a single home page also those that it does not reach. Home pages do not count.`}
        none={`Links lead to every captured ${level}.`}
      >
        {(row) => `${String(row["reason"])}; links to ${formatCount(numberOrNull(row["links out"]) ?? 0, level)}`}
      </OrphanList>
      <OrphanList
        route={route}
        view={view}
        table="deepest"
        heading="Deepest"
        text="The longest shortest paths from a home page."
        none="There are only home pages."
      >
        {(row) => formatCount(numberOrNull(row["clicks"]) ?? 0, "click")}
      </OrphanList>
    </section>
  );
}

interface Props {
  route: Route;
  view: View;
  table: "orphans" | "deepest";
  heading: string;
  text: string;
  none: string;
  children: (row: Record<string, Cell>) => string;
}

function OrphanList({ route, view, table, heading, text, none, children }: Props) {
  const offset = Number(route.search.get(table) ?? 0);
  const { level } = view;
  const response = useApi<ShapeResponse>(PATH, { ...view, table, offset, top: SIZE });
  return (
    <div>
      <div class="tools">
        <h2>{heading}</h2>
        {response.data && <FigureDownloads path={PATH} params={view} table={table} />}
      </div>
      <p class="soft">{text}</p>
      <AsyncContent response={response} label={heading.toLowerCase()}>
        {(data) => {
          const rows = tableRecords(data.tables[table]);
          const total = data.tables[table]?.total ?? 0;
          if (rows.length === 0) return <EmptyMessage>{none}</EmptyMessage>;
          return (
            <>
              <ul class="links">
                {rows.map((row) => (
                  <li key={String(row["page"])}>
                    <PageName pageRef={pageRefIn(data, String(row["page"]))} />
                    {Array.isArray(row["path"]) && row["path"].length > 1 ? (
                      <PathFromHome data={data} path={row["path"].map(String)} text={children(row)} />
                    ) : (
                      <span class="anchor">{children(row)}</span>
                    )}
                  </li>
                ))}
              </ul>
              <Pager
                route={route}
                name={table}
                offset={data.tables[table]?.offset ?? 0}
                size={SIZE}
                total={total}
                unit={level}
                of={table}
              />
            </>
          );
        }}
      </AsyncContent>
    </div>
  );
}

/** The path from a home page, one link per line. */
function PathFromHome({ data, path, text }: { data: ShapeResponse; path: readonly string[]; text: string }) {
  return (
    <details class="evidence">
      <summary>{text} from home</summary>
      <ol class="path">
        {path.map((page, k) => (
          <li key={k}>
            <PageName pageRef={pageRefIn(data, page)} compact />
          </li>
        ))}
      </ol>
    </details>
  );
}
