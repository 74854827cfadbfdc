/** Proposed index pages: pages that visitors view together and that no page lists. */

import type { ShapeResponse } from "../../api/schemas";
import { type Cell, numberOrNull, pageRefIn, tableRecords } from "../../api/tables";
import { useApi } from "../../api/useApi";
import { formatCount, formatScore, stripControlChars } from "../../pieces/format";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { FigureDownloads, Notes } from "../../pieces/notes";
import { PageName } from "../../pieces/pageName";
import { type Route, withParams } from "../../route";

const PATH = "usage/index-pages";
const SIZE = 12;

export function IndexPages({ route }: { route: Route }) {
  const shown = route.search.has("proposals");
  const response = useApi<ShapeResponse>(shown ? PATH : null, { top: SIZE });
  return (
    <section id="index-pages">
      <div class="tools">
        <h2>Proposed index pages</h2>
        {response.data && <FigureDownloads path={PATH} params={{}} table={Object.keys(response.data.tables)[0] ?? ""} />}
      </div>
      <p class="soft">Pages that visitors view in the same sessions, and that are not linked to each other. You decide.</p>
      {shown ? (
        <AsyncContent response={response} label="proposed index pages" placeholderLines={8}>
          {(data) => (
            <>
              <Proposals data={data} />
              <Notes notes={data.notes} />
            </>
          )}
        </AsyncContent>
      ) : (
        <p>
          <a class="button" href={withParams(route, { proposals: "1" })}>
            Find proposals
          </a>
        </p>
      )}
    </section>
  );
}

/** Each proposal as the page that it would be: a title, and links to its pages. */
function Proposals({ data }: { data: ShapeResponse }) {
  const proposals = tableRecords(data.tables["candidates"]);
  if (proposals.length === 0) return <EmptyMessage>No pages are viewed together that are not linked.</EmptyMessage>;
  return (
    <ol class="proposals" aria-label="Proposed index pages">
      {proposals.map((proposal) => (
        <li key={String(proposal["candidate"])}>
          <Proposal data={data} proposal={proposal} />
        </li>
      ))}
    </ol>
  );
}

function Proposal({ data, proposal }: { data: ShapeResponse; proposal: Record<string, Cell> }) {
  const pages = Array.isArray(proposal["pages"]) ? proposal["pages"].map(String) : [];
  const existing = String(proposal["linked from"] ?? "");
  return (
    <>
      <h3>
        <bdi>{stripControlChars(String(proposal["title"]))}</bdi>
      </h3>
      <ul>
        {pages.map((url) => (
          <li key={url}>
            <PageName pageRef={pageRefIn(data, url)} />
          </li>
        ))}
      </ul>
      <p class="soft small">
        {formatCount(numberOrNull(proposal["sessions"]) ?? 0, "session")} with at least two of them; co-occurrence{" "}
        {formatScore(numberOrNull(proposal["co-occurrence"]))}.
        {existing && (
          <>
            {" "}
            All are linked from <PageName pageRef={pageRefIn(data, existing)} compact />
          </>
        )}
      </p>
    </>
  );
}
