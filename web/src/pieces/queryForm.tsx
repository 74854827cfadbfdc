/** A form to choose the pages: all, or those around a query. */

import { navigate, type Route, withParams } from "../route";

/** `resetParams` are removed when the query changes. */
export function QueryForm({
  route,
  query,
  verb,
  resetParams,
}: {
  route: Route;
  query: string;
  verb: string;
  resetParams: readonly string[];
}) {
  return (
    <form
      class="inline"
      aria-label="Pages to analyse"
      onSubmit={(event) => {
        event.preventDefault();
        const text = new FormData(event.currentTarget).get("words");
        const reset = Object.fromEntries(resetParams.map((name) => [name, null]));
        navigate(withParams(route, { ...reset, query: String(text ?? "").trim(), level: null }));
      }}
    >
      <label for="words">Pages around</label>
      <input id="words" name="words" type="text" key={query} defaultValue={query} placeholder="all pages" maxLength={1000} />
      <button type="submit">{verb}</button>
    </form>
  );
}
