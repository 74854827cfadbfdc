/** The form that starts or continues a crawl. */

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { CrawlResponse, CrawlWords as AllCrawlWords, MethodsResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { buildUrl } from "../../route";

export type CrawlWords = Partial<AllCrawlWords>;

interface FieldProps {
  label: string;
  hint: ComponentChildren;
  children: (shared: { id: string; "aria-describedby": string }) => ComponentChildren;
}

function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint` })}
      <small id={`${id}-hint`}>{hint}</small>
    </div>
  );
}

export function CrawlForm({ crawl, busy, start }: { crawl: CrawlResponse; busy: boolean; start: (words: CrawlWords) => void }) {
  const { plan } = crawl;
  const isNew = crawl.state === "none";
  const methods = useApi<MethodsResponse>("methods");
  const strategies = (methods.data?.methods ?? []).filter((method) => method.kind === "crawl");
  const [method, setMethod] = useState(plan.method);
  const number = (name: "pages" | "delay" | "depth" | "per_host" | "minutes", label: string, hint: string, min: number, max: number) => (
    <Field label={label} hint={hint}>
      {(shared) => (
        <input
          {...shared}
          type="number"
          name={name}
          min={min}
          max={max}
          step={name === "delay" ? "any" : 1}
          defaultValue={plan[name]}
          required
        />
      )}
    </Field>
  );
  return (
    <form
      class="options crawl-form"
      aria-label="Crawl"
      onSubmit={(event) => {
        event.preventDefault();
        start(readWords(new FormData(event.currentTarget)));
      }}
    >
      <div class="fields">
        <Field label={isNew ? "Seeds" : "More seeds"} hint="URLs to begin from, one per line">
          {(shared) => (
            <textarea {...shared} name="seeds" rows={3} required={isNew} placeholder="https://example.org/" maxLength={100_000} />
          )}
        </Field>
        <Field label="Topic" hint="words; without any, pages like the seeds are relevant">
          {(shared) => <input {...shared} type="text" name="topic" defaultValue={plan.topic} maxLength={1000} />}
        </Field>
        <Field
          label="Strategy"
          hint={
            <>
              {strategies.find((each) => each.name === method)?.summary}{" "}
              <a href={buildUrl("/method", { kind: "crawl", name: method })}>About {method}</a>
            </>
          }
        >
          {(shared) => (
            <select {...shared} name="method" value={method} onChange={(event) => setMethod(event.currentTarget.value)}>
              {strategies.length === 0 && <option>{method}</option>}
              {strategies.map((each) => (
                <option key={each.name}>{each.name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Contact" hint="URL or mail address where the servers’ owners reach you; sent with every request">
          {(shared) => <input {...shared} type="text" name="contact" defaultValue={plan.contact} maxLength={200} required />}
        </Field>
        {number("pages", "Pages", isNew ? "how many to fetch" : "how many to fetch, with those fetched so far", 1, 10_000_000)}
        <Field label="Stay within" hint="host or domain of the seeds, or a pattern such as https://example.org/docs/*; empty: anywhere">
          {(shared) => (
            <>
              <input {...shared} type="text" name="within" list="crawl-within" defaultValue={plan.within} maxLength={500} />
              <datalist id="crawl-within">
                <option value="host" />
                <option value="domain" />
              </datalist>
            </>
          )}
        </Field>
        {number("delay", "Delay", "seconds between requests to a server", 0, 3600)}
      </div>
      <details class="more">
        <summary>More limits</summary>
        <div class="fields">
          <Field label="Exclude" hint="patterns of URLs not to fetch, one per line">
            {(shared) => <textarea {...shared} name="exclude" rows={2} defaultValue={plan.exclude.join("\n")} maxLength={50_000} />}
          </Field>
          {number("depth", "Depth", "links away from a seed at most", 0, 1_000_000)}
          {number("per_host", "Pages of a host", "at most", 1, 10_000_000)}
          {number("minutes", "Minutes", "stop after so long; 0: never", 0, 1_000_000)}
          <Field label="Run scripts" hint="of pages that are empty without them, in a browser on the server">
            {(shared) => <input {...shared} type="checkbox" name="render" defaultChecked={plan.render} />}
          </Field>
        </div>
      </details>
      <button type="submit" class="main" disabled={busy}>
        {busy ? "Starting…" : isNew ? "Start" : "Continue with these settings"}
      </button>
    </form>
  );
}

function readWords(form: FormData): CrawlWords {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const lines = (name: string) =>
    text(name)
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  return {
    seeds: lines("seeds").map((line) => (/^\w+:/.test(line) ? line : `https://${line}`)),
    method: text("method") as NonNullable<CrawlWords["method"]>,
    topic: text("topic"),
    contact: text("contact"),
    pages: Number(text("pages")),
    within: text("within"),
    delay: Number(text("delay")),
    exclude: lines("exclude"),
    depth: Number(text("depth")),
    per_host: Number(text("per_host")),
    minutes: Number(text("minutes")),
    render: form.get("render") !== null,
  };
}
