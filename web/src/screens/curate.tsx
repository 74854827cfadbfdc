/** Curate: decide what belongs to a study, tag it, name entities, and see what that changes. */

import { useEffect, useState } from "preact/hooks";
import type { TagsResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { LinkTabs, useDocumentTitle } from "../pieces/controls";
import { EmptyMessage } from "../pieces/loading";
import { ScreenHead } from "../pieces/screenHead";
import { navigate, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { AllTags } from "./curate/allTags";
import { Candidates } from "./curate/candidates";
import { EntitiesView } from "./curate/entities";
import { TagEffect } from "./curate/effect";
import { DECISION, isRejection } from "./curate/rows";
import { saveQueue } from "./curate/saving";

const VIEWS = [
  ["candidates", "Candidates"],
  ["entities", "Entities"],
  ["tags", "All tags"],
  ["effect", "What changed"],
] as const;
const NAME_KEY = "weft-curator";
const COUNT_DELAY_MS = 1200;
const FACET_PATTERN = "[a-z][a-z0-9_\\-]{0,39}";

export function CurateScreen({ route, collection }: ScreenProps) {
  useDocumentTitle("Curate");
  const view = route.search.get("view") ?? "candidates";
  const facet = route.search.get("facet") ?? DECISION;
  const [by, setBy] = useCuratorName();
  const tags = useApi<TagsResponse>("curate/tags", { top: 1 });
  useRecount(tags.retry, tags.problem !== undefined);
  const facets = (tags.data?.facets ?? []).filter((each) => !isRejection(each.facet));
  const batches = tags.data?.batches;
  useEffect(() => {
    if (batches !== undefined) baseline ??= batches;
  }, [batches]);
  return (
    <div class="curate-screen">
      <section>
        <ScreenHead kicker="Curate" heading={collection.name}>
          <span class="field inline">
            <label for="curator">You are</label>
            <input
              id="curator"
              type="text"
              value={by}
              maxLength={200}
              placeholder="your name"
              onInput={(event) => setBy(event.currentTarget.value)}
            />
          </span>
        </ScreenHead>
        <LinkTabs route={{ ...route, search: new URLSearchParams() }} name="view" label="Views" chosen={view} tabs={VIEWS} />
      </section>
      {view === "candidates" && (
        <Candidates route={route} facet={facet} facets={facets} by={by} collection={collection}>
          <FacetForm
            facet={facet}
            names={facets.map((each) => each.facet)}
            choose={(name) => navigate(withParams(route, { facet: name === DECISION ? null : name }))}
          />
        </Candidates>
      )}
      {view === "entities" && <EntitiesView route={route} />}
      {view === "tags" && <AllTags route={route} by={by} />}
      {view === "effect" && <TagEffect route={route} collection={collection} facets={facets} since={baseline ?? 0} />}
      {!VIEWS.some(([name]) => name === view) && <EmptyMessage>There is no view of this name.</EmptyMessage>}
    </div>
  );
}

/** How many batches of tags there were when this window began to curate. */
let baseline: number | undefined;

/** Count again a moment after decisions were saved, or after counting failed. */
function useRecount(retry: () => void, failed: boolean) {
  const [saved, setSaved] = useState(saveQueue.state.saved);
  const [first] = useState(saved);
  useEffect(() => saveQueue.onChange(() => setSaved(saveQueue.state.saved)), []);
  useEffect(() => {
    if (saved === first && !failed) return;
    const timer = setTimeout(retry, COUNT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [saved, failed]);
}

/** Who decides; the browser remembers it. */
function useCuratorName(): [string, (name: string) => void] {
  const [name, setName] = useState(() => localStorage.getItem(NAME_KEY) ?? "");
  return [
    name,
    (name) => {
      setName(name);
      localStorage.setItem(NAME_KEY, name);
    },
  ];
}

/** The facet to decide on: one in use, or a new one. */
function FacetForm({ facet, names, choose }: { facet: string; names: readonly string[]; choose: (name: string) => void }) {
  const [isNew, setIsNew] = useState(false);
  const known = [...new Set([DECISION, facet, ...names])];
  if (isNew)
    return (
      <form
        class="inline"
        aria-label="New facet"
        onSubmit={(event) => {
          event.preventDefault();
          setIsNew(false);
          choose(String(new FormData(event.currentTarget).get("facet")).trim());
        }}
      >
        <label for="facet">New facet</label>
        <input
          id="facet"
          name="facet"
          type="text"
          required
          pattern={FACET_PATTERN}
          title="lower-case letters, digits and hyphens"
          placeholder="topic"
          autofocus
        />
        <button type="submit">Use it</button>
        <button type="button" onClick={() => setIsNew(false)}>
          Cancel
        </button>
      </form>
    );
  return (
    <form class="inline" aria-label="What to decide on" onSubmit={(event) => event.preventDefault()}>
      <label for="facet">Decide on</label>
      <select
        id="facet"
        value={facet}
        onChange={(event) => (event.currentTarget.value ? choose(event.currentTarget.value) : setIsNew(true))}
      >
        {known.map((name) => (
          <option key={name}>{name}</option>
        ))}
        <option value="">a new facet…</option>
      </select>
    </form>
  );
}
