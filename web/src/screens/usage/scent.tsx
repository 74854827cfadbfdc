/** Information scent: where a visitor with a need would go, and where they would get lost. */

import type { ShapeResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { formatScore, toSentence } from "../../pieces/format";
import { AsyncContent } from "../../pieces/loading";
import { FactList, Notes } from "../../pieces/notes";
import { SheetTable } from "../../pieces/sheetTable";
import { LinkTabs } from "../../pieces/controls";
import { navigate, type Route, withParams } from "../../route";

const PATH = "usage/scent";
const SIZE = 15;

export function ScentSection({ route }: { route: Route }) {
  const { search } = route;
  const [need, source, target] = ["need", "from", "to"].map((name) => search.get(name) ?? "");
  const response = useApi<ShapeResponse>(need ? PATH : null, { need, source, target: target ? [target] : [], top: SIZE });
  return (
    <section id="scent">
      <h2>What would a visitor do who looks for…</h2>
      <p class="soft">
        The words of each link tell a visitor how likely it leads to what is needed. Needs no log; with one, visitors begin where sessions
        do.
      </p>
      <form
        class="inline scent"
        aria-label="Information scent"
        onSubmit={(event) => {
          event.preventDefault();
          const values = new FormData(event.currentTarget);
          const value = (name: string) => String(values.get(name) ?? "").trim() || null;
          navigate(withParams(route, { need: value("need"), from: value("from"), to: value("to") }));
        }}
      >
        <label>
          Need <input name="need" defaultValue={need} required placeholder="words" />
        </label>
        <label>
          From <input name="from" defaultValue={source} placeholder="URL; where sessions begin" />
        </label>
        <label>
          To <input name="to" defaultValue={target} placeholder="URL" />
        </label>
        <button type="submit">Follow the scent</button>
      </form>
      {need && (
        <AsyncContent response={response} label="information scent" placeholderLines={10}>
          {(data) => <ScentResult data={data} route={route} />}
        </AsyncContent>
      )}
    </section>
  );
}

function ScentResult({ data, route }: { data: ShapeResponse; route: Route }) {
  const tables = Object.keys(data.tables);
  const chosen = route.search.get("scent") ?? tables[0] ?? "";
  const facts = Object.entries(data.facts).filter(([, value]) => value !== null && !Array.isArray(value));
  return (
    <>
      <FactList
        rows={facts.map(([name, value]) => [toSentence(name).slice(0, -1), typeof value === "number" ? formatScore(value) : String(value)])}
      />
      <LinkTabs route={route} name="scent" label="Tables of scent" chosen={chosen} tabs={tables.map((name) => [name, name] as const)} />
      <SheetTable data={data} table={chosen} label={chosen} none="There is nothing to show." />
      <Notes notes={data.notes} />
    </>
  );
}
