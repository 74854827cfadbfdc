/** Small components that several screens share. */

import type { ComponentChildren, TargetedEvent } from "preact";
import { useEffect } from "preact/hooks";
import { apiUrl, type QueryParams } from "../api/client";
import type { Exclusion } from "../api/schemas";
import { type Route, withParams } from "../route";
import { formatCount, formatNumber, stripControlChars, toSentence, truncateText } from "./format";

export const COLOUR_COUNT = 12;
const REPEAT_CLASSES = ["", "repeat", "repeat repeat-twice"];

/** The class that gives a group its colour; after twelve, colours repeat with another frame. */
export function colourClass(number: number): string {
  return number > 0 ? `group-${((number - 1) % COLOUR_COUNT) + 1}` : "";
}

/** The number of a group on its colour, or framed by it where colours repeat. */
export function NumberBadge({ number }: { number: number }) {
  const repeat = REPEAT_CLASSES[Math.floor(Math.max(0, number - 1) / COLOUR_COUNT) % REPEAT_CLASSES.length];
  return <span class={`badge ${colourClass(number)} ${repeat}`.trim()}>{number}</span>;
}

/** A bar of a share of the full width, from `start` on. */
export function Bar({ share, start = 0 }: { share: number; start?: number }) {
  const width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  return (
    <span class="bar" aria-hidden="true">
      {share > 0 && <span style={{ width, marginLeft: `${100 * Math.min(Math.max(start, 0), 1)}%` }} />}
    </span>
  );
}

/** An anchor text, up to some length. */
export function AnchorText({ label, maxLength }: { label: string; maxLength: number }) {
  const full = stripControlChars(label);
  const shown = truncateText(full, maxLength);
  return (
    <q title={shown === full ? undefined : full}>
      <bdi>{shown}</bdi>
    </q>
  );
}

/** Set the title of the window. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Weft` : "Weft";
  }, [title]);
}

/** Where a list is all there is on the screen, other rows are read from their beginning. */
function showBeginning(event: TargetedEvent<HTMLElement>): void {
  // In the next frame: within a click the browser scrolls back to what was clicked.
  if (!event.currentTarget.closest("section")) requestAnimationFrame(() => scrollTo(0, 0));
}

/** Links to the previous and next rows; `name` is the parameter that holds the offset, `of` tells lists of one screen apart. */
export function Pager(props: { route: Route; name: string; offset: number; size: number; total: number; unit: string; of?: string }) {
  const { route, name, offset, size, total, unit, of } = props;
  if (total <= size && offset === 0) return null;
  const last = Math.min(offset + size, total);
  const step = (at: number) => withParams(route, { [name]: at > 0 ? at : null });
  return (
    <nav class="pager" aria-label={`More ${unit}s${of ? ` of ${of}` : ""}`}>
      {offset > 0 ? (
        <a href={step(offset - size)} onClick={showBeginning}>
          ← Previous
        </a>
      ) : (
        <span class="soft">← Previous</span>
      )}
      <span class="soft">
        {formatNumber(offset + 1)}–{formatNumber(last)} of {formatCount(total, unit)}
      </span>
      {last < total ? (
        <a href={step(offset + size)} onClick={showBeginning}>
          Next →
        </a>
      ) : (
        <span class="soft">Next →</span>
      )}
    </nav>
  );
}

/** Links that download the same data in other formats. */
export function DownloadLinks({ path, params, formats }: { path: string; params: QueryParams; formats: readonly string[] }) {
  return (
    <>
      {formats.map((format) => (
        <a key={format} class="file" href={apiUrl(path, { ...params, format })} download>
          {format === "jsonl" ? "JSON lines" : format.toUpperCase()}
        </a>
      ))}
    </>
  );
}

/** The levels of the graph. */
export const LEVELS = [
  ["page", "Pages"],
  ["host", "Hosts"],
  ["domain", "Domains"],
  ["entity", "Entities"],
] as const;

/** Links that switch between a few views. */
export function LinkTabs(props: {
  route: Route;
  name: string;
  label: string;
  chosen: string;
  tabs: readonly (readonly [string, string])[];
}) {
  const { route, name, label, chosen, tabs } = props;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([value, label], k) => (
        <a key={value} href={withParams(route, { [name]: k === 0 ? null : value })} aria-current={value === chosen ? "true" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

/** Pages and links that were left out, and why. */
export function ExclusionList({ rows }: { rows: readonly Exclusion[] }) {
  const counted = rows.filter((row) => row.pages + row.links > 0);
  const scarce = rows.filter((row) => row.pages + row.links === 0 && / links? leads? to another /.test(row.reason));
  return (
    <div>
      {counted.length === 0 ? <p class="soft">Nothing was left out.</p> : <ExclusionTable rows={counted} />}
      {scarce.map((row) => (
        <p key={row.reason} class="soft small">
          {toSentence(row.reason).slice(0, -1)}, so these links are kept.
        </p>
      ))}
    </div>
  );
}

function ExclusionTable({ rows }: { rows: readonly Exclusion[] }) {
  return (
    <table class="figures">
      <caption class="visually-hidden">What was left out</caption>
      <thead>
        <tr>
          <th scope="col">left out</th>
          <th scope="col" class="number">
            pages
          </th>
          <th scope="col" class="number">
            links
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.reason}>
            <th scope="row">{row.reason}</th>
            <td class="number">{row.pages ? formatNumber(row.pages) : "–"}</td>
            <td class="number">{row.links ? formatNumber(row.links) : "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A table that scrolls horizontally on narrow screens. */
export function ScrollableTable({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="wide" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
