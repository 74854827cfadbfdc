/** A select field for the method, with its summary. */

import type { MethodsResponse } from "../api/schemas";
import { buildUrl, navigate } from "../route";

/** The chosen method, and the URL of any other. */
interface MethodChoice {
  method: string;
  withMethod(method: string): string;
}

export function MethodField({ kind, methods, request }: { kind: string; methods: MethodsResponse; request: MethodChoice }) {
  const names = methods.methods.filter((method) => method.kind === kind);
  return (
    <div class="field">
      <label for="method">Method</label>
      <select
        id="method"
        value={request.method}
        aria-describedby="method-hint"
        onChange={(event) => navigate(request.withMethod(event.currentTarget.value))}
      >
        {names.map((method) => (
          <option key={method.name}>{method.name}</option>
        ))}
      </select>
      <small id="method-hint">
        {names.find((method) => method.name === request.method)?.summary}{" "}
        <a href={buildUrl("/method", { kind, name: request.method })}>About {request.method}</a>
      </small>
    </div>
  );
}
