/** What accompanies a figure: facts, notes and downloads. */

import { apiUrl, type QueryParams } from "../api/client";
import { downloadBlob, fetchSvgAsPng } from "../draw/download";
import { DownloadLinks } from "./controls";
import { stripControlChars, toSentence } from "./format";

const MAX_OPEN_NOTES = 3;

/** Notes on what was sampled, limited or left out. */
export function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  const list = (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{toSentence(stripControlChars(note.replace(/ \(uncaptured=drop\)$/, "")))}</li>
      ))}
    </ul>
  );
  if (notes.length <= MAX_OPEN_NOTES) return list;
  return (
    <details class="small">
      <summary class="soft">{notes.length} notes on the computation</summary>
      {list}
    </details>
  );
}

/** Facts with their values and explanations. */
export function FactList({ rows }: { rows: readonly (readonly [string, string, string?])[] }) {
  return (
    <dl class="measures">
      {rows.map(([name, value, description]) => (
        <div key={name}>
          <dt>
            {name}
            {description && <small>{description}</small>}
          </dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The table behind a figure as CSV, the figure as SVG and as PNG. */
export function FigureDownloads({
  path,
  params,
  table,
  picture,
}: {
  path: string;
  params: QueryParams;
  table: string;
  picture?: string | undefined;
}) {
  return (
    <span class="downloads">
      <DownloadLinks path={path} params={{ ...params, table }} formats={["csv"]} />
      {picture && (
        <>
          <a class="file" href={apiUrl(`${path}/picture`, { ...params, picture })} download>
            SVG
          </a>
          <button
            type="button"
            class="file"
            onClick={() =>
              void fetchSvgAsPng(apiUrl(`${path}/picture`, { ...params, picture })).then((file) => downloadBlob(file, `${picture}.png`))
            }
          >
            PNG
          </button>
        </>
      )}
    </span>
  );
}
