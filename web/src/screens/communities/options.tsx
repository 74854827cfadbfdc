/** The method of the communities and its options, which run again in place. */

import type { Card, Methods, OptionCard } from "../../ask/shapes";
import { useAsk } from "../../ask/use";
import { Field } from "../../pieces/form";
import { MethodField } from "../../pieces/method";
import { go, to } from "../../route";
import type { Asking } from "./asking";

const EVERYWHERE = ["without", "between"];

export function Options({ asking }: { asking: Asking }) {
  const methods = useAsk<Methods>("methods");
  const card = useAsk<Card>("methods/card", { kind: "communities", name: asking.method });
  if (!methods.data) return null;
  const own = card.fresh ? (card.data?.options ?? []) : [];
  const shared = methods.data.base.filter((option) => EVERYWHERE.includes(option.parameter) && !own.some((other) => other.parameter === option.parameter));
  const set = Object.keys(asking.options).length > 0 || asking.place.search.has("method");
  const field = (option: OptionCard) => (
    <Field
      key={`${asking.method} ${option.parameter}`}
      option={option}
      value={asking.options[option.parameter] ?? null}
      onChange={(value) => go(asking.with({ [option.parameter]: value }))}
    />
  );
  return (
    <form class="options" aria-label="Method and options" onSubmit={(event) => event.preventDefault()}>
      <div class="fields">
        <MethodField kind="communities" methods={methods.data} asking={asking} />
        {own.map(field)}
        {shared.map(field)}
      </div>
      {set && (
        <p>
          <a href={to("/communities", { query: asking.query, level: asking.place.search.get("level") })}>Back to the usual options</a>
        </p>
      )}
    </form>
  );
}
