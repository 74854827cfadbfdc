/** Text whose parts may be written in different directions. */

import type { ComponentChild } from "preact";
import { directionRuns } from "./format";

/** Each run of one direction by itself, so that marks and numbers stay where they belong. */
export function DirectedText({ text, wrap = (part) => part }: { text: string; wrap?: (part: string) => ComponentChild }) {
  const runs = directionRuns(text);
  if (runs.length === 1) return <>{wrap(text)}</>;
  return (
    <>
      {runs.map((run, k) => (
        <bdi key={k} dir={run.direction}>
          {wrap(run.text)}
        </bdi>
      ))}
    </>
  );
}
