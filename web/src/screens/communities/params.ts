/** The parameters of the Communities screen, parsed from its URL. */

import type { QueryParams } from "../../api/client";
import { buildUrl, type Route, withParams } from "../../route";

const RESERVED_PARAMS = new Set(["query", "level", "method", "community", "members", "show", "node", "map", "view", "with", "links", "beside"]);

export interface CommunitiesRequest {
  route: Route;
  query: string;
  level: string;
  method: string;
  options: Record<string, readonly string[]>;
  community: number;
  params: QueryParams;
  /** The query string of the topics of the same query, for links to pages. */
  from: string;
  communityUrl: (community: number) => string;
  withOptions: (changes: Record<string, readonly string[] | null>) => string;
  withMethod: (method: string) => string;
}

const RESET_PARAMS = { community: null, members: null, node: null, with: null, links: null };

/** Parse the URL of the Communities screen. */
export function parseCommunitiesRequest(route: Route, defaultMethod: string): CommunitiesRequest {
  const { search } = route;
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const options = Object.fromEntries([...new Set(search.keys())].filter((name) => !RESERVED_PARAMS.has(name)).map((name) => [name, search.getAll(name)]));
  const cleared = Object.fromEntries(Object.keys(options).map((name) => [name, null]));
  return {
    route,
    query,
    level,
    method: search.get("method") ?? defaultMethod,
    options,
    community: Math.max(1, Number(search.get("community") ?? 1) || 1),
    params: { query, level, ...options },
    from: query ? buildUrl("", { query }).slice(1) : "",
    communityUrl: (community) => withParams(route, { ...RESET_PARAMS, community: community === 1 ? null : community }),
    withOptions: (changes) => withParams(route, { ...RESET_PARAMS, ...changes }),
    withMethod: (name) => withParams(route, { ...RESET_PARAMS, ...cleared, method: name === defaultMethod ? null : name }),
  };
}
