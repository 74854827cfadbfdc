/** The choice of a method of one kind, with what it does. */

import type { Methods } from "../ask/shapes";
import { go, to } from "../route";

/** What the choice changes: the method asked for, and the place of every other. */
interface Asking {
  method: string;
  by(method: string): string;
}

export function MethodField({ kind, methods, asking }: { kind: string; methods: Methods; asking: Asking }) {
  const names = methods.methods.filter((method) => method.kind === kind);
  return (
    <div class="field">
      <label for="method">Method</label>
      <select id="method" value={asking.method} aria-describedby="method-hint" onChange={(event) => go(asking.by(event.currentTarget.value))}>
        {names.map((method) => (
          <option key={method.name}>{method.name}</option>
        ))}
      </select>
      <small id="method-hint">
        {names.find((method) => method.name === asking.method)?.summary} <a href={to("/method", { kind, name: asking.method })}>About {asking.method}</a>
      </small>
    </div>
  );
}
