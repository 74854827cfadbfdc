/** The search box. */

import { useEffect, useId, useState } from "preact/hooks";
import { buildUrl, navigate, type Route } from "../route";

/** A query, to find its topics or its pages. */
export function SearchBox({ route, compact = false }: { route: Route; compact?: boolean }) {
  const current = route.search.get("query") ?? new URLSearchParams(route.search.get("from") ?? "").get("query") ?? "";
  const [text, setWords] = useState(current);
  const id = useId();
  useEffect(() => setWords(current), [current]);
  const path = compact && route.path === "/search" ? "/search" : "/topics";
  return (
    <form
      role="search"
      class={compact ? "search small" : "search"}
      onSubmit={(event) => {
        event.preventDefault();
        navigate(buildUrl(path, { query: text.trim() }));
      }}
    >
      <label for={id} class="visually-hidden">
        Search words
      </label>
      <input
        id={id}
        type="search"
        name="query"
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        placeholder={compact ? "Search  ( / )" : "A word, a name, a subject"}
        value={text}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <button type="submit" class={compact ? "visually-hidden" : "main"}>
        {path === "/search" ? "Find pages" : "Find topics"}
      </button>
      {!compact && (
        <button type="button" onClick={() => navigate(buildUrl("/search", { query: text.trim() }))}>
          Find pages
        </button>
      )}
    </form>
  );
}
