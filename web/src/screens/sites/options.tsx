/** Options of the comparison of two sites. */

import type { JsonSchema } from "../../api/derived";
import type { MethodOption } from "../../api/schemas";
import { OptionField } from "../../pieces/optionField";
import { navigate, type Route, withParams } from "../../route";

export type GivenOptions = Record<string, readonly string[]>;

const OPTIONS: readonly MethodOption[] = [
  makeOption("known", "expected", "words and addresses that are expected on their site", [], { type: "array" }),
  makeOption("keywords", "keywords", "keywords to search for on their site, ten at most", [], { type: "array" }),
  makeOption("threshold", "min. similarity", "minimum cosine similarity of matching pages", 0.2, {
    type: "number",
    minimum: 0,
    maximum: 1,
  }),
  makeOption("min_terms", "min. terms", "minimum terms of an unexpected page", 20, { type: "integer", minimum: 1, maximum: 1_000_000 }),
];

function makeOption(parameter: string, name: string, description: string, defaultValue: unknown, json_schema: JsonSchema): MethodOption {
  return { name, parameter, description, default: defaultValue, json_schema: { ...json_schema } };
}

/** The options in the URL. */
export function optionsFromRoute(route: Route): GivenOptions {
  return Object.fromEntries(OPTIONS.map(({ parameter }) => [parameter, route.search.getAll(parameter)]));
}

export function ComparisonOptions({ route, given }: { route: Route; given: GivenOptions }) {
  const set = Object.values(given).some((values) => values.length > 0);
  return (
    <details class="base comparison-options" open={set}>
      <summary>Options</summary>
      <form class="options" aria-label="Options" onSubmit={(event) => event.preventDefault()}>
        <div class="fields">
          {OPTIONS.map((option) => {
            const values = given[option.parameter] ?? [];
            return (
              <OptionField
                key={option.parameter}
                option={option}
                value={values.length > 0 ? values : null}
                onChange={(value) => navigate(withParams(route, { [option.parameter]: value }))}
              />
            );
          })}
        </div>
      </form>
    </details>
  );
}
