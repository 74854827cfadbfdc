/** Limit a screen to pages with a tag, or leave those with a tag out. */

import type { QueryParams } from "../api/client";
import type { Level } from "../api/derived";
import { navigate, type Route, withParams } from "../route";

/** The part of the collection that a screen shows: a level, and tags. */
export type View = QueryParams & { level: Level };

const FILTERS = [
  ["only_tag", "Only tag", "any"],
  ["exclude_tag", "Without tag", "none"],
] as const;

/** The words of a selection about tags that a URL has. */
export function tagParams(search: URLSearchParams): Record<string, readonly string[]> {
  return Object.fromEntries(FILTERS.filter(([name]) => search.has(name)).map(([name]) => [name, search.getAll(name)]));
}

interface Props {
  route: Route;
  /** The values of each facet of tags. */
  facets: Readonly<Record<string, readonly string[]>>;
  /** Parameters that a change removes. */
  resetParams?: readonly string[];
}

/** A choice of tags to keep and to leave out; nothing where nothing is tagged. */
export function TagFilter({ route, facets, resetParams = [] }: Props) {
  if (Object.keys(facets).length === 0) return null;
  const reset = Object.fromEntries(resetParams.map((name) => [name, null]));
  return (
    <form class="tools tag-filter" aria-label="Tags" onSubmit={(event) => event.preventDefault()}>
      {FILTERS.map(([name, label, nothing]) => {
        const given = route.search.getAll(name);
        return (
          <span key={name} class="field inline">
            <label for={name}>{label}</label>
            <select
              id={name}
              value={given.length > 1 ? "several" : (given[0] ?? "")}
              onChange={(event) => navigate(withParams(route, { ...reset, [name]: event.currentTarget.value || null }))}
            >
              <option value="">{nothing}</option>
              {given.length > 1 && <option value="several">{given.join(", ")}</option>}
              {Object.entries(facets).map(([facet, values]) => (
                <optgroup key={facet} label={facet}>
                  {values.map((value) => (
                    <option key={value} value={`${facet}=${value}`}>
                      {facet}: {value}
                    </option>
                  ))}
                </optgroup>
              ))}
            </select>
          </span>
        );
      })}
    </form>
  );
}
