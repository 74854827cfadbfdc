/** Rename, merge or hide a topic; the changes are kept with the collection. */

import { useState } from "preact/hooks";
import { postApi, refreshScreen } from "../../api/client";
import type { GroupDetails, GroupEditsResponse } from "../../api/schemas";
import { useApi } from "../../api/useApi";
import { formatCount, stripControlChars } from "../../pieces/format";
import { navigate } from "../../route";
import { groupLabel } from "../groups/describe";
import type { GroupsRequest } from "../groups/request";

const MAX_PAGES = 10;
const MAX_LABEL = 120;

interface Props {
  request: GroupsRequest;
  topics: readonly GroupDetails[];
  topic: GroupDetails;
}

export function EditTopic({ request, topics, topic }: Props) {
  const which = { kind: request.kind, query: request.query, level: request.level };
  const edits = useApi<GroupEditsResponse>("group-edits", which);
  const [problem, setProblem] = useState("");
  const [label, setLabel] = useState<string | null>(null);
  const send = async (path: string, body: object, next?: string) => {
    try {
      await postApi(path, { ...which, ...body });
      setProblem("");
      setLabel(null);
      refreshScreen();
      if (next) navigate(next, { replace: true });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const change = (body: object, next?: string) => send("group-edits/add", { pages: leadingUrls(topic), ...body }, next);
  const name = label ?? groupLabel(topic);
  const made = edits.data?.rows.length ?? 0;
  return (
    <details class="edit-topic">
      <summary>Rename, merge or hide</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void change({ action: "rename", label: name.trim() });
        }}
      >
        <label for="topic-name">Name</label>
        <input
          id="topic-name"
          type="text"
          required
          maxLength={MAX_LABEL}
          value={name}
          onInput={(event) => setLabel(event.currentTarget.value)}
        />
        <button type="submit" disabled={name.trim() === groupLabel(topic)}>
          Rename
        </button>
        {topics.length > 1 && (
          <>
            <label for="merge-into">Merge into</label>
            <select
              id="merge-into"
              value=""
              onChange={(event) => {
                const other = topics.find(({ number }) => number === Number(event.currentTarget.value));
                if (!other) return;
                const place = other.number > topic.number ? other.number - 1 : other.number;
                void change({ action: "merge", into: leadingUrls(other) }, request.groupUrl(place));
              }}
            >
              <option value="">choose a topic</option>
              {topics
                .filter(({ number }) => number !== topic.number)
                .map((other) => (
                  <option key={other.number} value={other.number}>
                    {other.number} {groupLabel(other)}
                  </option>
                ))}
            </select>
          </>
        )}
        <button type="button" onClick={() => void change({ action: "hide" }, request.groupUrl(1))}>
          Hide
        </button>
        {made > 0 && (
          <button type="button" onClick={() => void send("group-edits/undo", {})}>
            Undo the last of {formatCount(made, "change")}
          </button>
        )}
      </form>
      <p class="soft small">Changes are kept with the collection, for all methods, and are part of exports and reports.</p>
      {problem && (
        <p class="invalid" role="alert">
          {stripControlChars(problem)}
        </p>
      )}
    </details>
  );
}

/** The pages that a topic is known by: its leading authorities, or else hubs. */
function leadingUrls(topic: GroupDetails): string[] {
  const leaders = topic.authorities.length > 0 ? topic.authorities : topic.hubs;
  return leaders.slice(0, MAX_PAGES).map(({ url }) => url);
}
