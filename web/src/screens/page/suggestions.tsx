/** Suggested links to other pages and from other pages. */

import { useState } from "preact/hooks";
import type { MethodsResponse, SuggestedLink, SuggestedLinksResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { PageName } from "../../pieces/pageName";
import { AnchorText, DownloadLinks } from "../../pieces/controls";
import { Notes } from "../../pieces/notes";
import { stripControlChars, toSentence } from "../../pieces/format";
import { navigate, type Route, withParams } from "../../route";
import { WitnessList } from "./similar";

interface Props {
  route: Route;
  url: string;
  from: string;
  defaultMethod: string;
}

export function SuggestedLinksSection({ route, url, from, defaultMethod }: Props) {
  const method = route.search.get("suggest") ?? defaultMethod;
  const methods = useApi<MethodsResponse>("methods");
  const response = useApi<SuggestedLinksResponse>(`page/suggest/${method}`, { url });
  const suggestMethods = (methods.data?.methods ?? []).filter((candidate) => candidate.kind === "suggest");
  return (
    <section id="suggest">
      <div class="tools">
        <h2>Suggested links</h2>
        <span class="field inline">
          <label for="suggest-by">by</label>
          <select
            id="suggest-by"
            value={method}
            onChange={(event) =>
              navigate(withParams(route, { suggest: event.currentTarget.value === defaultMethod ? null : event.currentTarget.value }))
            }
          >
            {(suggestMethods.length > 0 ? suggestMethods.map((candidate) => candidate.name) : [method]).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </span>
        <DownloadLinks path={`page/suggest/${method}`} params={{ url, top: 50 }} formats={["csv"]} />
      </div>
      <p class="soft">{suggestMethods.find((candidate) => candidate.name === method)?.summary}</p>
      <AsyncContent response={response} label="suggested links">
        {(data) => (
          <>
            <div class="roles">
              <SuggestionList
                heading="To other pages"
                rows={data.to}
                from={from}
                target={(row) => row.url}
                none="There are no suggestions."
              />
              <SuggestionList heading="From other pages" rows={data.from} from={from} target={() => url} none="There are no suggestions." />
            </div>
            <Notes notes={data.notes} />
          </>
        )}
      </AsyncContent>
    </section>
  );
}

function SuggestionList({
  heading,
  rows,
  from,
  target,
  none,
}: {
  heading: string;
  rows: readonly SuggestedLink[];
  from: string;
  target: (row: SuggestedLink) => string;
  none: string;
}) {
  return (
    <div>
      <h3>{heading}</h3>
      {rows.length === 0 && <EmptyMessage>{none}</EmptyMessage>}
      <ol class="entries suggestions">
        {rows.map((row) => (
          <li key={row.url}>
            <span class="place">{row.place}</span>
            <div>
              <PageName pageRef={row} from={from} />
              <Reason row={row} from={from} />
              <ProposedAnchor row={row} href={target(row)} />
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Reason({ row, from }: { row: SuggestedLink; from: string }) {
  const short = row.reason
    .split("; ")
    .map((part) => part.replace(/ \([^)]*\)$|, such as .*$/, ""))
    .join("; ");
  if (row.witnesses.length === 0) return <p class="soft small">{toSentence(stripControlChars(row.reason))}</p>;
  return (
    <details class="evidence">
      <summary>{stripControlChars(short)}</summary>
      <WitnessList rows={row.witnesses} from={from} />
    </details>
  );
}

const ANCHOR_SOURCE_TEXTS: Record<string, string> = { links: "as in other links", title: "from the title" };

/** A proposed anchor text, with a button that copies the link as HTML. */
function ProposedAnchor({ row, href }: { row: SuggestedLink; href: string }) {
  const [copied, setCopied] = useState("");
  const text = stripControlChars(row.anchor);
  if (!text) return null;
  const copy = () =>
    navigator.clipboard.writeText(`<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`).then(
      () => setCopied("Copied"),
      () => setCopied("The browser does not allow copying"),
    );
  return (
    <p class="proposed-anchor small">
      <span class="soft">anchor text </span>
      <AnchorText label={text} maxLength={120} />
      <span class="soft"> {ANCHOR_SOURCE_TEXTS[row.anchor_source] ?? ""}</span>{" "}
      <button type="button" class="file" onClick={() => void copy()} aria-label={`Copy link: ${text}`}>
        Copy link
      </button>
      <span role="status" class="soft">
        {copied}
      </span>
    </p>
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
