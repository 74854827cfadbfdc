/** The frame of every screen: name, navigation, search box. */

import { useEffect, useRef, useState } from "preact/hooks";
import { onNewSnapshot } from "./api/client";
import { useApi } from "./api/useApi";
import type { CollectionSummaryResponse } from "./api/schemas";
import { KeyboardHelp } from "./keyboard";
import { AsyncContent } from "./pieces/loading";
import { SearchBox } from "./pieces/searchBox";
import { type Route, useRoute } from "./route";
import { SCREENS } from "./screens";
import { chooseTheme, THEMES, type Theme, useTheme } from "./theme";

export interface ScreenProps {
  route: Route;
  collection: CollectionSummaryResponse;
}

export function Shell() {
  const route = useRoute();
  const collection = useApi<CollectionSummaryResponse>("collection/summary");
  const screen = SCREENS.find((screen) => screen.path === route.path);
  const Screen = screen?.component;
  const openHelp = useRef(() => {});
  const navigation = useRef<HTMLElement>(null);
  useEffect(() => showCurrent(navigation.current), [route.path]);
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
        <nav ref={navigation} class="navigation" aria-label="Screens">
          {SCREENS.filter((item) => item.label).map((item) => (
            <a key={item.path} href={item.path} aria-current={(screen?.under ?? screen?.path) === item.path ? "page" : undefined}>
              {item.label}
            </a>
          ))}
        </nav>
        {route.path !== "/" && <SearchBox route={route} compact />}
        <span class="header-buttons">
          <ThemeButton />
          <button
            type="button"
            class="icon-button"
            aria-label="Keyboard help"
            title="Keyboard help ( ? )"
            onClick={() => openHelp.current()}
          >
            ?
          </button>
        </span>
      </header>
      <KeyboardHelp opener={openHelp} />
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

/** Scroll the current screen into view where the navigation is wider than its line. */
function showCurrent(navigation: HTMLElement | null): void {
  const current = navigation?.querySelector<HTMLElement>("[aria-current]");
  if (navigation && current) navigation.scrollLeft = current.offsetLeft - navigation.offsetLeft - navigation.clientWidth / 2;
}

const THEME_LABELS: Record<Theme, readonly [string, string]> = {
  auto: ["◐", "Colours: as the system"],
  light: ["☀", "Colours: light"],
  dark: ["☾", "Colours: dark"],
};

function ThemeButton() {
  const { chosen } = useTheme();
  const [sign, label] = THEME_LABELS[chosen];
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={`${label} ( d )`}
      onClick={() => chooseTheme(THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length] ?? "auto")}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
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
