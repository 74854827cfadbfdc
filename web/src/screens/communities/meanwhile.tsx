/** What is there at once while the communities of everything are worked out: the groups that hosts are. */

import type { Hosts } from "../../ask/shapes";
import { useAsk } from "../../ask/use";
import { HostTable } from "../../pieces/hosttable";

const LARGEST = 10;

export function Meanwhile({ waiting }: { waiting: boolean }) {
  const asked = useAsk<Hosts>("hosts", { top: LARGEST });
  if (!waiting || !asked.data) return null;
  return (
    <section class="meanwhile">
      <h2>Meanwhile, the largest hosts</h2>
      <p class="soft">
        Groups that somebody made. Those that links make take longer, the more pages there are; around a word they are found at once.
      </p>
      <HostTable rows={asked.data.rows} />
    </section>
  );
}
