/** All tags in force, with who, when and why; CSV in and out; tags on anything, patterns too. */

import { useId } from "preact/hooks";
import type { TagSchema, TagsImported, TagsResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { DownloadLinks, Pager, ScrollableTable } from "../../pieces/controls";
import { formatCount, formatDate, stripControlChars } from "../../pieces/format";
import { AsyncContent, EmptyMessage, ProblemMessage } from "../../pieces/loading";
import { navigate, type Route, withParams } from "../../route";
import { ImportForm } from "./importForm";
import { type Write, useWrite } from "./useWrite";

const SIZE = 50;

export function AllTags({ route, by }: { route: Route; by: string }) {
  const facet = route.search.get("facet") ?? "";
  const offset = Number(route.search.get("offset") ?? 0);
  const response = useApi<TagsResponse>("curate/tags", { facet, offset, top: SIZE });
  const write = useWrite(response.retry);
  const mine = by ? `of ${by}` : "of anybody";
  return (
    <section>
      {write.problem && <ProblemMessage problem={write.problem} />}
      <TagForm write={write} by={by} />
      <AsyncContent response={response} label="tags" placeholderLines={10}>
        {(data) => (
          <section>
            <div class="tools">
              <h2>{formatCount(data.total, "tag")}</h2>
              <span class="field inline">
                <label for="tags-facet">of</label>
                <select
                  id="tags-facet"
                  value={facet}
                  onChange={(event) => navigate(withParams(route, { facet: event.currentTarget.value, offset: null }))}
                >
                  <option value="">all facets</option>
                  {data.facets.map((each) => (
                    <option key={each.facet}>{each.facet}</option>
                  ))}
                </select>
              </span>
              <button
                type="button"
                disabled={write.busy || data.batches === 0}
                onClick={() => void write.send([["curate/tags/undo", { by }]])}
              >
                Undo the last tags <bdi>{mine}</bdi>
              </button>
              <DownloadLinks path="curate/tags" params={{ facet }} formats={["csv"]} />
            </div>
            {data.rows.length === 0 ? (
              <EmptyMessage>Nothing is tagged.</EmptyMessage>
            ) : (
              <TagTable rows={data.rows} remove={(tag) => void write.send([["curate/tags", removal(tag, by)]])} busy={write.busy} />
            )}
            <Pager route={route} name="offset" offset={offset} size={SIZE} total={data.total} unit="tag" />
          </section>
        )}
      </AsyncContent>
      <ImportForm
        path="curate/tags/import"
        heading="Import tags"
        hint="CSV with the columns of an export, or url, facet and value"
        write={write}
        words={(form) => ({ theirs: form.get("theirs") !== null })}
      >
        <label>
          <input type="checkbox" name="theirs" /> where they differ, take theirs
        </label>
      </ImportForm>
      {write.answers.map((answer) => isImported(answer) && <Imported key="imported" answer={answer} />)}
    </section>
  );
}

function removal({ scope, target, facet }: TagSchema, by: string) {
  return { by, tags: [{ scope, target, facet, value: "", why: "" }] };
}

function isImported(answer: unknown): answer is TagsImported {
  return typeof answer === "object" && answer !== null && "conflicts" in answer;
}

/** How many tags were imported, and where they differ from those that were there. */
function Imported({ answer }: { answer: TagsImported }) {
  return (
    <div role="status">
      <p>
        {formatCount(answer.tags, "tag")} imported
        {answer.conflicts > 0 &&
          `; ${formatCount(answer.conflicts, "tag")} differed, and ${answer.theirs ? "theirs were taken" : "yours stayed"}`}
        .
      </p>
      <ul class="plain">
        {answer.rows.map(({ ours, theirs }) => (
          <li key={`${ours.scope} ${ours.target} ${ours.facet}`}>
            <bdi>{stripControlChars(ours.target)}</bdi>, {ours.facet}: <bdi>{ours.value}</bdi> here, <bdi>{theirs.value}</bdi> there
            {theirs.by && (
              <>
                {" "}
                by <bdi>{theirs.by}</bdi>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function TagTable({ rows, remove, busy }: { rows: readonly TagSchema[]; remove: (tag: TagSchema) => void; busy: boolean }) {
  return (
    <ScrollableTable label="Tags">
      <table class="figures tags">
        <thead>
          <tr>
            <th scope="col">on</th>
            <th scope="col">tag</th>
            <th scope="col">by</th>
            <th scope="col">note</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((tag) => (
            <tr key={`${tag.scope} ${tag.target} ${tag.facet}`}>
              <th scope="row">
                <bdi>{stripControlChars(tag.target)}</bdi> <span class="address">{tag.scope}</span>
              </th>
              <td>
                <bdi>
                  {tag.facet}: <b>{tag.value}</b>
                </bdi>
              </td>
              <td>
                <bdi>{tag.by}</bdi> <span class="address">{formatDate(tag.time)}</span>
              </td>
              <td>
                <bdi>{tag.why}</bdi>
              </td>
              <td>
                <button
                  type="button"
                  class="file"
                  disabled={busy}
                  aria-label={`Take away ${tag.facet} of ${tag.target}`}
                  onClick={() => remove(tag)}
                >
                  Take away
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

/** Tag anything by its name: a page, a host, a domain, an entity, or a pattern. */
function TagForm({ write, by }: { write: Write; by: string }) {
  const id = useId();
  const field = (name: string, label: string, hint: string, more: { placeholder: string; pattern?: string; required?: boolean }) => (
    <div class="field">
      <label for={`${id}${name}`}>{label}</label>
      <input id={`${id}${name}`} name={name} type="text" autocomplete="off" aria-describedby={`${id}${name}-hint`} {...more} />
      <small id={`${id}${name}-hint`}>{hint}</small>
    </div>
  );
  return (
    <details class="base">
      <summary>Tag a domain, an entity, a pattern</summary>
      <form
        class="options"
        aria-label="Tag anything"
        onSubmit={(event) => {
          event.preventDefault();
          const element = event.currentTarget;
          const form = new FormData(element);
          const text = (name: string) => String(form.get(name) ?? "").trim();
          const tag = { target: text("target"), facet: text("facet"), value: text("value"), why: text("why") };
          void write.send([["curate/tags", { by, tags: [tag] }]]).then((done) => done && element.reset());
        }}
      >
        <div class="fields">
          {field("target", "What", "a page, host, domain, entity, or a pattern with *", { placeholder: "*/login*", required: true })}
          {field("facet", "Facet", "decision, or your own", {
            placeholder: "decision",
            pattern: "[a-z][a-z0-9_\\-]{0,39}",
            required: true,
          })}
          {field("value", "Value", "empty: take the tag away", { placeholder: "out" })}
          {field("why", "Note", "why", { placeholder: "no content" })}
        </div>
        <button type="submit" disabled={write.busy}>
          Tag
        </button>
      </form>
    </details>
  );
}
