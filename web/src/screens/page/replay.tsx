/** A link that replays a capture in a web archive; what it leads to can be chosen. */

import { useState } from "preact/hooks";
import { archiveTimestamp, PRESETS, readTemplate, replayUrl, saveTemplate } from "../../replay";

export function ReplayLink({ url, time }: { url: string; time: number }) {
  const href = replayUrl(readTemplate(), url, time);
  if (!href || !/^https?:/i.test(url)) return null;
  return (
    <a
      class="replay-link"
      href={href}
      rel="noreferrer noopener"
      target="_blank"
      title={`Replay the capture of ${archiveTimestamp(time) || "any time"}`}
    >
      Replay ↗
    </a>
  );
}

/** Where captures are replayed: a known archive, or a template of one's own. */
export function ReplaySettings({ onChange }: { onChange: () => void }) {
  const [template, setTemplate] = useState(readTemplate());
  const preset = PRESETS.find((each) => each.template === template)?.name ?? "own";
  const change = (next: string) => {
    setTemplate(next);
    saveTemplate(next);
    onChange();
  };
  const valid = template === "" || replayUrl(template, "http://example.org/", 1) !== "";
  return (
    <details class="replay-settings">
      <summary>Replay links</summary>
      <div class="fields">
        <span class="field">
          <label for="replay-archive">Archive</label>
          <select
            id="replay-archive"
            value={preset}
            onChange={(event) => change(PRESETS.find(({ name }) => name === event.currentTarget.value)?.template ?? template)}
          >
            {PRESETS.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
            <option value="own">another</option>
          </select>
        </span>
        <span class="field replay-template">
          <label for="replay-template">Address of a capture</label>
          <input
            id="replay-template"
            type="text"
            spellcheck={false}
            maxLength={1000}
            value={template}
            aria-invalid={!valid}
            onInput={(event) => change(event.currentTarget.value.trim())}
          />
          <small>
            {"{timestamp}"} stands for 20040531120000, {"{url}"} for the address of the page, {"{url-encoded}"} for it as part of a query.
            It is kept in this browser.
          </small>
          {!valid && (
            <small class="invalid" role="alert">
              The address begins with http:// or https:// and contains the page.
            </small>
          )}
        </span>
      </div>
    </details>
  );
}
