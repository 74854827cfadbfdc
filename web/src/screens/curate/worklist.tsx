/** A list that is worked through by keyboard: each decision is saved, and moves on to the next row. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, apiUrl, fetchApi, type QueryParams } from "../../api/client";
import type { CandidatesResponse, FacetSchema } from "../../api/schemas";
import { useScreenKeys } from "../../keyboard";
import { formatCount, formatNumber, formatPercent } from "../../pieces/format";
import { EmptyMessage } from "../../pieces/loading";
import { ambiguousPages, pageUrl } from "../../pieces/pageName";
import { navigate } from "../../route";
import { CandidateItem } from "./candidateItem";
import { type Action, actionOf, isTakenBy, KeysDialog } from "./keys";
import { Preview } from "./preview";
import * as rows from "./rows";
import { type Decision, saveQueue, whenSaved } from "./saving";
import { NoteDialog, TagDialog } from "./tagDialog";
import { Toolbar } from "./toolbar";
import { useWideScreen } from "./useWideScreen";

const LOAD_BEFORE_END = 12;
const CERTAIN = 0.95;
const MAX_DIGIT = 9;
type Shown = "" | "tag" | "note" | "keys";

interface Props {
  facet: string;
  facets: readonly FacetSchema[];
  by: string;
  /** The response that the rows are from: another one replaces the list. */
  source: unknown;
  first: readonly rows.Row[];
  total: number;
  unit: string;
  /** The parameters of the next rows; null if there are no others. */
  more: QueryParams | null;
  reload: () => void;
  /** The classifier that made the proposals; empty for candidates. */
  method: string;
}

export function Worklist(props: Props) {
  const { facet, facets, by, total, unit, more, reload, method } = props;
  const [current, setCurrent] = useState(0);
  const { list, setList, ended } = useRows(props, current);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<Shown>("");
  const before = useRef(new Map<Decision, readonly rows.Row[]>());
  const wide = useWideScreen();
  const focus = useFocusOfRow();
  useEffect(() => {
    setCurrent(0);
    setSelected(new Set());
  }, [props.source]);

  const targets = rows.targetRows(list, selected, current);
  const values = valuesOf(facet, facets);
  // Behind the last row is a place to wait in for the next rows, so that no key decides on the last one twice.
  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(index, ended ? list.length - 1 : list.length));
    setCurrent(next);
    focus(next);
  };
  const save = (chosen: readonly rows.Row[], draft: (row: rows.Row) => rows.Draft | null, stay = false) => {
    const drafts = chosen.flatMap((row) => {
      const made = draft(row);
      return made ? [[row, made] as const] : [];
    });
    if (drafts.length === 0) return;
    const old = drafts.map(([row]) => row);
    const now = Math.floor(Date.now() / 1000);
    setList((known) =>
      rows.replaceRows(
        known,
        drafts.map(([row, made]) => rows.withTag(row, facet, made, by, now)),
      ),
    );
    const decision = saveQueue.set(
      drafts.map(([row, made]) => rows.tagWords(row, made)),
      by,
      () => setList((known) => rows.replaceRows(known, old)),
    );
    before.current.set(decision, old);
    setSelected(new Set());
    if (!stay) moveTo(rows.rowAfter(list, old));
  };
  const give = (value: string, stay = false) => save(targets, () => ({ facet, value, why: "" }), stay);
  const undo = () => {
    const decision = saveQueue.undo();
    if (decision === null) return;
    const old = before.current.get(decision);
    if (old === undefined) return void whenSaved(reload);
    setList((known) => rows.replaceRows(known, old));
    moveTo(list.findIndex((row) => row.url === old[0]?.url));
  };
  const toggle = (url: string, on = !selected.has(url)) => {
    const others = [...selected].filter((each) => each !== url);
    setSelected(new Set(on ? [...others, url] : others));
  };
  const row = list[current];
  const act: Record<Action, (digit: number) => void> = {
    next: () => moveTo(current + 1),
    previous: () => moveTo(current - 1),
    extend: () => {
      if (row) toggle(row.url, true);
      moveTo(current + 1);
    },
    select: () => row && toggle(row.url),
    selectNone: () => setSelected(new Set()),
    in: () => save(targets, () => ({ facet: rows.DECISION, value: "in", why: "" })),
    out: () => save(targets, () => ({ facet: rows.DECISION, value: "out", why: "" })),
    undecided: () => save(targets, () => ({ facet: rows.DECISION, value: rows.UNDECIDED, why: "" })),
    value: (digit) => values[digit - 1] && give(values[digit - 1] ?? ""),
    clear: () => give("", true),
    tag: () => setShown("tag"),
    note: () => setShown("note"),
    accept: () => save(targets, ({ proposal }) => proposal && rows.acceptDraft(facet, proposal, method)),
    reject: () => save(targets, ({ proposal }) => proposal && rows.rejectDraft(facet, proposal, method)),
    undo,
    open: () => row && navigate(pageUrl(row)),
    help: () => setShown("keys"),
  };
  useScreenKeys((event) => {
    const pressed = actionOf(event);
    const target = event.target instanceof Element ? event.target : null;
    if (pressed === null || shown !== "" || isTakenBy(target, event.key)) return false;
    act[pressed.action](pressed.digit);
    return true;
  });
  useEffect(() => {
    if (ended && current >= list.length) moveTo(current);
  }, [ended, list.length]);

  if (list.length === 0)
    return (
      <EmptyMessage>
        {method ? "There is nothing to propose." : "There is nothing left to decide on here."}{" "}
        <button type="button" class="file" onClick={undo}>
          Undo
        </button>
      </EmptyMessage>
    );
  const ambiguous = ambiguousPages(list);
  const preview = row && <Preview row={row} facet={facet} />;
  return (
    <div class={wide ? "beside even curating" : "curating"}>
      <div>
        <Toolbar
          count={targets.length}
          isSelection={selected.size > 0}
          values={values}
          isDecision={facet === rows.DECISION}
          hasProposals={method !== ""}
          act={act}
        />
        {method && (
          <p class="select-certain">
            <button
              type="button"
              class="file"
              onClick={() =>
                setSelected(
                  new Set(list.filter((each) => (each.proposal?.certainty ?? 0) >= CERTAIN && rows.isOpen(each)).map((each) => each.url)),
                )
              }
            >
              Select all that are at least {formatPercent(CERTAIN)} certain
            </button>
          </p>
        )}
        <h2 class="visually-hidden">Candidates</h2>
        <ol class="candidates" aria-label="Candidates">
          {list.map((each, index) => (
            <CandidateItem
              key={each.url}
              row={each}
              facet={facet}
              isCurrent={index === current}
              isSelected={selected.has(each.url)}
              isAmbiguous={ambiguous.has(each.url)}
              choose={() => setCurrent(index)}
              toggle={() => toggle(each.url)}
            >
              {!wide && index === current && preview}
            </CandidateItem>
          ))}
        </ol>
        <p class="soft small">
          {ended || more === null
            ? `The end of the list: ${formatCount(total, unit)}.`
            : `${formatNumber(list.length)} of ${formatCount(total, unit)}.`}{" "}
          <button type="button" class="file" onClick={() => whenSaved(reload)}>
            {method ? "Learn again" : "Reload the list"}
          </button>
        </p>
      </div>
      {wide && <aside class="preview-column">{preview}</aside>}
      {shown === "keys" && <KeysDialog close={() => setShown("")} />}
      {shown === "note" && (
        <NoteDialog
          targets={targets}
          facet={facet}
          close={() => setShown("")}
          save={(why) => save(targets, (each) => rows.noteDraft(each, facet, why), true)}
        />
      )}
      {shown === "tag" && (
        <TagDialog
          targets={targets}
          facet={facet}
          facets={facets}
          close={() => setShown("")}
          save={(draft) => save(targets, () => draft, draft.facet !== facet)}
        />
      )}
    </div>
  );
}

