/** The keys of the Curate screen, and the overlay that lists them. */

import { Dialog } from "./dialog";

export type Action =
  | "next"
  | "previous"
  | "extend"
  | "select"
  | "selectNone"
  | "in"
  | "out"
  | "undecided"
  | "value"
  | "clear"
  | "tag"
  | "note"
  | "accept"
  | "reject"
  | "undo"
  | "open"
  | "help";

interface Key {
  action: Action;
  keys: readonly string[];
  shown: string;
  meaning: string;
}

export const KEYS: readonly Key[] = [
  { action: "in", keys: ["i"], shown: "i", meaning: "decide: in" },
  { action: "out", keys: ["o"], shown: "o", meaning: "decide: out" },
  { action: "undecided", keys: ["u"], shown: "u", meaning: "decide: undecided" },
  { action: "value", keys: Array.from("123456789"), shown: "1 – 9", meaning: "give the value with this number" },
  { action: "accept", keys: ["a"], shown: "a", meaning: "accept what is proposed" },
  { action: "reject", keys: ["r"], shown: "r", meaning: "reject what is proposed" },
  { action: "tag", keys: ["t"], shown: "t", meaning: "tag: any facet and value" },
  { action: "note", keys: ["n"], shown: "n", meaning: "write a note" },
  { action: "clear", keys: ["c", "Delete"], shown: "c", meaning: "take the value away" },
  { action: "undo", keys: ["z"], shown: "z", meaning: "undo" },
  { action: "next", keys: ["j", "ArrowDown"], shown: "j or ↓", meaning: "next" },
  { action: "previous", keys: ["k", "ArrowUp"], shown: "k or ↑", meaning: "previous" },
  { action: "select", keys: ["x", " "], shown: "x or space", meaning: "select, or not" },
  { action: "extend", keys: ["J", "Shift+ArrowDown"], shown: "shift ↓", meaning: "select this one and the next" },
  { action: "selectNone", keys: ["Escape"], shown: "esc", meaning: "select none" },
  { action: "open", keys: ["Enter"], shown: "enter", meaning: "open the page" },
  { action: "help", keys: ["?"], shown: "?", meaning: "show these keys" },
];

const ACTIONS = new Map(KEYS.flatMap(({ action, keys }) => keys.map((key) => [key, action] as const)));
const TYPING = "input:not([type=checkbox]), textarea, select, dialog *";
const OWN_KEYS: Record<string, string> = { " ": "button, summary, input", Enter: "a, button, summary" };

type Pressed = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

/** The action of a key, and its digit where it has one. */
export function actionOf(event: Pressed): { action: Action; digit: number } | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
  const action = ACTIONS.get(name);
  return action ? { action, digit: Number(event.key) || 0 } : null;
}

/** Whether a key belongs to what has the focus: to a text field, or Enter to a link. */
export function isTakenBy(target: Element | null, key: string): boolean {
  return target !== null && (target.matches(TYPING) || target.matches(OWN_KEYS[key] ?? ":not(*)"));
}

/** All keys with their meanings. */
export function KeysDialog({ close }: { close: () => void }) {
  return (
    <Dialog heading="Keys" close={close}>
      <dl class="keys">
        {KEYS.map(({ action, shown, meaning }) => (
          <div key={action}>
            <dt>
              <kbd>{shown}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="soft small">Keys act on the selected rows, or on the current one if none is selected.</p>
    </Dialog>
  );
}
