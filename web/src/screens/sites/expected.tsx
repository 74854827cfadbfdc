/** What is expected of the other site, what is looked for, and when pages match. */

import type { Form, OptionCard } from "../../ask/shapes";
import { Field } from "../../pieces/form";
import { type Place, changed, go } from "../../route";

export type Given = Record<string, readonly string[]>;

const OPTIONS: readonly OptionCard[] = [
  option("known", "expected anyway", "words and addresses that are no surprise", [], { type: "array" }),
  option("keywords", "keywords", "words to look for on their site, as for search; ten at most", [], { type: "array" }),
  option("threshold", "least likeness", "the least cosine of pages that match", 0.2, { type: "number", minimum: 0, maximum: 1 }),
  option("least", "fewest terms", "of a page that may be unexpected", 20, { type: "integer", minimum: 1, maximum: 1_000_000 }),
];

function option(parameter: string, name: string, description: string, usual: unknown, form: Form): OptionCard {
  return { name, parameter, description, default: usual, form };
}

/** What the address says of it. */
export function givenIn(place: Place): Given {
  return Object.fromEntries(OPTIONS.map(({ parameter }) => [parameter, place.search.getAll(parameter)]));
}

export function Expected({ place, given }: { place: Place; given: Given }) {
  const set = Object.values(given).some((values) => values.length > 0);
  return (
    <details class="base expected" open={set}>
      <summary>What is expected and looked for</summary>
      <form class="options" aria-label="What is expected and looked for" onSubmit={(event) => event.preventDefault()}>
        <div class="fields">
          {OPTIONS.map((one) => {
            const values = given[one.parameter] ?? [];
            return <Field key={one.parameter} option={one} value={values.length > 0 ? values : null} onChange={(value) => go(changed(place, { [one.parameter]: value }))} />;
          })}
        </div>
      </form>
    </details>
  );
}
