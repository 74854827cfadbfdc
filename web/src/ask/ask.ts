/** Questions to the server: one answer, or a job that says how far it is. */

import type { Answer, Job, Problem } from "./shapes";

export type Value = string | number | boolean | readonly string[] | undefined;
export type Params = Record<string, Value>;

const PATIENCE = 0.4;
const [SOON, LATE, SLOWER] = [100, 500, 1.1];
const KEPT = 200;
const kept = new Map<string, Answer>();
const listeners = new Set<(snapshot: number) => void>();
let latest = 0;

/** What went wrong, as the server tells it. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** The address of a question; what is empty is left out. */
export function address(path: string, params: Params = {}): string {
  const told = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) told.append(name, String(one));
  }
  const search = told.toString();
  return `/api/${path}${search && `?${search}`}`;
}

/** What is remembered of an earlier answer. */
export function recalled<T extends Answer>(where: string): T | undefined {
  return kept.get(where) as T | undefined;
}

/** Be told when the collection has grown. */
export function onGrowth(listener: (snapshot: number) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Ask, wait, and tell `onJob` how far it is where it takes long. */
export async function ask<T extends Answer>(
  where: string,
  signal: AbortSignal,
  onJob: (job: Job) => void,
): Promise<T> {
  const headers = { Prefer: `wait=${PATIENCE}` };
  let response = await reach(where, { headers, signal });
  while (response.status === 202) {
    const now = (await response.json()) as Job;
    onJob(now);
    await ended(now.job, signal, onJob);
    response = await reach(`/api/jobs/${now.job}/result`, { signal });
  }
  if (!response.ok) throw new Refused(await told(response));
  const lasting = response.headers.get("Cache-Control") !== "no-store";
  return remember(where, (await response.json()) as T, lasting);
}

/** Wait no longer for a job; it goes on as long as other readers wait for it. */
export async function quit(job: string): Promise<void> {
  await fetch(`/api/jobs/${job}`, { method: "DELETE" });
}

async function reach(where: string, how: RequestInit): Promise<Response> {
  try {
    return await fetch(where, how);
  } catch (error) {
    if (how.signal?.aborted) throw error;
    const cure = "start it again with weft serve, then try again";
    throw new Refused({ title: "No answer", status: 0, detail: "the server does not answer", cure });
  }
}

async function told(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    const detail = `the server answered ${response.status}`;
    return { title: "Error", status: response.status, detail, cure: "" };
  }
}

/**
 * Look at a job until it is done, ever more seldom: about a tenth of the wait is lost at most.
 * A stream would hold one of the few connections that a browser has.
 */
async function ended(job: string, signal: AbortSignal, onJob: (job: Job) => void): Promise<void> {
  for (let pause = SOON; ; pause = Math.min(SLOWER * pause, LATE)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal.throwIfAborted();
    const response = await reach(`/api/jobs/${job}`, { signal });
    if (!response.ok) return;
    const now = (await response.json()) as Job;
    onJob(now);
    if (now.state !== "waiting" && now.state !== "running") return;
  }
}

function remember<T extends Answer>(where: string, answer: T, lasting: boolean): T {
  if (answer.snapshot > latest) {
    kept.clear();
    const grown = latest > 0;
    latest = answer.snapshot;
    if (grown) for (const listener of listeners) listener(latest);
  }
  if (lasting) kept.set(where, answer);
  const oldest = kept.keys().next().value;
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return answer;
}
