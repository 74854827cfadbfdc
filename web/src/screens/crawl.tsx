/** A crawl of the live web into the collection: start it, watch it, pause it, stop it. */

import { useEffect, useState } from "preact/hooks";
import { ApiError, postApi } from "../api/client";
import type { CrawlResponse, Problem } from "../api/schemas";
import { type ApiState, useApi } from "../api/useApi";
import { Plot } from "../draw/plot";
import { AsyncContent, ProblemMessage } from "../pieces/loading";
import { useDocumentTitle } from "../pieces/controls";
import { FactList } from "../pieces/notes";
import { formatCount, formatNumber, formatRelevance, toSentence } from "../pieces/format";
import { ScreenHead } from "../pieces/screenHead";
import type { ScreenProps } from "../shell";
import { CrawlForm, type CrawlWords } from "./crawl/form";
import { LastPages, Refusals, WaitingHosts, WaitingUrls } from "./crawl/tables";

const POLL_MS = 2000;
const [FEW, MANY] = [10, 100];
const STATE_NAMES = { none: "", running: "Running", paused: "Paused", stopping: "Stopping", ended: "Ended" } as const;
const PAGE_LIMIT = "page limit";

export function CrawlScreen({ route, collection }: ScreenProps) {
  useDocumentTitle("Crawl");
  const response = useApi<CrawlResponse>("crawl", { top: route.search.has("more") ? MANY : FEW });
  usePolling(response);
  return (
    <div class="crawl-screen">
      <section>
        <ScreenHead kicker="Crawl into" heading={collection.name} />
        <AsyncContent response={response} label="the crawl" placeholderLines={10}>
          {(crawl) => <CrawlContent crawl={crawl} reload={response.retry} />}
        </AsyncContent>
      </section>
    </div>
  );
}

/** Ask again every two seconds while the crawl runs. */
function usePolling({ data, retry }: ApiState<CrawlResponse>) {
  useEffect(() => {
    if (data === undefined || data.state === "none" || data.state === "ended") return;
    const timer = setTimeout(retry, POLL_MS);
    return () => clearTimeout(timer);
  }, [data]);
}

function CrawlContent({ crawl, reload }: { crawl: CrawlResponse; reload: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (path: string, words: CrawlWords = {}) => {
    setBusy(true);
    setProblem(null);
    try {
      await postApi(`crawl/${path}`, words);
      reload();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error.problem);
    }
    setBusy(false);
  };
  const start = (words: CrawlWords) => void send("start", words);
  const failure = problem && <ProblemMessage problem={problem} />;
  if (crawl.state === "none")
    return (
      <>
        <p class="lead">Fetch pages of a topic from the web into this collection, best links first.</p>
        <CrawlForm crawl={crawl} busy={busy} start={start} />
        {failure}
      </>
    );
  return (
    <>
      <CrawlState crawl={crawl} busy={busy} send={(path) => void send(path)} />
      {failure}
      {crawl.state === "ended" && (
        <details class="base" open={crawl.ended === PAGE_LIMIT}>
          <summary>{crawl.ended === PAGE_LIMIT ? "The page limit is reached: raise it to go on" : "Change settings, or add seeds"}</summary>
          <CrawlForm crawl={crawl} busy={busy} start={start} />
        </details>
      )}
      <CrawlResults crawl={crawl} />
    </>
  );
}

/** What the crawl does now, in a line, and the buttons that change it. */
function CrawlState({ crawl, busy, send }: { crawl: CrawlResponse; busy: boolean; send: (path: string) => void }) {
  const { state, plan, counts } = crawl;
  const paused = state === "paused";
  const stopping = state === "stopping";
  return (
    <>
      <p class="lead">
        <bdi>{plan.topic || "Pages like the seeds"}</bdi>, by {plan.method}
      </p>
      <p class="crawl-state">
        <span role="status">
          <strong>{STATE_NAMES[state]}</strong>
          {crawl.ended && `: ${crawl.ended}`}
        </span>
        <span class="soft">
          {formatNumber(crawl.pages)} of {formatCount(plan.pages, "page")}
          {state !== "ended" && ` · ${formatNumber(crawl.pages_last_minute)} in the last minute`} · {formatNumber(counts.waiting)} URLs
          waiting on {formatCount(counts.hosts, "host")}
        </span>
      </p>
      {state === "ended" && crawl.hint && <p class="soft">{toSentence(crawl.hint)}</p>}
      <progress aria-label="pages fetched" value={Math.min(1, crawl.pages / plan.pages)} />
      {state !== "ended" && (
        <p class="crawl-buttons">
          <button type="button" disabled={busy || stopping} onClick={() => send(paused ? "resume" : "pause")}>
            {paused ? "Resume" : "Pause"}
          </button>
          <button type="button" disabled={busy || stopping} onClick={() => send("stop")}>
            Stop
          </button>
          {stopping && <span class="soft">Requests in flight end, and the pages are added to the collection.</span>}
        </p>
      )}
      {state === "ended" && crawl.ended !== PAGE_LIMIT && (
        <p class="crawl-buttons">
          <button type="button" class="main" disabled={busy} onClick={() => send("start")}>
            Continue
          </button>
        </p>
      )}
    </>
  );
}

function CrawlResults({ crawl }: { crawl: CrawlResponse }) {
  const { counts, pages } = crawl;
  return (
    <>
      <section class="pair">
        <figure class="plot">
          <h2>Harvest rate</h2>
          {pages > 0 ? <Plot path="crawl" params={{ pages }} picture="harvest" /> : <p class="empty">No page was fetched yet.</p>}
        </figure>
        <div>
          <h2>So far</h2>
          <FactList
            rows={[
              ["Harvest rate", formatRelevance(crawl.harvest_rate), "mean relevance of all pages"],
              ["Harvest rate of the last 100 pages", formatRelevance(crawl.last_harvest_rate)],
              ["Pages", formatNumber(pages)],
              ["URLs done", formatNumber(counts.done), "with redirects and errors"],
              ["URLs in flight", formatNumber(counts.in_flight)],
              ["URLs waiting", formatNumber(counts.waiting)],
              ["URLs refused", formatNumber(counts.refused), "without links that were out of scope at once"],
            ]}
          />
        </div>
      </section>
      <section>
        <h2>Waiting, best first</h2>
        <WaitingUrls rows={crawl.best} />
      </section>
      <section class="pair">
        <div>
          <h2>Waiting, by host</h2>
          <WaitingHosts rows={crawl.hosts} />
        </div>
        <div>
          <h2>Not fetched, and why</h2>
          <Refusals rows={crawl.refused} />
        </div>
      </section>
      <section>
        <h2>Last pages</h2>
        <LastPages rows={crawl.last_pages} />
        {pages >= FEW && <MoreRows all={crawl.last_pages.length > FEW} />}
      </section>
    </>
  );
}

function MoreRows({ all }: { all: boolean }) {
  return (
    <p class="small">{!all ? <a href="/crawl?more=yes">Show up to {MANY} rows of each table</a> : <a href="/crawl">Show fewer rows</a>}</p>
  );
}
