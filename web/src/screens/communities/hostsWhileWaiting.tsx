/** The largest hosts, shown while the communities are computed. */

import type { HostsResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { HostTable } from "../../pieces/hostTable";

const LARGEST = 10;

export function HostsWhileWaiting({ waiting }: { waiting: boolean }) {
  const response = useApi<HostsResponse>("hosts", { top: LARGEST });
  if (!waiting || !response.data) return null;
  return (
    <section class="while-waiting">
      <h2>The largest hosts</h2>
      <p class="soft">Shown while the communities of the whole collection are computed. Communities around a query are found faster.</p>
      <HostTable rows={response.data.rows} />
    </section>
  );
}
