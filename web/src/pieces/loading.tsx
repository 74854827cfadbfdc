/** Content of a request: a placeholder while it loads, a message when it fails, else the data. */

import type { ComponentChildren } from "preact";
import type { ApiState } from "../api/useApi";
import type { JobStatus, Problem } from "../api/schemas";
import { formatNumber, stripControlChars, toSentence, withoutCommands } from "./format";

interface Props<T> {
  response: ApiState<T>;
  label: string;
  placeholderLines?: number;
  children: (data: T) => ComponentChildren;
}

/** Heights of the waiting and progress messages in lines, so that what is below does not move. */
const MESSAGE_LINES = [1, 5] as const;

/** The data, dimmed while newer data is loading. */
export function AsyncContent<T>({ response, label, placeholderLines = 6, children }: Props<T>) {
  const { data, fresh, problem } = response;
  if (problem) return <ProblemMessage problem={problem} retry={response.retry} />;
  if (data === undefined)
    return response.job ? (
      <>
        <JobProgress job={response.job} label={label} stop={response.cancel} />
        <PlaceholderLines count={placeholderLines - MESSAGE_LINES[response.job.state === "waiting" ? 0 : 1]} />
      </>
    ) : (
      <div role="status" aria-label={`Loading ${label}`}>
        <PlaceholderLines count={placeholderLines} />
      </div>
    );
  return (
    <div class={fresh ? undefined : "stale"} aria-busy={!fresh}>
      {!fresh && response.job && <JobProgress job={response.job} label={label} stop={response.cancel} />}
      {children(data)}
    </div>
  );
}

/** Lines in place of the data. */
function PlaceholderLines({ count }: { count: number }) {
  return (
    <div class="placeholder" aria-hidden="true">
      {Array.from({ length: Math.max(0, count) }, (_, k) => (
        <span key={k} class={`line w${k % 4}`} />
      ))}
    </div>
  );
}

function JobProgress({ job, label, stop }: { job: JobStatus; label: string; stop: () => void }) {
  const step = job.steps.at(-1);
  const progress = step?.total ? Math.min(1, step.done / step.total) : undefined;
  if (job.state === "waiting")
    return (
      <p class="queued soft small" role="status">
        Queued: {label}
      </p>
    );
  return (
    <div class="progress" role="status">
      <p>
        Computing {label}
        {step && (
          <span class="soft">
            {" "}
            · {step.label} {formatNumber(step.done)}
            {step.total ? ` of ${formatNumber(step.total)}` : ""}
          </span>
        )}
      </p>
      <progress aria-label={label} {...(progress === undefined ? {} : { value: progress })} />
      <button type="button" onClick={stop}>
        Cancel
      </button>
    </div>
  );
}

/** A problem and its hint; `suggestionUrl` links a name that was perhaps meant. */
export function ProblemMessage({
  problem,
  retry,
  suggestionUrl,
}: {
  problem: Problem;
  retry?: () => void;
  suggestionUrl?: (suggestion: string) => string;
}) {
  const hint = withoutCommands(stripControlChars(problem.hint));
  const suggestion = suggestionUrl && /^did you mean (['"])(.+)\1\?$/.exec(problem.hint)?.[2];
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{toSentence(problem.detail)}</strong>
      </p>
      {suggestion ? (
        <p class="soft">
          Did you mean{" "}
          <a href={suggestionUrl(suggestion)}>
            <bdi>{suggestion}</bdi>
          </a>
          ?
        </p>
      ) : (
        hint && <p class="soft">{toSentence(hint)}</p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Why there is nothing to show. */
export function EmptyMessage({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
