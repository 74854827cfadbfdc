/** Agreement with the communities of another method. */

import type { AgreementResponse, MethodsResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { AsyncContent } from "../../pieces/loading";
import { FactList } from "../../pieces/notes";
import { formatCount, formatNumber, formatPercent } from "../../pieces/format";
import { navigate, withParams } from "../../route";
import type { GroupsRequest } from "../groups/request";

export function MethodAgreement({ request, level }: { request: GroupsRequest; level: string }) {
  const methods = useApi<MethodsResponse>("methods");
  const other = request.route.search.get("beside") ?? "";
  const response = useApi<AgreementResponse>(other ? `communities/${request.method}/agreement` : null, { ...request.params, other });
  const names = (methods.data?.methods ?? []).filter((method) => method.kind === "communities" && method.name !== request.method);
  return (
    <div class="agreement">
      <p class="field inline">
        <label for="beside">Agreement with</label>
        <select id="beside" value={other} onChange={(event) => navigate(withParams(request.route, { beside: event.currentTarget.value }))}>
          <option value="">no other method</option>
          {names.map((method) => (
            <option key={method.name}>{method.name}</option>
          ))}
        </select>
      </p>
      {other && (
        <AsyncContent response={response} label={`the communities by ${other}`} placeholderLines={3}>
          {(data) => (
            <>
              <FactList
                rows={[
                  ["NMI", data.nmi.toFixed(3), "normalized mutual information: 1 is identical, 0 independent"],
                  ["ARI", data.ari.toFixed(3), "adjusted Rand index: 1 is identical, 0 is chance"],
                  ["Purity", formatPercent(data.purity), `share of ${level}s in the majority class of their community by ${data.other}`],
                ]}
              />
              <p class="soft small">
                {formatCount(data.communities, "community")} by {data.method}, {formatNumber(data.other_communities)} by {data.other} with
                default options; compared on the {formatNumber(data.compared_pages)} of {formatCount(data.total_pages, level)} that both
                assign.
              </p>
            </>
          )}
        </AsyncContent>
      )}
    </div>
  );
}
