/** A text field that completes sites and pages while one types. */

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { apiUrl, fetchApi } from "../api/client";
import type { CompletionsResponse } from "../api/schemas";
import { displayName, displayUrl, formatCount, stripControlChars } from "./format";

export interface Completion {
  kind: "site" | "page";
  value: string;
  label: string;
  detail: string;
}

const [MIN_TYPED, PAUSE_MS] = [2, 150];

/** The sites and pages of a response as one list. */
export function toCompletions(data: CompletionsResponse): Completion[] {
  const sites = data.sites.map(({ site, pages }) => ({
    kind: "site" as const,
    value: site,
    label: stripControlChars(site),
    detail: formatCount(pages, "page"),
  }));
  const pages = data.pages.map((page) => ({
    kind: "page" as const,
    value: page.url,
    label: displayName(page),
    detail: displayUrl(page.url),
  }));
  return [...pages, ...sites];
}

/** The completions of a text, once typing pauses; only of some kinds, if they are named. */
function useCompletions(text: string, active: boolean): Completion[] {
  const [found, setFound] = useState<{ text: string; rows: Completion[] }>({ text: "", rows: [] });
  useEffect(() => {
    if (!active || text.trim().length < MIN_TYPED) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      fetchApi<CompletionsResponse>(apiUrl("complete", { text: text.trim().slice(0, 200), top: 5 }), controller.signal, () => {}).then(
        (data) => setFound({ text, rows: toCompletions(data) }),
        () => {}, // a field without completions still works
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, active]);
  return active && text.trim().length >= MIN_TYPED && text.startsWith(found.text) ? found.rows : [];
}

interface Props {
  text: string;
  onText: (text: string) => void;
  onChoose: (completion: Completion) => void;
  kinds?: readonly Completion["kind"][];
  id?: string;
  name?: string;
  placeholder?: string;
}

/** A combobox (ARIA 1.2): arrow keys move through the list, Enter chooses, Escape closes. */
export function CompletionBox({ text, onText, onChoose, kinds, id, name, placeholder }: Props) {
  const listId = useId();
  const ownId = useId();
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const box = useRef<HTMLSpanElement>(null);
  const rows = useCompletions(text, open).filter((row) => !kinds || kinds.includes(row.kind));
  const shown = open && rows.length > 0;
  const choose = (row: Completion) => {
    setOpen(false);
    setAt(-1);
    onChoose(row);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && shown) setOpen(false);
    else if (event.key === "ArrowDown" && rows.length > 0) setAt(Math.min(at + 1, rows.length - 1));
    else if (event.key === "ArrowUp" && at >= 0) setAt(at - 1);
    else if (event.key === "Enter" && shown && rows[at]) choose(rows[at]);
    else return;
    event.preventDefault();
  };
  return (
    <span
      class="completion-box"
      ref={box}
      onFocusOut={(event) => {
        if (!box.current?.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <input
        id={id ?? ownId}
        type="text"
        {...(name && { name })}
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        {...(placeholder && { placeholder })}
        aria-expanded={shown}
        aria-controls={listId}
        aria-autocomplete="list"
        {...(shown && at >= 0 && { "aria-activedescendant": `${listId}-${at}` })}
        value={text}
        onInput={(event) => {
          setOpen(true);
          setAt(-1);
          onText(event.currentTarget.value);
        }}
        onKeyDown={press}
      />
      <div id={listId} class="completions" role="listbox" aria-label="Completions" hidden={!shown}>
        {rows.map((row, k) => (
          <div
            key={`${row.kind} ${row.value}`}
            id={`${listId}-${k}`}
            role="option"
            aria-selected={k === at}
            tabIndex={-1}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(row);
            }}
          >
            <span class="completion-kind">{row.kind}</span>
            <bdi>{row.label}</bdi>
            <span class="completion-detail">
              <bdi>{row.detail}</bdi>
            </span>
          </div>
        ))}
      </div>
    </span>
  );
}
