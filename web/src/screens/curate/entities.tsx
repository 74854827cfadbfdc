/** Entities: named groups of hosts and folders, to list, add, merge and split. */

import { useState } from "preact/hooks";
import type { EntitiesResponse, EntitySchema } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { DownloadLinks, ScrollableTable } from "../../pieces/controls";
import { formatCount, formatNumber, stripControlChars } from "../../pieces/format";
import { AsyncContent, EmptyMessage, ProblemMessage } from "../../pieces/loading";
import { buildUrl, type Route } from "../../route";
import { Dialog } from "./dialog";
import { ImportForm } from "./importForm";
import { type Write, useWrite } from "./useWrite";

const MAX_PREFIXES_SHOWN = 4;

export function EntitiesView({ route }: { route: Route }) {
  const response = useApi<EntitiesResponse>("curate/entities");
  const write = useWrite(response.retry);
  const find = route.search.get("find") ?? "";
  return (
    <section>
      <p class="lead">
        An entity is a named group of hosts and folders, such as all sites of one organisation: a level like page, host and domain.
      </p>
      {write.problem && <ProblemMessage problem={write.problem} />}
      <AsyncContent response={response} label="entities" placeholderLines={8}>
        {(data) => <EntityTable key={find} data={data} write={write} find={find} />}
      </AsyncContent>
      <AddEntity write={write} />
      <ImportForm
        path="curate/entities/import"
        heading="Import entities"
        hint="CSV with the columns name and prefix, or an export of Hyphe"
        write={write}
      />
    </section>
  );
}

