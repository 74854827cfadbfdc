/** A hook for API requests. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, apiUrl, cachedResponse, fetchApi, leaveJob, localProblem, onRefresh, type QueryParams } from "./client";
import type { ApiResponse } from "./derived";
import type { JobStatus, Problem } from "./schemas";

/** State of a request. `data` is the last response; `fresh` says whether it belongs to this request. */
export interface ApiState<T> {
  url: string;
  data?: T;
  fresh: boolean;
  job?: JobStatus;
  problem?: Problem;
  retry: () => void;
  cancel: () => void;
}

interface RequestState<T> {
  url: string;
  data?: T;
  from?: string;
  job?: JobStatus;
  problem?: Problem;
}

const CANCELLED = localProblem("Cancelled", "the request was cancelled", "send it again");

/** Send a request whenever its path or parameters change; null sends none. The last data stays meanwhile. */
export function useApi<T extends ApiResponse>(path: string | null, params: QueryParams = {}): ApiState<T> {
  const url = path === null ? "" : apiUrl(path, params);
  const [state, setState] = useState<RequestState<T>>({ url: "" });
  const [attempt, setAttempt] = useState(0);
  const cancel = useRef(() => {});
  useEffect(() => onRefresh(() => setAttempt((before) => before + 1)), []);

  useEffect(() => {
    if (!url) {
      setState({ url });
      return;
    }
    const cached = cachedResponse<T>(url);
    if (cached) {
      setState({ url, data: cached, from: url });
      return;
    }
    const controller = new AbortController();
    let jobId = "";
    setState((before) => ({ ...lastData(before), url }));
    const onJob = (job: JobStatus) => {
      if (controller.signal.aborted) return;
      jobId = job.id;
      setState((before) => ({ ...before, url, job }));
    };
    fetchApi<T>(url, controller.signal, onJob).then(
      (data) => {
        jobId = "";
        setState({ url, data, from: url });
      },
      (error: unknown) => {
        jobId = "";
        if (controller.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setState((before) => ({ ...lastData(before), url, problem: error.problem }));
      },
    );
    const abandon = () => {
      controller.abort();
      if (jobId) void leaveJob(jobId);
      jobId = "";
    };
    cancel.current = () => {
      abandon();
      setState((before) => ({ ...lastData(before), url, problem: CANCELLED }));
    };
    return abandon;
  }, [url, attempt]);

  const current = state.url === url ? state : { ...lastData(state), url };
  const cached = current.from === url ? undefined : cachedResponse<T>(url);
  return {
    ...current,
    ...(cached && { data: cached }),
    fresh: cached !== undefined || (current.data !== undefined && current.from === url),
    retry: () => setAttempt(attempt + 1),
    cancel: () => cancel.current(),
  };
}

function lastData<T>(state: RequestState<T>): Pick<RequestState<T>, "data" | "from"> {
  return state.data === undefined || state.from === undefined ? {} : { data: state.data, from: state.from };
}
