/** Client-side routing: every state of the workbench has a URL. */

import { useEffect, useState } from "preact/hooks";
import type { QueryParams } from "./api/client";

export interface Route {
  path: string;
  search: URLSearchParams;
}

const watchers = new Set<() => void>();

function currentRoute(): Route {
  return { path: location.pathname, search: new URLSearchParams(location.search) };
}

/** A URL of the workbench; empty parameters are left out. */
export function buildUrl(path: string, params: QueryParams = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === "") continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  const query = search.toString();
  return query ? `${path}?${query}` : path;
}

/** The URL of a route with some parameters changed; null removes one. */
export function withParams(route: Route, changes: QueryParams): string {
  const params: QueryParams = {};
  for (const name of new Set(route.search.keys())) params[name] = route.search.getAll(name);
  return buildUrl(route.path, { ...params, ...changes });
}

/** Go to a URL; `replace` adds no history entry. */
export function navigate(href: string, options: { replace?: boolean } = {}): void {
  const before = location.pathname;
  history[options.replace ? "replaceState" : "pushState"](null, "", href);
  if (location.pathname !== before) {
    scrollTo(0, 0);
    requestAnimationFrame(() => document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true }));
  }
  for (const watcher of watchers) watcher();
  if (location.hash) requestAnimationFrame(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
}

/** The current route, updated as it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = () => setRoute(currentRoute());
    watchers.add(update);
    addEventListener("popstate", update);
    return () => {
      watchers.delete(update);
      removeEventListener("popstate", update);
    };
  }, []);
  return route;
}

/** Follow links within the workbench without reloading it. */
export function interceptLinks(): void {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("a") : null;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!target || !plain || event.defaultPrevented) return;
    const href = target.getAttribute("href") ?? "";
    if (!href.startsWith("/") || href.startsWith("/api/") || target.hasAttribute("download")) return;
    event.preventDefault();
    navigate(href);
  });
}
