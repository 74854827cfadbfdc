/** Options of topics and communities, and a summary of the base set. */

import type { ComponentChildren } from "preact";
import { useApi } from "../../api/useApi";
import type { GroupsResponse } from "../../api/derived";
import type { MethodCardResponse, MethodOption, MethodsResponse } from "../../api/schemas";
import { useBaseOptions } from "../../pieces/baseSetOptions";
import { OptionField } from "../../pieces/optionField";
import { MethodField } from "../../pieces/methodField";
import { ExclusionList } from "../../pieces/controls";
import { formatCount, formatNumber } from "../../pieces/format";
import { navigate } from "../../route";
import type { GroupsRequest } from "./request";

const MAIN_OPTIONS = { topics: ["root_size", "max_inlinks", "per_domain", "stoplist"], communities: ["exclude", "between"] };

/** Fields for the method and all options; those of a method of communities are shown at once. */
export function GroupOptions({ request }: { request: GroupsRequest }) {
  const { kind } = request;
  const methods = useApi<MethodsResponse>("methods");
  const base = useBaseOptions(request.route.search);
  const card = useApi<MethodCardResponse>("methods/card", { kind, name: request.method });
  if (!methods.data) return null;
  const methodOptions = card.fresh ? (card.data?.options ?? []) : [];
  const ofMethod = new Set(methodOptions.map((option) => option.parameter));
  const options = [...methodOptions, ...base.options.filter((option) => !ofMethod.has(option.parameter))];
  const isMain = ({ parameter }: MethodOption) =>
    MAIN_OPTIONS[kind].includes(parameter) || (kind === "communities" && ofMethod.has(parameter));
  const otherOptions = options.filter((option) => !isMain(option));
  const field = (option: MethodOption) => (
    <OptionField
      key={`${request.method} ${option.parameter}`}
      option={option}
      value={request.options[option.parameter] ?? null}
      onChange={(value) => navigate(request.withOptions({ [option.parameter]: value }))}
    />
  );
  return (
    <form class="options" aria-label="Base set and method" onSubmit={(event) => event.preventDefault()}>
      <div class="fields">
        <MethodField kind={kind} methods={methods.data} request={request} />
        {options.filter(isMain).map(field)}
      </div>
      <details class="more" open={otherOptions.some((option) => request.options[option.parameter] !== undefined)}>
        <summary>All {options.length} options</summary>
        <div class="fields">{otherOptions.map(field)}</div>
      </details>
      {request.hasOptions && (
        <p>
          <a href={request.defaultsUrl}>Reset to the defaults</a>
        </p>
      )}
    </form>
  );
}

/** The base set in one line, which begins with `heading`; details unfold. */
export function BaseSetSummary({
  data,
  heading,
  open = false,
  children,
}: {
  data: GroupsResponse;
  heading: ComponentChildren;
  open?: boolean;
  children: ComponentChildren;
}) {
  const { base } = data;
  const excludedPages = base.left_out.reduce((sum, left) => sum + left.pages, 0);
  return (
    <details class="base-summary" open={open}>
      <summary>
        {heading} · {formatCount(base.links, "link")}
        {excludedPages > 0 && <> · {formatCount(excludedPages, data.level)} left out</>}
        {base.uncaptured > 0 && <> · {formatNumber(base.uncaptured)} not captured</>}
      </summary>
      <div class="pair">
        {children}
        <ExclusionList rows={base.left_out} />
      </div>
    </details>
  );
}
