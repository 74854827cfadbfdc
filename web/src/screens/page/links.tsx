/** The in-links or out-links of a page with their anchor texts. */

import type { PageLinksResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { ambiguousPages, PageName } from "../../pieces/pageName";
import { AnchorText, DownloadLinks, Pager } from "../../pieces/controls";
import { formatCount } from "../../pieces/format";
import type { Route } from "../../route";

const SIZE = 10;
const MAX_ANCHOR = 240;

interface Props {
  route: Route;
  url: string;
  direction: "in" | "out";
  from: string;
  total: number;
}

export function PageLinkList({ route, url, direction, from, total }: Props) {
  const offset = Number(route.search.get(direction) ?? 0);
  const response = useApi<PageLinksResponse>("page/links", { url, direction, offset, top: SIZE });
  return (
    <section id={direction}>
      <div class="tools">
        <h2>{direction === "in" ? "Linked by" : "Links to"}</h2>
        <span class="soft">
          {formatCount(total, "page")} <DownloadLinks path="page/links" params={{ url, direction, top: 500 }} formats={["csv"]} />
        </span>
      </div>
      <AsyncContent response={response} label={direction === "in" ? "in-links" : "out-links"}>
        {(links) =>
          links.total === 0 ? (
            <EmptyMessage>
              {direction === "in" ? "No page of the collection links to it." : "It links to no other page, or was not captured."}
            </EmptyMessage>
          ) : (
            <>
              <ul class="links">
                {links.rows.map((row) => (
                  <li key={row.url}>
                    <PageName pageRef={row} from={from} fullUrl={ambiguousPages(links.rows).has(row.url)} />
                    <LinkAnchors row={row} />
                  </li>
                ))}
              </ul>
              <Pager route={route} name={direction} offset={offset} size={SIZE} total={links.total} unit="page" />
            </>
          )
        }
      </AsyncContent>
    </section>
  );
}

/** Anchor texts and number of the links between two pages. */
function LinkAnchors({ row }: { row: PageLinksResponse["rows"][number] }) {
  if (row.anchors.length === 0 && row.links === 1) return null;
  return (
    <span class="anchor">
      {row.anchors.length > 0 && "anchor text "}
      {row.anchors.map((anchor, k) => (
        <span key={anchor}>
          {k > 0 && ", "}
          <AnchorText label={anchor} maxLength={MAX_ANCHOR} />
        </span>
      ))}
      {row.links > 1 && `${row.anchors.length > 0 ? " · " : ""}${formatCount(row.links, "link")}`}
    </span>
  );
}
