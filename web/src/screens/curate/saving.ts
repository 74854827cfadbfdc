/** Decisions on their way to the server: one after the other, kept until the server has them on disk. */

import { useEffect, useState } from "preact/hooks";
import { ApiError, forgetResponses, postApi } from "../../api/client";
import type { BatchSchema, Problem, TagWords } from "../../api/schemas";

const RETRY_MS = 1500;

/** Tags that were set together; `batch` is their number once they are saved. */
export interface Decision {
  readonly tags: readonly TagWords[];
  readonly by: string;
  batch: number;
}

interface Job {
  decision: Decision;
  undo: boolean;
  onRefused: () => void;
}

export interface SavingState {
  /** How many decisions are not on disk yet. */
  pending: number;
  saved: number;
  problem: Problem | null;
}

type Post = (path: string, body: unknown) => Promise<BatchSchema>;

/** Sends decisions in order. If the server does not respond they wait, and are sent again. */
export class SaveQueue {
  state: SavingState = { pending: 0, saved: 0, problem: null };
  /** What was decided in this window and not undone, in order. */
  readonly decisions: Decision[] = [];
  private readonly jobs: Job[] = [];
  private readonly listeners = new Set<() => void>();
  private running = false;

  constructor(
    private readonly post: Post,
    private readonly pause: (ms: number) => Promise<void>,
  ) {}

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Save tags as one batch; `onRefused` is called if the server does not accept them. */
  set(tags: readonly TagWords[], by: string, onRefused: () => void): Decision {
    const decision = { tags, by, batch: 0 };
    this.decisions.push(decision);
    this.add({ decision, undo: false, onRefused });
    return decision;
  }

  /** Take the last decision back: from the server, or from the queue if it was not sent. */
  undo(): Decision | null {
    const decision = this.decisions.pop();
    if (decision === undefined) return null;
    const unsent = this.jobs.findIndex((job, k) => job.decision === decision && k > 0);
    if (unsent >= 0) this.jobs.splice(unsent, 1);
    else this.add({ decision, undo: true, onRefused: () => {} });
    this.update({});
    return decision;
  }

  /** Hide the last problem. */
  dismiss(): void {
    this.update({ problem: null });
  }

  private add(job: Job): void {
    this.jobs.push(job);
    this.update({});
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    for (let job = this.jobs[0]; job !== undefined; job = this.jobs[0]) {
      try {
        await this.send(job);
        this.jobs.shift();
        this.update({ problem: null, saved: this.state.saved + (job.undo ? -1 : 1) });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (isPassing(error.problem)) {
          this.update({ problem: error.problem });
          await this.pause(RETRY_MS);
          continue;
        }
        this.jobs.shift();
        const place = this.decisions.indexOf(job.decision);
        if (place >= 0) this.decisions.splice(place, 1);
        this.update({ problem: error.problem });
        job.onRefused();
      }
    }
    this.running = false;
  }

  private async send({ decision, undo }: Job): Promise<void> {
    const { tags, by, batch } = decision;
    if (undo) await this.post("curate/tags/undo", { batch });
    else decision.batch = (await this.post("curate/tags", { tags, by })).batch;
  }

  private update(changes: Partial<SavingState>): void {
    this.state = { ...this.state, pending: this.jobs.length, ...changes };
    for (const listener of this.listeners) listener();
  }
}

/** Whether the same request may succeed later: no response, too many requests, or a failing server. */
function isPassing({ status }: Problem): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** The queue of this window; it goes on while other screens are shown. */
export const saveQueue = new SaveQueue(
  async (path, body) => {
    const batch = await postApi<BatchSchema>(path, body);
    forgetResponses();
    return batch;
  },
  (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
);

/** Call a function when no decision waits any more. */
export async function whenSaved(then: () => void | Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = () => {
      if (saveQueue.state.pending > 0) return;
      stop();
      resolve();
    };
    const stop = saveQueue.onChange(check);
    check();
  });
  await then();
}

/** The state of the queue, as it changes. */
export function useSaving(): SavingState {
  const [state, setState] = useState(saveQueue.state);
  useEffect(() => saveQueue.onChange(() => setState(saveQueue.state)), []);
  return state;
}
