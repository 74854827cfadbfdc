/** The parameters of the Topics and Communities screens, parsed from their URLs. */

import type { QueryParams } from "../../api/client";
import { buildUrl, type Route, withParams } from "../../route";

/** Parameters of the screens; all others are options of the method or the base set. */
const SCREEN_PARAMS = new Set([
  "query",
  "level",
  "method",
  "topic",
  "community",
  "view",
  "show",
  "node",
  "list",
  "order",
  "at",
  "more",
  "was",
  "members",
  "map",
  "colour",
  "with",
  "links",
  "beside",
  "compare",
  "size",
  "regions",
]);
const NOUNS = { topics: "topic", communities: "community" } as const;
/** What another group, method or option removes. */
const RESET_PARAMS = { topic: null, community: null, more: null, at: null, members: null, node: null, with: null, links: null };

export const GROUP_PARAMS = Object.keys(RESET_PARAMS);

type Options = Record<string, readonly string[]>;

export interface GroupsRequest {
  kind: keyof typeof NOUNS;
  noun: (typeof NOUNS)[keyof typeof NOUNS];
  route: Route;
  query: string;
  level: string;
  method: string;
  options: Options;
  hasOptions: boolean;
  /** The number of the chosen group. */
  number: number;
  params: QueryParams;
  /** The run that this one is compared with; topics only. */
  previous: { method: string; params: QueryParams; description: string } | null;
  /** The query string of the topics, for links that lead back to them. */
  from: string;
  defaultsUrl: string;
  groupUrl: (number: number) => string;
  withOptions: (changes: Record<string, readonly string[] | null>) => string;
  withMethod: (method: string) => string;
}

/** Parse the URL of the Topics or the Communities screen. */
export function parseGroupsRequest(kind: GroupsRequest["kind"], route: Route, defaultMethod: string): GroupsRequest {
  const { search } = route;
  const noun = NOUNS[kind];
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const method = search.get("method") ?? defaultMethod;
  const options = optionsFromSearch(search);
  const cleared = Object.fromEntries(Object.keys(options).map((name) => [name, null]));
  const previous = search.get("was");
  const current = buildUrl("", { ...options, method: search.get("method") }).slice(1);
  const reset = { ...RESET_PARAMS, ...(kind === "topics" && { was: current || "default" }) };
  const topics = { query, level: search.get("level"), method: search.get("method"), ...options };
  return {
    kind,
    noun,
    route,
    query,
    level,
    method,
    options,
    hasOptions: Object.keys(options).length > 0 || search.has("method"),
    number: Math.max(1, Number(search.get(noun) ?? 1) || 1),
    params: { query, level, ...options },
    previous: previous === null ? null : parsePrevious(previous, query, level, defaultMethod),
    from: buildUrl("", kind === "topics" ? topics : { query }).slice(1),
    defaultsUrl: withParams(route, { ...RESET_PARAMS, ...cleared, was: null, method: null }),
    groupUrl: (number) => withParams(route, { ...RESET_PARAMS, [noun]: number === 1 ? null : number }),
    withOptions: (changes) => withParams(route, { ...reset, ...changes }),
    withMethod: (name) => withParams(route, { ...reset, ...cleared, method: name === defaultMethod ? null : name }),
  };
}

function parsePrevious(previous: string, query: string, level: string, defaultMethod: string): GroupsRequest["previous"] {
  const search = new URLSearchParams(previous === "default" ? "" : previous);
  const method = search.get("method") ?? defaultMethod;
  const options = optionsFromSearch(search);
  const labels = Object.entries(options).map(([name, values]) => `${name.replaceAll("_", " ")} ${values.join(", ")}`);
  if (search.has("method")) labels.unshift(`method ${method}`);
  return { method, params: { query, level, ...options }, description: labels.join(", ") || "the default options" };
}

function optionsFromSearch(search: URLSearchParams): Options {
  const names = [...new Set(search.keys())].filter((name) => !SCREEN_PARAMS.has(name));
  return Object.fromEntries(names.map((name) => [name, search.getAll(name)]));
}
