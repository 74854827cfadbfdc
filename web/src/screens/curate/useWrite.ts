/** Requests that change something, sent one after the other; then the screen is asked for anew. */

import { useState } from "preact/hooks";
import { ApiError, forgetResponses, postApi } from "../../api/client";
import type { Problem } from "../../api/schemas";

type Sent = readonly [path: string, body: unknown];

export interface Write {
  busy: boolean;
  problem: Problem | null;
  /** What the last answers said. */
  answers: readonly unknown[];
  /** Whether all were accepted; the first that is not stops the others. */
  send: (requests: readonly Sent[]) => Promise<boolean>;
}

export function useWrite(reload: () => void): Write {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [answers, setAnswers] = useState<readonly unknown[]>([]);
  const send = async (requests: readonly Sent[]) => {
    setBusy(true);
    setProblem(null);
    let failure: Problem | null = null;
    const got: unknown[] = [];
    try {
      for (const [path, body] of requests) got.push(await postApi(path, body));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error.problem;
    }
    forgetResponses();
    setProblem(failure);
    setAnswers(got);
    setBusy(false);
    reload();
    return failure === null;
  };
  return { busy, problem, answers, send };
}
