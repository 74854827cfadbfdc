/** The frame of every screen: name, navigation, search box. */

import { useEffect, useRef, useState } from "preact/hooks";
import { onNewSnapshot } from "./api/client";
import { useApi } from "./api/useApi";
import type { CollectionSummaryResponse } from "./api/schemas";
import { AsyncContent } from "./pieces/loading";
import { SearchBox } from "./pieces/searchBox";
import { type Route, useRoute } from "./route";
import { CommunitiesScreen } from "./screens/communities";
import { HomeScreen } from "./screens/home";
import { HostsScreen } from "./screens/hosts";
import { MapScreen } from "./screens/map";
import { MethodScreen } from "./screens/method";
import { PageScreen } from "./screens/page";
import { RankingScreen } from "./screens/ranking";
import { RankingsScreen } from "./screens/rankings";
import { SearchScreen } from "./screens/search";
import { SitesScreen } from "./screens/sites";
import { StructureScreen } from "./screens/structure";
import { TopicsScreen } from "./screens/topics";

export interface ScreenProps {
  route: Route;
  collection: CollectionSummaryResponse;
}

const SCREENS: Record<string, (props: ScreenProps) => preact.JSX.Element> = {
  "/": HomeScreen,
  "/topics": TopicsScreen,
  "/search": SearchScreen,
  "/page": PageScreen,
  "/map": MapScreen,
  "/communities": CommunitiesScreen,
  "/structure": StructureScreen,
  "/sites": SitesScreen,
  "/hosts": HostsScreen,
  "/rankings": RankingsScreen,
  "/ranking": RankingScreen,
  "/method": MethodScreen,
};
const NAVIGATION: readonly (readonly [string, string, readonly string[]])[] = [
  ["/topics", "Topics", ["/topics", "/search", "/page"]],
  ["/communities", "Communities", ["/communities"]],
  ["/map", "Map", ["/map"]],
  ["/structure", "Structure", ["/structure", "/hosts", "/sites"]],
  ["/rankings", "Rankings", ["/rankings", "/ranking", "/method"]],
];

export function Shell() {
  const route = useRoute();
  const collection = useApi<CollectionSummaryResponse>("collection/summary");
  const Screen = SCREENS[route.path];
  useSearchShortcut();
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <a class="name" href="/" aria-label="Weft: home">
          <img src="/icon.svg" alt="" width="24" height="24" />
          Weft
        </a>
        <nav class="navigation" aria-label="Screens">
          {NAVIGATION.map(([href, label, paths]) => (
            <a key={href} href={href} aria-current={paths.includes(route.path) ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        {route.path !== "/" && <SearchBox route={route} compact />}
      </header>
      <NewSnapshotNotice />
      <main id="main" tabIndex={-1}>
        {Screen ? (
          <AsyncContent response={collection} label="the collection" placeholderLines={8}>
            {(collection) => <Screen route={route} collection={collection} />}
          </AsyncContent>
        ) : (
          <NotFound path={route.path} />
        )}
      </main>
    </>
  );
}

function NotFound({ path }: { path: string }) {
  return (
    <section>
      <h1>Not found</h1>
      <p>
        There is no screen at <code>{path}</code>. <a href="/">Go to the home screen</a>.
      </p>
    </section>
  );
}

/** A notice when the collection has a new snapshot. */
function NewSnapshotNotice() {
  const [snapshot, setSnapshot] = useState(0);
  useEffect(() => onNewSnapshot(setSnapshot), []);
  if (!snapshot) return null;
  return (
    <p class="notice" role="status">
      The collection has changed: it is now at snapshot {snapshot}.{" "}
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </p>
  );
}

/** The key / focuses the search box. */
function useSearchShortcut() {
  const press = useRef((event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = document.querySelector<HTMLInputElement>("input[type=search]");
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  useEffect(() => {
    const listener = press.current;
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);
}
