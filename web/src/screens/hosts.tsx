/** All hosts, those with most pages first. */

import { useAsk } from "../ask/use";
import type { Hosts } from "../ask/shapes";
import { Answered, Empty } from "../pieces/answered";
import { HostTable } from "../pieces/hosttable";
import { Choice, Pager, useTitle } from "../pieces/small";
import { count, number } from "../pieces/words";
import type { ScreenProps } from "../shell";

const SIZE = 50;

export function HostsScreen({ place, facts }: ScreenProps) {
  useTitle("Hosts");
  const offset = Number(place.search.get("offset") ?? 0);
  const by = place.search.get("by") === "seen" ? "seen" : "pages";
  const asked = useAsk<Hosts>("hosts", { by, offset, top: SIZE });
  const own = facts.counts["hosts"] ?? 0;
  return (
    <section>
      <h1>Hosts</h1>
      <p class="lead">
        Those with most {by === "pages" ? "pages" : "pages only seen"} first. Links are those from and to other hosts.
      </p>
      <Choice
        place={{ ...place, search: new URLSearchParams(place.search.has("by") ? { by } : {}) }}
        name="by"
        label="Order by"
        chosen={by}
        of={[
          ["pages", "By pages"],
          ["seen", "By pages only seen"],
        ]}
      />
      <Answered asked={asked} what="hosts" lines={12}>
        {(hosts) =>
          hosts.total === 0 ? (
            <Empty>There are no hosts yet: the collection is empty.</Empty>
          ) : (
            <>
              <p class="soft">
                {count(own, "host")} with pages, {number(Math.max(0, hosts.total - own))} more that were only seen in links.{" "}
                <a href="/map?level=host">See them on the map</a>
              </p>
              <HostTable rows={hosts.rows} by={by} />
              <Pager place={place} name="offset" offset={offset} size={SIZE} total={hosts.total} thing="host" />
            </>
          )
        }
      </Answered>
    </section>
  );
}
