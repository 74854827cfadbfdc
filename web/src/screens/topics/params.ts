/** The parameters of the Topics screen, parsed from its URL. */

import type { QueryParams } from "../../api/client";
import { buildUrl, type Route, withParams } from "../../route";

const RESERVED_PARAMS = new Set(["query", "level", "method", "topic", "view", "show", "list", "order", "at", "more", "was"]);

type Options = Record<string, readonly string[]>;

export interface TopicsRequest {
  route: Route;
  query: string;
  level: string;
  method: string;
  options: Options;
  hasOptions: boolean;
  topic: number;
  more: boolean;
  params: QueryParams;
  previous: { method: string; params: QueryParams; description: string } | null;
  /** The query string of this screen, for links that lead back here. */
  from: string;
  clearedOptions: Record<string, null>;
  withOptions: (changes: Record<string, readonly string[] | null>) => string;
  withMethod: (method: string) => string;
}

/** Parse the URL of the Topics screen. */
export function parseTopicsRequest(route: Route, defaultMethod: string): TopicsRequest {
  const { search } = route;
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const method = search.get("method") ?? defaultMethod;
  const options = optionsFromSearch(search);
  const clearedOptions = Object.fromEntries(Object.keys(options).map((name) => [name, null]));
  const previous = search.get("was");
  const current = new URLSearchParams();
  for (const [name, values] of Object.entries(options)) for (const value of values) current.append(name, value);
  if (search.has("method")) current.set("method", method);
  const compared = { was: current.toString() || "default", topic: null };
  return {
    route,
    query,
    level,
    method,
    options,
    hasOptions: Object.keys(options).length > 0 || search.has("method"),
    topic: Math.max(1, Number(search.get("topic") ?? 1) || 1),
    more: search.get("more") === "yes",
    params: { query, level, ...options },
    previous: previous === null ? null : parsePrevious(previous, query, level, defaultMethod),
    from: buildUrl("", { query, level: search.get("level"), method: search.get("method"), ...options }).slice(1),
    clearedOptions,
    withOptions: (changes) => withParams(route, { ...changes, ...compared }),
    withMethod: (name) => withParams(route, { ...clearedOptions, method: name === defaultMethod ? null : name, ...compared }),
  };
}

function parsePrevious(previous: string, query: string, level: string, defaultMethod: string): TopicsRequest["previous"] {
  const search = new URLSearchParams(previous === "default" ? "" : previous);
  const method = search.get("method") ?? defaultMethod;
  const options = optionsFromSearch(search);
  const labels = Object.entries(options).map(([name, values]) => `${name.replaceAll("_", " ")} ${values.join(", ")}`);
  if (search.has("method")) labels.unshift(`method ${method}`);
  return { method, params: { query, level, ...options }, description: labels.join(", ") || "the default options" };
}

function optionsFromSearch(search: URLSearchParams): Options {
  const options: Options = {};
  for (const name of new Set(search.keys())) if (!RESERVED_PARAMS.has(name)) options[name] = search.getAll(name);
  return options;
}
