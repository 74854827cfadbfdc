/** Small pieces that several screens share. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type Params, address } from "../ask/ask";
import type { Left } from "../ask/shapes";
import { type Place, changed } from "../route";
import { sentence } from "./answered";
import { clean, count, number, shortened } from "./words";

export const COLOURS = 10;
const ROUNDS = ["", "again", "again third"];

/** The class that gives a topic its colour; after ten they come again darker, then paler. */
export function colour(topic: number): string {
  return topic > 0 ? `t${((topic - 1) % (COLOURS * ROUNDS.length)) + 1}` : "";
}

/** The number of a topic on its colour, or framed by it where the colour comes again. */
export function Badge({ topic }: { topic: number }) {
  const round = ROUNDS[Math.floor(Math.max(0, topic - 1) / COLOURS) % ROUNDS.length];
  return <span class={`badge ${colour(topic)} ${round}`.trim()}>{topic}</span>;
}

/** A bar that is so much of its place. */
export function Bar({ share, from = 0 }: { share: number; from?: number }) {
  const width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width, marginLeft: `${100 * Math.min(Math.max(from, 0), 1)}%` }} />
    </span>
  );
}

/** What a link says, up to some length. */
export function Quote({ words, most }: { words: string; most: number }) {
  const whole = clean(words);
  const shown = shortened(whole, most);
  return (
    <q title={shown === whole ? undefined : whole}>
      <bdi>{shown}</bdi>
    </q>
  );
}

/** Name the window after the screen. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Weft` : "Weft";
  }, [title]);
}

/** The way to earlier and later rows; `name` is the parameter that holds the offset. */
export function Pager(props: { place: Place; name: string; offset: number; size: number; total: number; thing: string }) {
  const { place, name, offset, size, total, thing } = props;
  if (total <= size && offset === 0) return null;
  const last = Math.min(offset + size, total);
  const step = (at: number) => changed(place, { [name]: at > 0 ? at : null });
  return (
    <nav class="pager" aria-label={`More ${thing}s`}>
      {offset > 0 ? <a href={step(offset - size)}>← Earlier</a> : <span class="soft">← Earlier</span>}
      <span class="soft">
        {number(offset + 1)}–{number(last)} of {count(total, thing)}
      </span>
      {last < total ? <a href={step(offset + size)}>Later →</a> : <span class="soft">Later →</span>}
    </nav>
  );
}

/** Files to keep: the same question, in other formats. */
export function Files({ path, params, formats }: { path: string; params: Params; formats: readonly string[] }) {
  return (
    <>
      {formats.map((format) => (
        <a key={format} class="file" href={address(path, { ...params, format })} download>
          {format === "jsonl" ? "JSON lines" : format.toUpperCase()}
        </a>
      ))}
    </>
  );
}

/** What can be ranked, drawn or grouped. */
export const LEVELS = [
  ["page", "Pages"],
  ["host", "Hosts"],
  ["domain", "Domains"],
] as const;

/** Links that choose one of a few views. */
export function Choice(props: { place: Place; name: string; label: string; chosen: string; of: readonly (readonly [string, string])[] }) {
  const { place, name, label, chosen, of } = props;
  return (
    <nav class="choice" aria-label={label}>
      {of.map(([value, words], k) => (
        <a
          key={value}
          href={changed(place, { [name]: k === 0 ? null : value })}
          aria-current={value === chosen ? "true" : undefined}
        >
          {words}
        </a>
      ))}
    </nav>
  );
}

/** What was left out, and why. */
export function LeftOut({ rows }: { rows: readonly Left[] }) {
  const counted = rows.filter((row) => row.pages + row.links > 0);
  const scarce = rows.filter((row) => row.pages + row.links === 0 && / links? leads? to another /.test(row.reason));
  return (
    <div>
      {counted.length === 0 ? <p class="soft">Nothing was left out.</p> : <LeftTable rows={counted} />}
      {scarce.map((row) => (
        <p key={row.reason} class="soft small">
          {sentence(row.reason).slice(0, -1)}, so links inside one count too.
        </p>
      ))}
    </div>
  );
}

function LeftTable({ rows }: { rows: readonly Left[] }) {
  return (
    <table class="figures">
      <caption class="unseen">What was left out</caption>
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
            <td class="number">{row.pages ? number(row.pages) : "–"}</td>
            <td class="number">{row.links ? number(row.links) : "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A table that scrolls sideways by itself where the screen is narrow. */
export function Wide({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="wide" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
