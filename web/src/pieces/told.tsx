/** What is told beside a figure: facts, notes, and the files to keep. */

import { type Params, address } from "../ask/ask";
import { fetchedAsDots, save } from "../draw/keep";
import { sentence } from "./answered";
import { Files } from "./small";
import { clean } from "./words";

const FEW = 3;

/** What was sampled, capped or left out. */
export function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  const list = (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{sentence(clean(note.replace(/ \(seen=drop\)$/, "")))}</li>
      ))}
    </ul>
  );
  if (notes.length <= FEW) return list;
  return (
    <details class="small">
      <summary class="soft">{notes.length} notes on how it was measured</summary>
      {list}
    </details>
  );
}

/** Facts, the telling number first and what it means after it. */
export function FactList({ rows }: { rows: readonly (readonly [string, string, string?])[] }) {
  return (
    <dl class="measures">
      {rows.map(([name, value, words]) => (
        <div key={name}>
          <dt>
            {name}
            {words && <small>{words}</small>}
          </dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The table behind a figure as CSV, the figure as SVG and as PNG. */
export function Kept({ path, params, table, picture }: { path: string; params: Params; table: string; picture?: string | undefined }) {
  return (
    <span class="kept">
      <Files path={path} params={{ ...params, table }} formats={["csv"]} />
      {picture && (
        <>
          <a class="file" href={address(`${path}/picture`, { ...params, picture })} download>
            SVG
          </a>
          <button type="button" class="file" onClick={() => void fetchedAsDots(address(`${path}/picture`, { ...params, picture })).then((file) => save(file, `${picture}.png`))}>
            PNG
          </button>
        </>
      )}
    </span>
  );
}
