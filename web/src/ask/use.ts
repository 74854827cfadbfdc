/** A question as part of a view. */

import { useEffect, useRef, useState } from "preact/hooks";
import { type Params, Refused, address, ask, quit, recalled } from "./ask";
import type { Answer, Job, Problem } from "./shapes";

/** How a question stands. `data` is the last answer; `fresh` says that it is to this question. */
export interface Asked<T> {
  where: string;
  data?: T;
  fresh: boolean;
  job?: Job;
  problem?: Problem;
  again: () => void;
  stop: () => void;
}

interface State<T> {
  where: string;
  data?: T;
  from?: string;
  job?: Job;
  problem?: Problem;
}

const STOPPED: Problem = { title: "Stopped", status: 0, detail: "this was cancelled", cure: "ask again" };

/** Ask whenever the question changes; no path, no question. The last answer stays meanwhile. */
export function useAsk<T extends Answer>(path: string | null, params: Params = {}): Asked<T> {
  const where = path === null ? "" : address(path, params);
  const [state, setState] = useState<State<T>>({ where: "" });
  const [round, setRound] = useState(0);
  const stop = useRef(() => {});

  useEffect(() => {
    if (!where) {
      setState({ where });
      return;
    }
    const known = recalled<T>(where);
    if (known) {
      setState({ where, data: known, from: where });
      return;
    }
    const leave = new AbortController();
    let running = "";
    setState((before) => ({ ...kept(before), where }));
    const follow = (job: Job) => {
      if (leave.signal.aborted) return;
      running = job.job;
      setState((before) => ({ ...before, where, job }));
    };
    ask<T>(where, leave.signal, follow).then(
      (data) => {
        running = "";
        setState({ where, data, from: where });
      },
      (error: unknown) => {
        running = "";
        if (leave.signal.aborted) return;
        if (!(error instanceof Refused)) throw error;
        setState((before) => ({ ...kept(before), where, problem: error.problem }));
      },
    );
    const depart = () => {
      leave.abort();
      if (running) void quit(running);
      running = "";
    };
    stop.current = () => {
      depart();
      setState((before) => ({ ...kept(before), where, problem: STOPPED }));
    };
    return depart;
  }, [where, round]);

  const current = state.where === where ? state : { ...kept(state), where };
  const instant = current.from === where ? undefined : recalled<T>(where);
  return {
    ...current,
    ...(instant && { data: instant }),
    fresh: instant !== undefined || (current.data !== undefined && current.from === where),
    again: () => setRound(round + 1),
    stop: () => stop.current(),
  };
}

function kept<T>(state: State<T>): Pick<State<T>, "data" | "from"> {
  return state.data === undefined || state.from === undefined ? {} : { data: state.data, from: state.from };
}