/** The rows, and more of them when the current one is near their end. */
function useRows({ source, first, total, more }: Props, current: number) {
  const [list, setList] = useState(first);
  const [ended, setEnded] = useState(first.length >= total);
  const loading = useRef(false);
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    setList(first);
    setEnded(first.length >= total);
  }, [source]);
  useEffect(() => {
    if (more === null || ended || loading.current || current < list.length - LOAD_BEFORE_END) return;
    loading.current = true;
    const controller = new AbortController();
    void whenSaved(async () => {
      try {
        // Rows that are decided on while the request is under way are no longer among the open ones: ask for some rows twice.
        const known = more["show"] === "open" ? latest.current.filter(rows.isOpen) : latest.current;
        const url = apiUrl("curate/candidates", { ...more, offset: Math.max(0, known.length - LOAD_BEFORE_END) });
        const data = await fetchApi<CandidatesResponse>(url, controller.signal, () => {});
        const longer = rows.appendRows(latest.current, data.rows.map(rows.candidateRow));
        setEnded(longer.length === latest.current.length);
        setList((list) => rows.appendRows(list, longer));
      } catch (error) {
        // The rows that are there can be worked on; moving on tries again.
        if (!(error instanceof ApiError || controller.signal.aborted)) throw error;
      } finally {
        loading.current = false;
      }
    });
  }, [current, ended, source]);
  return { list, setList, ended };
}

/** The values of a facet that the digits give. */
function valuesOf(facet: string, facets: readonly FacetSchema[]): readonly string[] {
  if (facet === rows.DECISION) return rows.DECISIONS;
  const known = facets.find((each) => each.facet === facet)?.values ?? [];
  return known.slice(0, MAX_DIGIT).map(({ value }) => value);
}

/** A function that moves the focus to a row once it is drawn. */
function useFocusOfRow(): (index: number) => void {
  const wanted = useRef(-1);
  useEffect(() => {
    if (wanted.current < 0) return;
    const item = document.querySelectorAll<HTMLElement>(".candidates > li")[wanted.current];
    if (!item) return;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
    wanted.current = -1;
  });
  return (index) => {
    wanted.current = index;
  };
}
