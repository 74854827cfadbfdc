/** What can be done with the selected rows, and whether everything is saved. */

import { useEffect } from "preact/hooks";
import { formatCount, toSentence } from "../../pieces/format";
import type { Action } from "./keys";
import { saveQueue, useSaving } from "./saving";

interface Props {
  count: number;
  isSelection: boolean;
  values: readonly string[];
  isDecision: boolean;
  hasProposals: boolean;
  act: Record<Action, (digit: number) => void>;
}

export function Toolbar({ count, isSelection, values, isDecision, hasProposals, act }: Props) {
  const button = (name: string, key: string, action: Action, digit = 0) => (
    <button type="button" disabled={count === 0} onClick={() => act[action](digit)}>
      <bdi>{name}</bdi>{" "}
      <span class="key" aria-hidden="true">
        {key}
      </span>
    </button>
  );
  return (
    <div class="toolbar" role="group" aria-label={isSelection ? `${count} selected` : "Current row"}>
      {hasProposals && button("Accept", "a", "accept")}
      {hasProposals && button("Reject", "r", "reject")}
      {isDecision && button("In", "i", "in")}
      {isDecision && button("Out", "o", "out")}
      {isDecision && button("Undecided", "u", "undecided")}
      {!isDecision && values.map((value, k) => <span key={value}>{button(value, String(k + 1), "value", k + 1)}</span>)}
      {button("Tag", "t", "tag")}
      {button("Note", "n", "note")}
      <button type="button" onClick={() => act.undo(0)}>
        Undo{" "}
        <span class="key" aria-hidden="true">
          z
        </span>
      </button>
      <button type="button" onClick={() => act.help(0)}>
        Keys{" "}
        <span class="key" aria-hidden="true">
          ?
        </span>
      </button>
      <SavingLine selected={isSelection ? count : 0} />
    </div>
  );
}

/** How many rows are selected, and how many decisions are saved or wait. */
function SavingLine({ selected }: { selected: number }) {
  const { pending, saved, problem } = useSaving();
  useEffect(() => {
    if (pending === 0) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [pending > 0]);
  const parts = [
    selected > 0 && `${selected} selected`,
    problem && pending > 0
      ? `${formatCount(pending, "decision")} not saved yet: ${problem.detail}; trying again`
      : pending > 0
        ? "saving…"
        : saved > 0 && `${formatCount(saved, "decision")} saved`,
  ].filter(Boolean);
  return (
    <>
      <span class={problem && pending > 0 ? "saving failing" : "saving"} role="status">
        {parts.join(" · ")}
      </span>
      {problem && pending === 0 && (
        <span class="saving failing" role="alert">
          Not saved: {toSentence(problem.detail)} {toSentence(problem.hint)}{" "}
          <button type="button" class="file" onClick={() => saveQueue.dismiss()}>
            Dismiss
          </button>
        </span>
      )}
    </>
  );
}
