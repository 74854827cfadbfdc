/** What visitors view before and after a page, beside its links. */

import type { ShapeResponse } from "../../api/schemas";
import { numberOrNull } from "../../api/tables";
import { useApi } from "../../api/useApi";
import { formatNumber, formatPercent } from "../../pieces/format";
import { AsyncContent } from "../../pieces/loading";
import { FactList, FigureDownloads, Notes } from "../../pieces/notes";
import { PageName } from "../../pieces/pageName";
import { SheetTable } from "../../pieces/sheetTable";
import { type Route, withParams } from "../../route";

const PATH = "usage/around";
const SIZE = 25;

export function AroundPage({ route, page }: { route: Route; page: string }) {
  const response = useApi<ShapeResponse>(PATH, { page, top: SIZE });
  const predicts = route.search.has("predict");
  const next = useApi<ShapeResponse>(predicts ? "usage/next" : null, { path: [page], top: SIZE });
  const beside = (url: string) => (
    <a class="small" href={withParams(route, { page: url })}>
      before and after
    </a>
  );
  return (
    <section>
      <p>
        <a href={withParams(route, { page: null })}>← All usage</a>
      </p>
      <AsyncContent response={response} label="the clicks around the page" placeholderLines={12}>
        {(data) => (
          <>
            <h2>
              Before and after <PageName pageRef={{ url: String(data.facts["page"]), title: "", kind: "captured" }} compact />
            </h2>
            <FactList rows={factRows(data)} />
            <Notes notes={data.notes} />
            <div class="roles">
              <div>
                <div class="tools">
                  <h3>After</h3>
                  <FigureDownloads path={PATH} params={{ page }} table="after" />
                </div>
                <p class="soft">Pages viewed next, and all that it links to. Shares are of its views.</p>
                <SheetTable
                  data={data}
                  table="after"
                  label="After"
                  none="Nothing was viewed after it, and it has no links."
                  beside={beside}
                />
              </div>
              <div>
                <div class="tools">
                  <h3>Before</h3>
                  <FigureDownloads path={PATH} params={{ page }} table="before" />
                </div>
                <p class="soft">Pages from which visitors came.</p>
                <SheetTable data={data} table="before" label="Before" none="Nobody came from another page." beside={beside} />
              </div>
            </div>
          </>
        )}
      </AsyncContent>
      <h3>Predicted next</h3>
      <p class="soft">What a visitor on this page will probably view next, learned from all sessions and links.</p>
      {predicts ? (
        <AsyncContent response={next} label="the prediction" placeholderLines={6}>
          {(data) => (
            <>
              <SheetTable
                data={data}
                table={Object.keys(data.tables)[0] ?? ""}
                label="Predicted next"
                none="Nothing is predicted."
                beside={beside}
              />
              <Notes notes={data.notes} />
            </>
          )}
        </AsyncContent>
      ) : (
        <p>
          <a class="button" href={withParams(route, { predict: "1" })}>
            Predict
          </a>
        </p>
      )}
    </section>
  );
}

function factRows(data: ShapeResponse): [string, string, string?][] {
  const fact = (name: string) => numberOrNull(data.facts[name] ?? null) ?? 0;
  return [
    ["Views", formatNumber(fact("views"))],
    ["Sessions that begin here", formatNumber(fact("entries"))],
    ["Sessions that end here", formatNumber(fact("exits")), `${formatPercent(numberOrNull(data.facts["exit rate"] ?? null))} of its views`],
  ];
}
