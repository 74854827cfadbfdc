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

/** How many lines the signs of waiting and of working are as high as: what is below stays in place. */
const HEIGHTS = [1, 5] as const;

/** The answer, dimmed while a newer one is on its way. */
export function Answered<T>({ asked, what, lines = 6, children }: Props<T>) {
  const { data, fresh, problem } = asked;
  if (problem) return <Failed problem={problem} again={asked.again} />;
  if (data === undefined)
    return asked.job ? (
      <>
        <Working job={asked.job} what={what} stop={asked.stop} />
        <Lines count={lines - HEIGHTS[asked.job.state === "waiting" ? 0 : 1]} />
      </>
    ) : (
      <div role="status" aria-label={`Waiting: ${what}`}>
        <Lines count={lines} />
      </div>
    );
  return (
    <div class={fresh ? undefined : "stale"} aria-busy={!fresh}>
      {!fresh && asked.job && <Working job={asked.job} what={what} stop={asked.stop} />}
      {children(data)}
    </div>
  );
}

/** Where the answer will stand. */
function Lines({ count }: { count: number }) {
  return (
    <div class="waiting" aria-hidden="true">
      {Array.from({ length: Math.max(0, count) }, (_, k) => (
        <span key={k} class={`line w${k % 4}`} />
      ))}
    </div>
  );
}

function Working({ job, what, stop }: { job: Job; what: string; stop: () => void }) {
  const step = job.steps.at(-1);
  const known = step?.total ? Math.min(1, step.done / step.total) : undefined;
  if (job.state === "waiting")
    return (
      <p class="turn soft small" role="status">
        Waiting for its turn: {what}
      </p>
    );
  return (
    <div class="working" role="status">
      <p>
        Working: {what}
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

/** One sentence and a cure; `place` says where the name is looked at that was perhaps meant. */
export function Failed({ problem, again, place }: { problem: Problem; again?: () => void; place?: (near: string) => string }) {
  const near = place && /^did you mean (['"])(.+)\1\?$/.exec(problem.cure)?.[2];
  return (
    <div class="failed" role="alert">
      <p>
        <strong>{sentence(problem.detail)}</strong>
      </p>
      {near ? (
        <p class="soft">
          Did you mean{" "}
          <a href={place(near)}>
            <bdi>{near}</bdi>
          </a>
          ?
        </p>
      ) : (
        problem.cure && <p class="soft">{sentence(problem.cure)}</p>
      )}
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
