/** How far another method divides the same pages alike. */

import type { Methods } from "../../ask/shapes";
import type { AgreementFound } from "../../ask/surveyed";
import { useAsk } from "../../ask/use";
import { Answered } from "../../pieces/answered";
import { FactList } from "../../pieces/told";
import { count, number, share } from "../../pieces/words";
import { changed, go } from "../../route";
import type { Asking } from "./asking";

export function Agreement({ asking, level }: { asking: Asking; level: string }) {
  const methods = useAsk<Methods>("methods");
  const other = asking.place.search.get("beside") ?? "";
  const asked = useAsk<AgreementFound>(other ? `communities/${asking.method}/agreement` : null, { ...asking.params, other });
  const names = (methods.data?.methods ?? []).filter((method) => method.kind === "communities" && method.name !== asking.method);
  return (
    <div class="agreement">
      <p class="field across">
        <label for="beside">Agreement with</label>
        <select id="beside" value={other} onChange={(event) => go(changed(asking.place, { beside: event.currentTarget.value }))}>
          <option value="">no other method</option>
          {names.map((method) => (
            <option key={method.name}>{method.name}</option>
          ))}
        </select>
      </p>
      {other && (
        <Answered asked={asked} what={`the communities by ${other}`} lines={3}>
          {(found) => (
            <>
              <FactList
                rows={[
                  ["NMI", found.nmi.toFixed(3), "mutual information: 1 is the same, 0 is nothing in common"],
                  ["ARI", found.ari.toFixed(3), "pairs put together by both, adjusted: 1 is the same, 0 is chance"],
                  ["Purity", share(found.purity), `of the ${level}s are where most of their community are by ${found.other}`],
                ]}
              />
              <p class="soft small">
                {count(found.communities, "community")} by {found.method}, {number(found.other_communities)} by {found.other} with its usual options; on the {number(found.pages)} of {count(found.of, level)} that both put somewhere.
              </p>
            </>
          )}
        </Answered>
      )}
    </div>
  );
}
