/** Fields for the method of the communities and its options. */

import type { MethodCardResponse, MethodOption, MethodsResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { OptionField } from "../../pieces/optionField";
import { MethodField } from "../../pieces/methodField";
import { buildUrl, navigate } from "../../route";
import type { CommunitiesRequest } from "./params";

const SHARED_OPTIONS = ["exclude", "between"];

export function CommunityOptions({ request }: { request: CommunitiesRequest }) {
  const methods = useApi<MethodsResponse>("methods");
  const card = useApi<MethodCardResponse>("methods/card", { kind: "communities", name: request.method });
  if (!methods.data) return null;
  const methodOptions = card.fresh ? (card.data?.options ?? []) : [];
  const shared = methods.data.base_options.filter((option) => SHARED_OPTIONS.includes(option.parameter) && !methodOptions.some((other) => other.parameter === option.parameter));
  const set = Object.keys(request.options).length > 0 || request.route.search.has("method");
  const field = (option: MethodOption) => (
    <OptionField
      key={`${request.method} ${option.parameter}`}
      option={option}
      value={request.options[option.parameter] ?? null}
      onChange={(value) => navigate(request.withOptions({ [option.parameter]: value }))}
    />
  );
  return (
    <form class="options" aria-label="Method and options" onSubmit={(event) => event.preventDefault()}>
      <div class="fields">
        <MethodField kind="communities" methods={methods.data} request={request} />
        {methodOptions.map(field)}
        {shared.map(field)}
      </div>
      {set && (
        <p>
          <a href={buildUrl("/communities", { query: request.query, level: request.route.search.get("level") })}>Reset to the defaults</a>
        </p>
      )}
    </form>
  );
}
