/** Links that are missing: where the page should lead, and from where readers should come. */

import { useState } from "preact/hooks";
import type { Methods } from "../../ask/shapes";
import type { Suggested, SuggestionsFound } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { Answered, Empty, sentence } from "../../pieces/answered";
import { PageName } from "../../pieces/names";
import { Files, Quote } from "../../pieces/small";
import { Notes } from "../../pieces/told";
import { clean } from "../../pieces/words";
import { type Place, changed, go } from "../../route";
import { Witnesses } from "./alike";

interface Props {
  place: Place;
  url: string;
  from: string;
  usual: string;
}

export function Suggestions({ place, url, from, usual }: Props) {
  const method = place.search.get("suggest") ?? usual;
  const methods = useAsk<Methods>("methods");
  const asked = useAsk<SuggestionsFound>(`page/suggest/${method}`, { url });
  const known = (methods.data?.methods ?? []).filter((one) => one.kind === "suggest");
  return (
    <section id="suggest">
      <div class="tools">
        <h2>Links that are missing</h2>
        <span class="field across">
          <label for="suggest-by">by</label>
          <select id="suggest-by" value={method} onChange={(event) => go(changed(place, { suggest: event.currentTarget.value === usual ? null : event.currentTarget.value }))}>
            {(known.length > 0 ? known.map((one) => one.name) : [method]).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </span>
        <Files path={`page/suggest/${method}`} params={{ url, top: 50 }} formats={["csv"]} />
      </div>
      <p class="soft">{known.find((one) => one.name === method)?.summary}</p>
      <Answered asked={asked} what="missing links">
        {(found) => (
          <>
            <div class="roles">
              <Side heading="It should link to" rows={found.to} from={from} target={(row) => row.page} none="No page that it should link to was found." />
              <Side heading="It should be linked from" rows={found.from} from={from} target={() => url} none="No page that should link to it was found." />
            </div>
            <Notes notes={found.notes} />
          </>
        )}
      </Answered>
    </section>
  );
}

function Side({ heading, rows, from, target, none }: { heading: string; rows: readonly Suggested[]; from: string; target: (row: Suggested) => string; none: string }) {
  return (
    <div>
      <h3>{heading}</h3>
      {rows.length === 0 && <Empty>{none}</Empty>}
      <ol class="entries missing">
        {rows.map((row) => (
          <li key={row.page}>
            <span class="place">{row.place}</span>
            <div>
              <PageName named={row} from={from} />
              <Reason row={row} from={from} />
              <Anchor row={row} href={target(row)} />
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Reason({ row, from }: { row: Suggested; from: string }) {
  const short = row.reason
    .split("; ")
    .map((part) => part.replace(/ \([^)]*\)$|, such as .*$/, ""))
    .join("; ");
  if (row.witnesses.length === 0) return <p class="soft small">{sentence(clean(row.reason))}</p>;
  return (
    <details class="speaks">
      <summary>{clean(short)}</summary>
      <Witnesses rows={row.witnesses} from={from} />
    </details>
  );
}

const WHENCE: Record<string, string> = { links: "as other links say", title: "after its title" };

/** What the link might say, ready to be pasted. */
function Anchor({ row, href }: { row: Suggested; href: string }) {
  const [copied, setCopied] = useState("");
  const words = clean(row.anchor);
  if (!words) return null;
  const copy = () =>
    navigator.clipboard.writeText(`<a href="${escaped(href)}">${escaped(words)}</a>`).then(
      () => setCopied("Copied"),
      () => setCopied("The browser does not let it be copied"),
    );
  return (
    <p class="proposed small">
      <span class="soft">say </span>
      <Quote words={words} most={120} />
      <span class="soft"> {WHENCE[row.anchor_from] ?? ""}</span>{" "}
      <button type="button" class="file" onClick={() => void copy()} aria-label={`Copy link: ${words}`}>
        Copy link
      </button>
      <span role="status" class="soft">
        {copied}
      </span>
    </p>
  );
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
