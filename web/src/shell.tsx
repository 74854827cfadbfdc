/** The frame of every screen: name, navigation, search box. */

import { useEffect, useRef, useState } from "preact/hooks";
import { onNewSnapshot } from "./api/client";
import { useApi } from "./api/useApi";
import type { CollectionSummaryResponse } from "./api/schemas";
import { AsyncContent } from "./pieces/loading";
import { SearchBox } from "./pieces/searchBox";
import { type Route, useRoute } from "./route";
import { SCREENS } from "./screens";

export interface ScreenProps {
  route: Route;
  collection: CollectionSummaryResponse;
}


export function Shell() {
  const route = useRoute();
  const collection = useApi<CollectionSummaryResponse>("collection/summary");
  const screen = SCREENS.find((screen) => screen.path === route.path);
  const Screen = screen?.component;
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
          {SCREENS.filter((item) => item.label).map((item) => (
            <a key={item.path} href={item.path} aria-current={(screen?.under ?? screen?.path) === item.path ? "page" : undefined}>
              {item.label}
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
