/** Which pages are looked at: all, or those around some words. */

import { type Place, changed, go } from "../route";

/** `gone` names the parameters that make no sense for other pages. */
export function Around({ place, query, verb, gone }: { place: Place; query: string; verb: string; gone: readonly string[] }) {
  return (
    <form
      class="across"
      aria-label="Which pages"
      onSubmit={(event) => {
        event.preventDefault();
        const words = new FormData(event.currentTarget).get("words");
        const away = Object.fromEntries(gone.map((name) => [name, null]));
        go(changed(place, { ...away, query: String(words ?? "").trim(), level: null }));
      }}
    >
      <label for="words">Pages around</label>
      <input id="words" name="words" type="text" key={query} defaultValue={query} placeholder="all pages" maxLength={1000} />
      <button type="submit">{verb}</button>
    </form>
  );
}
