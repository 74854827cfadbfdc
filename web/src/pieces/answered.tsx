/** What a part of a screen shows while it waits, when it failed, and when it has its answer. */

import type { ComponentChildren } from "preact";
import type { Asked } from "../ask/use";
import type { Job, Problem } from "../ask/shapes";
import { number } from "./words";

interface Props<T> {
  asked: Asked<T>;
  what: string;
  lines?: number;
  children: (data: T) => ComponentChildren;
}

/** The answer, dimmed while a newer one is on its way. */
export function Answered<T>({ asked, what, lines = 6, children }: Props<T>) {
  const { data, fresh, problem } = asked;
  if (problem) return <Failed problem={problem} again={asked.again} />;
  if (data === undefined)
    return asked.job ? <Working job={asked.job} what={what} stop={asked.stop} /> : <Waiting what={what} lines={lines} />;
  return (
    <div class={fresh ? undefined : "stale"} aria-busy={!fresh}>
      {!fresh && asked.job && <Working job={asked.job} what={what} stop={asked.stop} />}
      {children(data)}
    </div>
  );
}

function Waiting({ what, lines }: { what: string; lines: number }) {
  return (
    <div class="waiting" role="status" aria-label={`Waiting: ${what}`}>
      {Array.from({ length: lines }, (_, k) => (
        <span key={k} class={`line w${k % 4}`} />
      ))}
    </div>
  );
}

function Working({ job, what, stop }: { job: Job; what: string; stop: () => void }) {
  const step = job.steps.at(-1);
  const known = step?.total ? Math.min(1, step.done / step.total) : undefined;
  return (
    <div class="working" role="status">
      <p>
        {job.state === "waiting" ? "Waiting for its turn" : "Working"}: {what}
        {step && (
          <span class="soft">
            {" "}
            · {step.label} {number(step.done)}
            {step.total ? ` of ${number(step.total)}` : ""}
          </span>
        )}
      </p>
      <progress aria-label={what} {...(known === undefined ? {} : { value: known })} />
      <button type="button" onClick={stop}>
        Cancel
      </button>
    </div>
  );
}

/** One sentence and a cure. */
export function Failed({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class="failed" role="alert">
      <p>
        <strong>{sentence(problem.detail)}</strong>
      </p>
      {problem.cure && <p class="soft">{sentence(problem.cure)}</p>}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A part that has nothing to show, and why. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Words as a sentence. */
export function sentence(words: string): string {
  const text = words.trim();
  return text && `${text[0]?.toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;
}
