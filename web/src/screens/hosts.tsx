/** All hosts, in descending order of pages. */

import { useApi } from "../api/useApi";
import type { HostsResponse } from "../api/schemas";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { HostTable } from "../pieces/hostTable";
import { LinkTabs, Pager, useDocumentTitle } from "../pieces/controls";
import { formatCount, formatNumber } from "../pieces/format";
import type { ScreenProps } from "../shell";

const SIZE = 50;

export function HostsScreen({ route, collection }: ScreenProps) {
  useDocumentTitle("Hosts");
  const offset = Number(route.search.get("offset") ?? 0);
  const by = route.search.get("by") === "uncaptured" ? "uncaptured" : "pages";
  const response = useApi<HostsResponse>("hosts", { by, offset, top: SIZE });
  const hostsWithPages = collection.counts["hosts"] ?? 0;
  return (
    <section>
      <h1>Hosts</h1>
      <p class="lead">
        In descending order of {by === "pages" ? "pages" : "pages that are linked but not captured"}. Links are counted between hosts.
      </p>
      <LinkTabs
        route={{ ...route, search: new URLSearchParams(route.search.has("by") ? { by } : {}) }}
        name="by"
        label="Order by"
        chosen={by}
        tabs={[
          ["pages", "By pages"],
          ["uncaptured", "By pages not captured"],
        ]}
      />
      <AsyncContent response={response} label="hosts" placeholderLines={12}>
        {(hosts) =>
          hosts.total === 0 ? (
            <EmptyMessage>There are no hosts yet: the collection is empty.</EmptyMessage>
          ) : (
            <>
              <p class="soft">
                {formatCount(hostsWithPages, "host")} with pages, {formatNumber(Math.max(0, hosts.total - hostsWithPages))} more that are
                only linked. <a href="/map?level=host">Show them on the map</a>
              </p>
              <HostTable rows={hosts.rows} by={by} />
              <Pager route={route} name="offset" offset={offset} size={SIZE} total={hosts.total} unit="host" />
            </>
          )
        }
      </AsyncContent>
    </section>
  );
}