function EntityTable({ data, write, find }: { data: EntitiesResponse; write: Write; find: string }) {
  const [words, setWords] = useState(find);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [merging, setMerging] = useState(false);
  const chosen = data.rows.filter((row) => selected.has(row.name));
  const rows = data.rows.filter((row) => matches(row, words));
  const others = <DefaultGrouping value={data.default} write={write} />;
  if (data.rows.length === 0)
    return (
      <EmptyMessage>
        There are no entities yet. {find && <PagesOf name={find} />} {others} <UndoButton version={data.version} write={write} />
      </EmptyMessage>
    );
  return (
    <>
      <p class="tools">
        <span class="soft">
          {formatCount(data.rows.length, "entity")}. {others}
        </span>
        <DownloadLinks path="curate/entities" params={{}} formats={["csv"]} />
      </p>
      <div class="toolbar" role="group" aria-label="Entities">
        <input
          type="search"
          aria-label="Find an entity"
          placeholder="name or prefix"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <button type="button" disabled={chosen.length < 2 || write.busy} onClick={() => setMerging(true)}>
          Merge{chosen.length > 1 && ` ${chosen.length}`}
        </button>
        <button
          type="button"
          disabled={chosen.length === 0 || write.busy}
          onClick={() => void write.send(chosen.map(({ name }) => ["curate/entities/split", { name }])).then(() => setSelected(new Set()))}
        >
          Split{chosen.length > 1 && ` ${chosen.length}`}
        </button>
        <UndoButton version={data.version} write={write} />
      </div>
      <ScrollableTable label="Entities">
        <table class="figures entities">
          <thead>
            <tr>
              <td>
                <span class="visually-hidden">selected</span>
              </td>
              <th scope="col">entity</th>
              <th scope="col">prefixes</th>
              <th scope="col" class="number">
                pages
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name} class={selected.has(row.name) ? "chosen" : undefined}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Select ${stripControlChars(row.name)}`}
                    checked={selected.has(row.name)}
                    onChange={(event) => {
                      const kept = [...selected].filter((name) => name !== row.name);
                      setSelected(new Set(event.currentTarget.checked ? [...kept, row.name] : kept));
                    }}
                  />
                </td>
                <th scope="row">
                  <bdi>{stripControlChars(row.name)}</bdi>
                </th>
                <td>
                  <PrefixList prefixes={row.prefixes} />
                </td>
                <td class="number">{formatNumber(row.pages)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollableTable>
      {rows.length === 0 && (
        <p class="soft">No entity has these letters in its name or prefixes. {find === words && <PagesOf name={find} />}</p>
      )}
      {merging && (
        <MergeDialog
          entities={chosen}
          close={() => setMerging(false)}
          merge={(name) => {
            setSelected(new Set());
            void write.send([["curate/entities/merge", { name, others: chosen.map((row) => row.name).filter((other) => other !== name) }]]);
          }}
        />
      )}
    </>
  );
}

/** What is no entity is a host, domain or site: its pages. */
function PagesOf({ name }: { name: string }) {
  return (
    <a href={buildUrl("/search", { query: `site:${name}` })}>
      The pages of <bdi>{stripControlChars(name)}</bdi>
    </a>
  );
}

function matches(row: EntitySchema, words: string): boolean {
  const text = [row.name, ...row.prefixes].join(" ").toLowerCase();
  return text.includes(words.trim().toLowerCase());
}

function PrefixList({ prefixes }: { prefixes: readonly string[] }) {
  const item = (prefix: string) => (
    <li key={prefix}>
      <bdi>{prefix}</bdi>
    </li>
  );
  return (
    <>
      <ul class="plain">{prefixes.slice(0, MAX_PREFIXES_SHOWN).map(item)}</ul>
      {prefixes.length > MAX_PREFIXES_SHOWN && (
        <details>
          <summary class="soft small">{prefixes.length - MAX_PREFIXES_SHOWN} more</summary>
          <ul class="plain">{prefixes.slice(MAX_PREFIXES_SHOWN).map(item)}</ul>
        </details>
      )}
    </>
  );
}

/** How pages of no entity are grouped. */
function DefaultGrouping({ value, write }: { value: string; write: Write }) {
  return (
    <label class="default-grouping">
      Pages of no entity are grouped by{" "}
      <select
        value={value}
        disabled={write.busy}
        onChange={(event) => void write.send([["curate/entities/default", { default: event.currentTarget.value }]])}
      >
        <option value="host">host</option>
        <option value="domain">domain</option>
        <option value="site">site</option>
      </select>
    </label>
  );
}

function UndoButton({ version, write }: { version: number; write: Write }) {
  return (
    <button type="button" disabled={version === 0 || write.busy} onClick={() => void write.send([["curate/entities/undo", {}]])}>
      Undo
    </button>
  );
}

function AddEntity({ write }: { write: Write }) {
  return (
    <section>
      <h2>Add an entity, or prefixes to one</h2>
      <form
        class="options"
        aria-label="Add an entity"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const words = new FormData(form);
          const prefixes = String(words.get("prefixes")).split(/\s+/).filter(Boolean);
          void write
            .send([["curate/entities/add", { name: String(words.get("name")).trim(), prefixes }]])
            .then((done) => done && form.reset());
        }}
      >
        <div class="fields">
          <div class="field">
            <label for="entity-name">Name</label>
            <input id="entity-name" name="name" type="text" required maxLength={200} placeholder="University of X" />
          </div>
          <div class="field">
            <label for="entity-prefixes">Prefixes</label>
            <textarea id="entity-prefixes" name="prefixes" rows={2} required placeholder="x.edu hospital-x.org" />
            <small>hosts, with their subdomains, or folders; the longest prefix counts. Other entities lose them</small>
          </div>
        </div>
        <button type="submit" disabled={write.busy}>
          Add
        </button>
      </form>
    </section>
  );
}

function MergeDialog({ entities, close, merge }: { entities: readonly EntitySchema[]; close: () => void; merge: (name: string) => void }) {
  return (
    <Dialog heading={`Merge ${entities.length} entities`} close={close}>
      <form method="dialog" aria-label="Merge" onSubmit={(event) => merge(String(new FormData(event.currentTarget).get("name")).trim())}>
        <ul>
          {entities.map((entity) => (
            <li key={entity.name}>
              <bdi>{stripControlChars(entity.name)}</bdi>
            </li>
          ))}
        </ul>
        <div class="field">
          <label for="merged-name">Name of the whole</label>
          <input id="merged-name" name="name" type="text" required maxLength={200} defaultValue={entities[0]?.name} autofocus />
        </div>
        <p class="dialog-buttons">
          <button type="submit" class="main">
            Merge
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
