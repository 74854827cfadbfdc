/** The search box. */

import { useEffect, useId, useState } from "preact/hooks";
import { buildUrl, navigate, type Route } from "../route";
import { CompletionBox } from "./completionBox";

/** A query, to find its topics or its pages; what is typed is completed to sites and pages. */
export function SearchBox({ route, compact = false }: { route: Route; compact?: boolean }) {
  const current = route.search.get("query") ?? new URLSearchParams(route.search.get("from") ?? "").get("query") ?? "";
  const [text, setText] = useState(current);
  const id = useId();
  useEffect(() => setText(current), [current]);
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
      <CompletionBox
        id={id}
        name="query"
        placeholder={compact ? "Search" : "A word, a name, a subject"}
        text={text}
        onText={setText}
        onChoose={({ kind, value }) =>
          navigate(kind === "page" ? buildUrl("/page", { url: value }) : buildUrl("/search", { query: `site:${value}` }))
        }
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
