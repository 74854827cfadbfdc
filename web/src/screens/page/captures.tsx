/** The captures of a page with dates and replay links, and its text as it is stored. */

import { useState } from "preact/hooks";
import type { CapturesResponse, PageTextResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { LinkTabs, ScrollableTable } from "../../pieces/controls";
import { formatCount, formatNumber, formatTime, stripControlChars, textDirection } from "../../pieces/format";
import { AsyncContent, EmptyMessage } from "../../pieces/loading";
import { useRoute } from "../../route";
import { ReplayLink, ReplaySettings } from "./replay";

export function CaptureList({ url }: { url: string }) {
  const response = useApi<CapturesResponse>("page/captures", { url });
  const [, redraw] = useState(0);
  return (
    <section id="captures">
      <h2>Captures</h2>
      <AsyncContent response={response} label="the captures" placeholderLines={3}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyMessage>The collection has links of this page, but no capture.</EmptyMessage>
          ) : (
            <ScrollableTable label="Captures of the page">
              <table class="figures captures">
                <thead>
                  <tr>
                    <th scope="col">captured</th>
                    <th scope="col">status</th>
                    <th scope="col">type</th>
                    <th scope="col">title</th>
                    <th scope="col" class="number">
                      characters
                    </th>
                    <th scope="col">replay</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row, k) => (
                    <tr key={k}>
                      <th scope="row">
                        {formatTime(row.time)}
                        {row.is_live && rows.length > 1 && <span class="live-mark"> used here</span>}
                        {row.url !== url && (
                          <span class="address">
                            <bdi>{stripControlChars(row.url)}</bdi>
                          </span>
                        )}
                      </th>
                      <td>{row.status || "–"}</td>
                      <td>{row.type || "–"}</td>
                      <td>
                        <bdi>{stripControlChars(row.title) || "–"}</bdi>
                      </td>
                      <td class="number">{formatNumber(row.characters)}</td>
                      <td>
                        <ReplayLink url={row.url} time={row.time} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </ScrollableTable>
          )
        }
      </AsyncContent>
      <ReplaySettings onChange={() => redraw((before) => before + 1)} />
    </section>
  );
}

export function StoredText({ url }: { url: string }) {
  const [open, setOpen] = useState(false);
  return (
    <section id="text">
      <h2>Text</h2>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>The text as it is stored</summary>
        {open && <TextOfPage url={url} />}
      </details>
    </section>
  );
}

function TextOfPage({ url }: { url: string }) {
  const route = useRoute();
  const response = useApi<PageTextResponse>("page/text", { url });
  const part = route.search.get("part") ?? "main";
  return (
    <AsyncContent response={response} label="the text">
      {(data) => {
        const text = part === "main" && data.main_content ? data.main_content : data.text;
        return (
          <>
            {data.main_content && (
              <LinkTabs
                route={route}
                name="part"
                label="Show of the text"
                chosen={part}
                tabs={[
                  ["main", "Main content"],
                  ["all", "All"],
                ]}
              />
            )}
            <pre class="stored-text" dir={textDirection(text)} role="region" tabIndex={0} aria-label="Stored text">
              {text
                .split("\n")
                .map((line) => stripControlChars(line))
                .join("\n")}
            </pre>
            <p class="soft small">{formatCount(data.characters, "character")} in all</p>
          </>
        );
      }}
    </AsyncContent>
  );
}
