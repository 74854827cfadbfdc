/** Keyboard shortcuts, and a dialog that lists them. */

import { useEffect, useRef } from "preact/hooks";
import { navigate } from "./route";
import { chooseTheme, chosenTheme, THEMES } from "./theme";

interface Shortcut {
  keys: string;
  meaning: string;
  act: (open: () => void) => void;
}

const GO_TO: Record<string, readonly [string, string]> = {
  h: ["/", "Home"],
  t: ["/topics", "Topics"],
  c: ["/communities", "Communities"],
  m: ["/map", "Map"],
  s: ["/structure", "Structure"],
  r: ["/rankings", "Rankings"],
  e: ["/curate", "Curate"],
  u: ["/usage", "Usage"],
  w: ["/crawl", "Crawl"],
};
const CHORD_MS = 1200;

const SHORTCUTS: readonly Shortcut[] = [
  { keys: "/", meaning: "Search", act: focusSearch },
  { keys: "j", meaning: "Next topic, community or result", act: () => step(1) },
  { keys: "k", meaning: "Previous topic, community or result", act: () => step(-1) },
  { keys: "d", meaning: "Change between system, light and dark colours", act: nextTheme },
  { keys: "?", meaning: "This help", act: (open) => open() },
];

function focusSearch(): void {
  const box = document.querySelector<HTMLInputElement>("form[role=search] input");
  box?.focus();
  box?.select();
}

/** Go to the next item of the list on the screen: a group is opened, a result focused. */
function step(by: 1 | -1): void {
  const groups = [...document.querySelectorAll<HTMLAnchorElement>("nav.topics li > a")];
  const items = groups.length > 0 ? groups : [...document.querySelectorAll<HTMLAnchorElement>(".hits .title")];
  const at = items.findIndex((item) => item.hasAttribute("aria-current") || item === document.activeElement);
  const next = items[Math.min(Math.max(at + by, 0), items.length - 1)];
  next?.focus();
  if (groups.length > 0) next?.click();
}

function nextTheme(): void {
  const at = THEMES.indexOf(chosenTheme());
  chooseTheme(THEMES[(at + 1) % THEMES.length] ?? "auto");
}

/** Acts on a key, or leaves it alone and returns false. */
type KeyHandler = (event: KeyboardEvent) => boolean;

const onScreen: { handler: KeyHandler | null } = { handler: null };

/** Give the screen that is shown keys of its own; they come before those of all screens. */
export function useScreenKeys(handler: KeyHandler): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const own: KeyHandler = (event) => latest.current(event);
    onScreen.handler = own;
    return () => {
      if (onScreen.handler === own) onScreen.handler = null;
    };
  }, []);
}

/** Listens for shortcuts; the dialog opens with ? or with the button of the header. */
export function KeyboardHelp({ opener }: { opener: { current: () => void } }) {
  const dialog = useRef<HTMLDialogElement>(null);
  opener.current = () => dialog.current?.showModal();
  useEffect(() => {
    let chordUntil = 0;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || dialog.current?.open) return;
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select, [role=application]");
      const target = !typing && performance.now() < chordUntil ? GO_TO[event.key] : undefined;
      chordUntil = !typing && event.key === "g" ? performance.now() + CHORD_MS : 0;
      const shortcut = typing ? undefined : SHORTCUTS.find(({ keys }) => keys === event.key);
      if (target) navigate(target[0]);
      else if (onScreen.handler?.(event)) chordUntil = 0;
      else if (shortcut) shortcut.act(opener.current);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <dialog ref={dialog} class="keyboard-help" aria-labelledby="keyboard-help-title">
      <form method="dialog">
        <h2 id="keyboard-help-title">Keyboard</h2>
        <button type="submit" class="close" aria-label="Close">
          ×
        </button>
      </form>
      <dl class="shortcuts">
        {SHORTCUTS.map(({ keys, meaning }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        {Object.entries(GO_TO).map(([key, [, label]]) => (
          <div key={key}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>Go to {label}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd>
          </dt>
          <dd>Move, zoom and reset a map that has the focus</dd>
        </div>
      </dl>
    </dialog>
  );
}
