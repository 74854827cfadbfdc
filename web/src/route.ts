/** Where the reader is: every state of the page has an address. */

import { useEffect, useState } from "preact/hooks";

export interface Place {
  path: string;
  search: URLSearchParams;
}

type Given = string | number | boolean | readonly string[] | null | undefined;

const watchers = new Set<() => void>();

function here(): Place {
  return { path: location.pathname, search: new URLSearchParams(location.search) };
}

/** An address of the page; what is empty is left out. */
export function to(path: string, params: Record<string, Given> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const told = search.toString();
  return told ? `${path}?${told}` : path;
}

/** The address of the same place with some parameters changed; null takes one away. */
export function changed(place: Place, changes: Record<string, Given>): string {
  const params: Record<string, Given> = {};
  for (const name of new Set(place.search.keys())) params[name] = place.search.getAll(name);
  return to(place.path, { ...params, ...changes });
}

/** Go somewhere; `replace` leaves no trace in the history. */
export function go(href: string, how: { replace?: boolean } = {}): void {
  const before = location.pathname;
  history[how.replace ? "replaceState" : "pushState"](null, "", href);
  if (location.pathname !== before) {
    scrollTo(0, 0);
    requestAnimationFrame(() => document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true }));
  }
  for (const watcher of watchers) watcher();
  if (location.hash) requestAnimationFrame(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
}

/** The place where the reader is, followed as it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const follow = () => setPlace(here());
    watchers.add(follow);
    addEventListener("popstate", follow);
    return () => {
      watchers.delete(follow);
      removeEventListener("popstate", follow);
    };
  }, []);
  return place;
}

/** Follow links to our own places without loading the page anew. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("a") : null;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!target || !plain || event.defaultPrevented) return;
    const href = target.getAttribute("href") ?? "";
    if (!href.startsWith("/") || href.startsWith("/api/") || target.hasAttribute("download")) return;
    event.preventDefault();
    go(href);
  });
}
