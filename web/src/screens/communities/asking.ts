/** What is asked of the communities, as it stands in the address. */

import type { Params } from "../../ask/ask";
import { type Place, changed, to } from "../../route";

const OURS = new Set(["query", "level", "method", "community", "members", "show", "node", "map", "view", "with", "links", "beside"]);

export interface Asking {
  place: Place;
  query: string;
  level: string;
  method: string;
  options: Record<string, readonly string[]>;
  community: number;
  params: Params;
  /** The search part of the address of a page's topics, for links to pages. */
  from: string;
  choose: (community: number) => string;
  with: (changes: Record<string, readonly string[] | null>) => string;
  by: (method: string) => string;
}

const FRESH = { community: null, members: null, node: null, with: null, links: null };

/** Read the address of the Communities screen; `usual` is the usual method. */
export function asking(place: Place, usual: string): Asking {
  const { search } = place;
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const options = Object.fromEntries([...new Set(search.keys())].filter((name) => !OURS.has(name)).map((name) => [name, search.getAll(name)]));
  const cleared = Object.fromEntries(Object.keys(options).map((name) => [name, null]));
  return {
    place,
    query,
    level,
    method: search.get("method") ?? usual,
    options,
    community: Math.max(1, Number(search.get("community") ?? 1) || 1),
    params: { query, level, ...options },
    from: query ? to("", { query }).slice(1) : "",
    choose: (community) => changed(place, { ...FRESH, community: community === 1 ? null : community }),
    with: (changes) => changed(place, { ...FRESH, ...changes }),
    by: (name) => changed(place, { ...FRESH, ...cleared, method: name === usual ? null : name }),
  };
}
