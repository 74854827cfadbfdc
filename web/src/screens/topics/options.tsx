/** The base set: how it came about, and its options, which run again in place. */

import { useAsk } from "../../ask/use";
import type { Card, Methods, OptionCard, TopicsFound } from "../../ask/shapes";
import { Field } from "../../pieces/form";
import { MethodField } from "../../pieces/method";
import { LeftOut } from "../../pieces/small";
import { count, number } from "../../pieces/words";
import { changed, go } from "../../route";
import type { Asking } from "./asking";

const FIRST = ["root", "inlinks", "per_domain", "stoplist"];

/** Fields for the method and all options; a change runs it again and compares. */
export function Options({ asking }: { asking: Asking }) {
  const methods = useAsk<Methods>("methods");
  const card = useAsk<Card>("methods/card", { kind: "topics", name: asking.method });
  if (!methods.data) return null;
  const base = methods.data.base;
  const own = card.fresh ? (card.data?.options ?? []) : [];
  const first = base.filter((option) => FIRST.includes(option.parameter));
  const rest = [...base.filter((option) => !FIRST.includes(option.parameter)), ...own];
  const set = rest.filter((option) => asking.options[option.parameter] !== undefined);
  const field = (option: OptionCard) => (
    <Field
      key={`${asking.method} ${option.parameter}`}
      option={option}
      value={asking.options[option.parameter] ?? null}
      onChange={(value) => go(asking.with({ [option.parameter]: value }))}
    />
  );
  return (
    <form class="options" aria-label="Base set and method" onSubmit={(event) => event.preventDefault()}>
      <div class="fields">
        <MethodField kind="topics" methods={methods.data} asking={asking} />
        {first.map(field)}
      </div>
      <details class="more" open={set.length > 0}>
        <summary>All {rest.length + first.length} options</summary>
        <div class="fields">{rest.map(field)}</div>
      </details>
      {asking.options_set && (
        <p>
          <a href={changed(asking.place, { ...asking.cleared, was: null, method: null })}>Back to the usual options</a>
        </p>
      )}
    </form>
  );
}

/** The base set in a line; what was left out is one step away. */
export function Story({ found }: { found: TopicsFound }) {
  const { base } = found;
  const gone = base.left_out.reduce((sum, left) => sum + left.pages, 0);
  return (
    <details class="story">
      <summary>
        {found.query ? (
          <>
            root <b>{number(base.root)}</b>
            {base.found > base.root && <> of {number(base.found)} found</>} → base set <b>{count(base.pages, found.level)}</b>
          </>
        ) : (
          <>
            base set: all <b>{count(base.pages, found.level)}</b>
          </>
        )}{" "}
        · {count(base.links, "link")}
        {gone > 0 && <> · {count(gone, found.level)} left out</>}
        {base.seen > 0 && <> · {number(base.seen)} only seen</>}
      </summary>
      <div class="pair">
        <ul class="plain">
          {base.story.filter((line) => !/ links? leads? to another .*: nothing left out$/.test(line)).map((line) => (
            <li key={line}>{line}</li>
          ))}
          <li class="soft">
            {found.ended.converged ? "settled" : "not settled"} after {count(found.ended.rounds, "round")}: {found.ended.stopped}
          </li>
        </ul>
        <LeftOut rows={base.left_out} />
      </div>
    </details>
  );
}
