/** Options of topics, and a summary of the base set. */

import { useApi } from "../../api/useApi";
import type { MethodCardResponse, MethodOption, MethodsResponse, TopicsResponse } from "../../api/schemas";
import { OptionField } from "../../pieces/optionField";
import { MethodField } from "../../pieces/methodField";
import { ExclusionList } from "../../pieces/controls";
import { formatCount, formatNumber } from "../../pieces/format";
import { navigate, withParams } from "../../route";
import type { TopicsRequest } from "./params";

const MAIN_OPTIONS = ["root_size", "max_inlinks", "per_domain", "stoplist"];

/** Fields for the method and all options; a change runs it again and compares the runs. */
export function TopicOptions({ request }: { request: TopicsRequest }) {
  const methods = useApi<MethodsResponse>("methods");
  const card = useApi<MethodCardResponse>("methods/card", { kind: "topics", name: request.method });
  if (!methods.data) return null;
  const base = methods.data.base_options;
  const methodOptions = card.fresh ? (card.data?.options ?? []) : [];
  const mainOptions = base.filter((option) => MAIN_OPTIONS.includes(option.parameter));
  const otherOptions = [...base.filter((option) => !MAIN_OPTIONS.includes(option.parameter)), ...methodOptions];
  const changed = otherOptions.filter((option) => request.options[option.parameter] !== undefined);
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
        <MethodField kind="topics" methods={methods.data} request={request} />
        {mainOptions.map(field)}
      </div>
      <details class="more" open={changed.length > 0}>
        <summary>All {otherOptions.length + mainOptions.length} options</summary>
        <div class="fields">{otherOptions.map(field)}</div>
      </details>
      {request.hasOptions && (
        <p>
          <a href={withParams(request.route, { ...request.clearedOptions, was: null, method: null })}>Reset to the defaults</a>
        </p>
      )}
    </form>
  );
}

/** The base set in one line; details unfold. */
export function BaseSetSummary({ data }: { data: TopicsResponse }) {
  const { base } = data;
  const excludedPages = base.left_out.reduce((sum, left) => sum + left.pages, 0);
  return (
    <details class="base-summary">
      <summary>
        {data.query ? (
          <>
            root <b>{formatNumber(base.root)}</b>
            {base.found > base.root && <> of {formatNumber(base.found)} found</>} → base set <b>{formatCount(base.pages, data.level)}</b>
          </>
        ) : (
          <>
            base set: all <b>{formatCount(base.pages, data.level)}</b>
          </>
        )}{" "}
        · {formatCount(base.links, "link")}
        {excludedPages > 0 && <> · {formatCount(excludedPages, data.level)} left out</>}
        {base.uncaptured > 0 && <> · {formatNumber(base.uncaptured)} not captured</>}
      </summary>
      <div class="pair">
        <ul class="plain">
          {base.notes.filter((line) => !/ links? leads? to another .*: nothing left out$/.test(line)).map((line) => (
            <li key={line}>{line}</li>
          ))}
          <li class="soft">
            {data.trace.converged ? "converged" : "not converged"} after {formatCount(data.trace.iterations, "iteration")}: {data.trace.stopped}
          </li>
        </ul>
        <ExclusionList rows={base.left_out} />
      </div>
    </details>
  );
}
