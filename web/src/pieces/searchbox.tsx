/** The box in which everything begins. */

import { useEffect, useId, useState } from "preact/hooks";
import { type Place, go, to } from "../route";

/** Words to find topics of, or pages by. */
export function SearchBox({ place, small = false }: { place: Place; small?: boolean }) {
  const asked = place.search.get("query") ?? new URLSearchParams(place.search.get("from") ?? "").get("query") ?? "";
  const [words, setWords] = useState(asked);
  const id = useId();
  useEffect(() => setWords(asked), [asked]);
  const path = small && place.path === "/search" ? "/search" : "/topics";
  return (
    <form
      role="search"
      class={small ? "search small" : "search"}
      onSubmit={(event) => {
        event.preventDefault();
        go(to(path, { query: words.trim() }));
      }}
    >
      <label for={id} class="unseen">
        Words to look for
      </label>
      <input
        id={id}
        type="search"
        name="query"
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        placeholder={small ? "Search  ( / )" : "A word, a name, a subject"}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <button type="submit" class={small ? "unseen" : "main"}>
        {path === "/search" ? "Find pages" : "Find topics"}
      </button>
      {!small && (
        <button type="button" onClick={() => go(to("/search", { query: words.trim() }))}>
          Find pages
        </button>
      )}
    </form>
  );
}
