/** The facets of a search: values with counts that narrow it down. */

import type { FacetCounts } from "../../api/schemas";
import { nextPeriod } from "../../pieces/histogram";
import { formatNumber, languageName, stripControlChars } from "../../pieces/format";
import { type Route, withParams } from "../../route";

const NAMES: Record<string, string> = { type: "type", status: "HTTP status", folder: "folder" };
const TAG_PREFIX = "tag:";
/** The parameters of the address that limit a search. */
export const FILTER_PARAMS = ["site", "language", "year", "type", "status", "folder", "tag", "since", "until"] as const;

interface Filter {
  param: string;
  value: string;
}

/** How a value is written: languages by their names. */
function valueName(facet: string, value: string): string {
  return facet === "language" ? languageName(value) : stripControlChars(value);
}

/** The filter of a value: tags are one parameter, FACET=VALUE. */
function toFilter(facet: string, value: string): Filter {
  if (!facet.startsWith(TAG_PREFIX)) return { param: facet, value };
  return { param: "tag", value: `${facet.slice(TAG_PREFIX.length)}=${value}` };
}

/** The address with a filter added, or taken away if it is there. */
export function toggleFilter(route: Route, { param, value }: Filter): string {
  const given = route.search.getAll(param);
  const values = given.includes(value) ? given.filter((each) => each !== value) : [...given, value];
  return withParams(route, { [param]: values, offset: null, all: null });
}

export function filterParams(search: URLSearchParams): Record<string, readonly string[]> {
  return Object.fromEntries(FILTER_PARAMS.filter((name) => search.has(name)).map((name) => [name, search.getAll(name)]));
}

/** Facets of one value do not narrow anything down, unless it was chosen. */
export function FacetList({ route, facets }: { route: Route; facets: readonly FacetCounts[] }) {
  const isChosen = (facet: string, value: string) => {
    const filter = toFilter(facet, value);
    return route.search.getAll(filter.param).includes(filter.value);
  };
  const severalSites = facets.some(({ name, values }) => name === "site" && values.length > 1);
  const useful = facets
    .filter(({ name, values }) => values.length > 1 || values.some(({ value }) => isChosen(name, value)))
    .filter(({ name }) => name !== "folder" || !severalSites || route.search.has("folder"));
  if (useful.length === 0) return null;
  return (
    <nav class="facets" aria-label="Filters">
      {useful.map((facet) => (
        <section key={facet.name} class="facet">
          <h2>{facet.name.startsWith(TAG_PREFIX) ? `tag ${facet.name.slice(TAG_PREFIX.length)}` : (NAMES[facet.name] ?? facet.name)}</h2>
          <ul class="plain">
            {facet.values.map(({ value, pages }) => (
              <li key={value}>
                <a href={toggleFilter(route, toFilter(facet.name, value))} aria-current={isChosen(facet.name, value) ? "true" : undefined}>
                  <bdi>{valueName(facet.name, value)}</bdi>
                </a>
                <span class="facet-count">{formatNumber(pages)}</span>
              </li>
            ))}
          </ul>
          {facet.more_values > 0 && (
            <p class="soft small">
              {route.search.get("all") === "yes" ? (
                `and ${formatNumber(facet.more_values)} more`
              ) : (
                <a href={withParams(route, { all: "yes" })}>{formatNumber(facet.more_values)} more</a>
              )}
            </p>
          )}
        </section>
      ))}
    </nav>
  );
}

/** The time between two dates: a day, month or year by its name where they are its limits. */
export function periodName(since: string | null, until: string | null): string {
  if (!since) return `before ${until}`;
  if (!until) return `since ${since}`;
  return nextPeriod(since) === until ? since : `from ${since} to before ${until}`;
}

/** The filters in force, each with a link that takes it away. */
export function FilterChips({ route }: { route: Route }) {
  const dates = ["since", "until"].filter((name) => route.search.has(name));
  const filters = FILTER_PARAMS.filter((name) => !dates.includes(name)).flatMap((param) =>
    route.search.getAll(param).map((value) => ({ param, value })),
  );
  if (filters.length + dates.length === 0) return null;
  const cleared = Object.fromEntries(FILTER_PARAMS.map((name) => [name, null]));
  return (
    <ul class="chips" aria-label="Filters in force">
      {filters.map((filter) => (
        <li key={`${filter.param} ${filter.value}`}>
          <span class="soft">{NAMES[filter.param] ?? filter.param}</span> <bdi>{valueName(filter.param, filter.value)}</bdi>
          <a class="close" href={toggleFilter(route, filter)} aria-label={`Remove ${filter.param} ${filter.value}`}>
            ×
          </a>
        </li>
      ))}
      {dates.length > 0 && (
        <li>
          <span class="soft">captured</span> {periodName(route.search.get("since"), route.search.get("until"))}
          <a class="close" href={withParams(route, { since: null, until: null, offset: null })} aria-label="Remove the dates">
            ×
          </a>
        </li>
      )}
      {filters.length + Math.min(dates.length, 1) > 1 && (
        <li class="clear-all">
          <a href={withParams(route, { ...cleared, offset: null })}>Clear all</a>
        </li>
      )}
    </ul>
  );
}
