/** All hosts, the largest first. */

import { useAsk } from "../ask/use";
import type { Hosts } from "../ask/shapes";
import { Answered, Empty } from "../pieces/answered";
import { HostTable } from "../pieces/hosttable";
import { Pager, useTitle } from "../pieces/small";
import { count } from "../pieces/words";
import type { ScreenProps } from "../shell";

const SIZE = 50;

export function HostsScreen({ place }: ScreenProps) {
  useTitle("Hosts");
  const offset = Number(place.search.get("offset") ?? 0);
  const asked = useAsk<Hosts>("hosts", { offset, top: SIZE });
  return (
    <section>
      <h1>Hosts</h1>
      <p class="lead">The largest first. Links are those from and to other hosts.</p>
      <Answered asked={asked} what="hosts" lines={12}>
        {(hosts) =>
          hosts.total === 0 ? (
            <Empty>There are no hosts yet: the collection is empty.</Empty>
          ) : (
            <>
              <p class="soft">
                {count(hosts.total, "host")}, those only seen in links included.{" "}
                <a href="/map?level=host">See them on the map</a>
              </p>
              <HostTable rows={hosts.rows} />
              <Pager place={place} name="offset" offset={offset} size={SIZE} total={hosts.total} thing="host" />
            </>
          )
        }
      </Answered>
    </section>
  );
}
