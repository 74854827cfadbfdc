/** What is asked of the topics, as it stands in the address. */

import type { Params } from "../../ask/ask";
import { type Place, changed, to } from "../../route";

const OURS = new Set(["query", "level", "method", "topic", "view", "show", "list", "order", "at", "more", "was"]);

type Options = Record<string, readonly string[]>;

export interface Asking {
  place: Place;
  query: string;
  level: string;
  method: string;
  options: Options;
  options_set: boolean;
  topic: number;
  more: boolean;
  params: Params;
  was: { method: string; params: Params; words: string } | null;
  /** The search part of the address, for links that lead back here. */
  from: string;
  cleared: Record<string, null>;
  with: (changes: Record<string, readonly string[] | null>) => string;
  by: (method: string) => string;
}

/** Read the address of the Topics screen; `usual` is the usual method. */
export function asking(place: Place, usual: string): Asking {
  const { search } = place;
  const query = search.get("query") ?? "";
  const level = search.get("level") ?? "page";
  const method = search.get("method") ?? usual;
  const options = optionsIn(search);
  const cleared = Object.fromEntries(Object.keys(options).map((name) => [name, null]));
  const was = search.get("was");
  const here = new URLSearchParams();
  for (const [name, values] of Object.entries(options)) for (const value of values) here.append(name, value);
  if (search.has("method")) here.set("method", method);
  const compared = { was: here.toString() || "usual", topic: null };
  return {
    place,
    query,
    level,
    method,
    options,
    options_set: Object.keys(options).length > 0 || search.has("method"),
    topic: Math.max(1, Number(search.get("topic") ?? 1) || 1),
    more: search.get("more") === "yes",
    params: { query, level, ...options },
    was: was === null ? null : before(was, query, level, usual),
    from: to("", { query, level: search.get("level"), method: search.get("method"), ...options }).slice(1),
    cleared,
    with: (changes) => changed(place, { ...changes, ...compared }),
    by: (name) => changed(place, { ...cleared, method: name === usual ? null : name, ...compared }),
  };
}

function before(was: string, query: string, level: string, usual: string): Asking["was"] {
  const told = new URLSearchParams(was === "usual" ? "" : was);
  const method = told.get("method") ?? usual;
  const options = optionsIn(told);
  const words = Object.entries(options).map(([name, values]) => `${name.replaceAll("_", " ")} ${values.join(", ")}`);
  if (told.has("method")) words.unshift(`method ${method}`);
  return { method, params: { query, level, ...options }, words: words.join(", ") || "the usual options" };
}

function optionsIn(search: URLSearchParams): Options {
  const found: Options = {};
  for (const name of new Set(search.keys())) if (!OURS.has(name)) found[name] = search.getAll(name);
  return found;
}
