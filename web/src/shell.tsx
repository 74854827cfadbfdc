/** What stands around every screen: the name, the ways, the search box. */

import { useEffect, useRef, useState } from "preact/hooks";
import { onGrowth } from "./ask/ask";
import { useAsk } from "./ask/use";
import type { CollectionBrief } from "./ask/shapes";
import { Answered } from "./pieces/answered";
import { SearchBox } from "./pieces/searchbox";
import { type Place, usePlace } from "./route";
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
  place: Place;
  facts: CollectionBrief;
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
const WAYS: readonly (readonly [string, string, readonly string[]])[] = [
  ["/topics", "Topics", ["/topics", "/search", "/page"]],
  ["/communities", "Communities", ["/communities"]],
  ["/map", "Map", ["/map"]],
  ["/structure", "Structure", ["/structure", "/hosts", "/sites"]],
  ["/rankings", "Rankings", ["/rankings", "/ranking", "/method"]],
];

export function Shell() {
  const place = usePlace();
  const collection = useAsk<CollectionBrief>("collection/brief");
  const Screen = SCREENS[place.path];
  useSlash();
  return (
    <>
      <a class="skip" href="#main">
        Skip to the contents
      </a>
      <header class="top">
        <a class="name" href="/" aria-label="Weft: home">
          <img src="/icon.svg" alt="" width="24" height="24" />
          Weft
        </a>
        <nav class="ways" aria-label="Screens">
          {WAYS.map(([href, words, own]) => (
            <a key={href} href={href} aria-current={own.includes(place.path) ? "page" : undefined}>
              {words}
            </a>
          ))}
        </nav>
        {place.path !== "/" && <SearchBox place={place} small />}
      </header>
      <Grown />
      <main id="main" tabIndex={-1}>
        {Screen ? (
          <Answered asked={collection} what="the collection" lines={8}>
            {(facts) => <Screen place={place} facts={facts} />}
          </Answered>
        ) : (
          <Lost path={place.path} />
        )}
      </main>
    </>
  );
}

function Lost({ path }: { path: string }) {
  return (
    <section>
      <h1>There is no such screen</h1>
      <p>
        Nothing is at <code>{path}</code>. <a href="/">Begin at home</a>.
      </p>
    </section>
  );
}

/** A word when the collection has grown while it is looked at. */
function Grown() {
  const [snapshot, setSnapshot] = useState(0);
  useEffect(() => onGrowth(setSnapshot), []);
  if (!snapshot) return null;
  return (
    <p class="grown" role="status">
      The collection has grown: this is snapshot {snapshot}.{" "}
      <button type="button" onClick={() => location.reload()}>
        Show it anew
      </button>
    </p>
  );
}

/** The key / goes to the search box. */
function useSlash() {
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
