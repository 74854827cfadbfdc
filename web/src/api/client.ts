/** Requests to the server: a response, or a job that is polled until it is done. */

import type { ApiResponse } from "./derived";
import type { JobStatus, Problem } from "./schemas";

export type ParamValue = string | number | boolean | readonly string[] | null | undefined;
export type QueryParams = Record<string, ParamValue>;

/** A picture of the server, as the text of an SVG document. */
export interface Picture extends ApiResponse {
  svg: string;
}

const WAIT_SECONDS = 0.4;
const [FIRST_POLL_MS, MAX_POLL_MS, POLL_BACKOFF] = [100, 500, 1.1];
const MAX_CACHED_RESPONSES = 200;
const responseCache = new Map<string, ApiResponse>();
const refreshWatchers = new Set<() => void>();
const listeners = new Set<(snapshot: number) => void>();
let latestSnapshot = 0;

/** A problem that the server reported. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** A problem that the server did not report. */
export function localProblem(title: string, detail: string, hint: string): Problem {
  return { type: "about:blank", title, status: 0, detail, hint };
}

/** The URL of an API request; empty parameters are left out. */
export function apiUrl(path: string, params: QueryParams = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === "") continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  return `/api/${path}${search.size > 0 ? `?${search}` : ""}`;
}

/** The cached response to a URL. */
export function cachedResponse<T extends ApiResponse>(url: string): T | undefined {
  return responseCache.get(url) as T | undefined;
}

/** Forget all responses, and let what is on the screen ask again. */
export function refreshScreen(): void {
  forgetResponses();
  for (const watcher of refreshWatchers) watcher();
}

/** Call the watcher when responses are out of date. */
export function onRefresh(watcher: () => void): () => void {
  refreshWatchers.add(watcher);
  return () => refreshWatchers.delete(watcher);
}

/** Call the listener when the collection has a new snapshot. */
export function onNewSnapshot(listener: (snapshot: number) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Forget all responses: what was written changes what they say. */
export function forgetResponses(): void {
  responseCache.clear();
}

/** Fetch a response; for long requests `onJob` gets the progress of the job. */
export async function fetchApi<T extends ApiResponse>(url: string, signal: AbortSignal, onJob: (job: JobStatus) => void): Promise<T> {
  const headers = { Prefer: `wait=${WAIT_SECONDS}` };
  let response = await fetchOrThrow(url, { headers, signal });
  while (response.status === 202) {
    const status = (await response.json()) as JobStatus;
    onJob(status);
    const known = await pollJob(status.id, signal, onJob);
    response = known ? await fetchOrThrow(`/api/jobs/${status.id}/result`, { signal }) : await fetchOrThrow(url, { headers, signal });
  }
  if (!response.ok) throw new ApiError(await readProblem(response));
  const cacheable = response.headers.get("Cache-Control") !== "no-store";
  return cacheResponse(url, (await readBody(response)) as T, cacheable);
}

/** Send a request that changes something. */
export async function postApi<T>(path: string, body: unknown = {}): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetchOrThrow(apiUrl(path), { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new ApiError(await readProblem(response));
  return (await response.json()) as T;
}

async function readBody(response: Response): Promise<unknown> {
  if (!response.headers.get("Content-Type")?.startsWith("image/svg")) return response.json();
  return { snapshot: latestSnapshot, svg: await response.text() } satisfies Picture;
}

/** Stop waiting for a job; it goes on while other clients wait for it. A server that is gone has no jobs to leave. */
export async function leaveJob(job: string): Promise<void> {
  await fetch(`/api/jobs/${job}`, { method: "DELETE" }).catch(() => {});
}

async function fetchOrThrow(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const hint = "see that it runs, then try again";
    throw new ApiError(localProblem("No response", "the server does not respond", hint));
  }
}

async function readProblem(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    const detail = `the server responded with ${response.status}`;
    return { ...localProblem("Error", detail, ""), status: response.status };
  }
}

/**
 * Poll a job until it is done, with growing pauses: at most a tenth of the time is lost.
 * An event stream would occupy one of the few connections that a browser has.
 * False if the server does not know the job, as after a restart.
 */
async function pollJob(job: string, signal: AbortSignal, onJob: (job: JobStatus) => void): Promise<boolean> {
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(POLL_BACKOFF * pause, MAX_POLL_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal.throwIfAborted();
    const response = await fetchOrThrow(`/api/jobs/${job}`, { signal });
    if (!response.ok) return response.status !== 404;
    const status = (await response.json()) as JobStatus;
    onJob(status);
    if (status.state !== "waiting" && status.state !== "running") return true;
  }
}

function cacheResponse<T extends ApiResponse>(url: string, data: T, cacheable: boolean): T {
  if (data.snapshot > latestSnapshot) {
    responseCache.clear();
    const changed = latestSnapshot > 0;
    latestSnapshot = data.snapshot;
    if (changed) for (const listener of listeners) listener(latestSnapshot);
  }
  if (cacheable) responseCache.set(url, data);
  const oldest = responseCache.keys().next().value;
  if (responseCache.size > MAX_CACHED_RESPONSES && oldest !== undefined) responseCache.delete(oldest);
  return data;
}
