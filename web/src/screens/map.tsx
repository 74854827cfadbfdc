/** Map: the graph at a level, around a page, or of the topics of a query. */

import type { PageFacts } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { DrawingFigure } from "../draw/figure";
import { Choice, useTitle } from "../pieces/small";
import { bare, called } from "../pieces/words";
import { type Place, changed, go, to } from "../route";
import type { ScreenProps } from "../shell";
import { asking } from "./topics/asking";

const SIZES = ["50", "150", "300", "600", "1000"];

export function MapScreen({ place, facts }: ScreenProps) {
  useTitle("Map");
  const { search } = place;
  const around = search.get("around");
  const nodes = search.get("nodes") ?? "300";
  if (around !== null) return <Neighbourhood place={place} nodes={nodes} url={around} />;
  if (search.has("query") || search.has("topic")) {
    const shown = new URLSearchParams(search);
    for (const name of ["nodes", "node"]) shown.delete(name);
    const ask = asking({ path: "/topics", search: shown }, facts.defaults.topics);
    const topic = Number(search.get("topic") ?? 0);
    return (
      <Screen place={place} nodes={nodes} above="Map of the topics of" heading={ask.query || "everything"}>
        <p>
          <a href={`/topics?${ask.from}`}>← Back to the topics</a>
          {topic > 0 && (
            <>
              {" "}
              · <a href={changed(place, { topic: 0 })}>all topics together</a>
            </>
          )}
        </p>
        <DrawingFigure
          heading={topic ? `Topic ${topic}` : "All topics"}
          path={`topics/${ask.method}/map`}
          params={{ ...ask.params, topic, nodes }}
          place={place}
          from={ask.from}
          tall
        />
      </Screen>
    );
  }
  const level = search.get("level") ?? "host";
  return (
    <Screen place={place} nodes={nodes} above="Map of" heading={facts.name}>
      <Choice
        place={place}
        name="level"
        label="A node is a"
        chosen={level}
        of={[
          ["host", "Hosts"],
          ["domain", "Domains"],
          ["page", "Pages"],
        ]}
      />
      <p class="soft">
        For a picture with meaning begin with a word: <a href="/topics">topics</a> tell apart what is mixed here.
      </p>
      <DrawingFigure heading={`${level}s and their links`.replace(/^./, (first) => first.toUpperCase())} path="graph/level" params={{ level, nodes }} place={place} tall />
    </Screen>
  );
}

/** A page in the middle of those that it is linked with. */
function Neighbourhood({ place, nodes, url }: { place: Place; nodes: string; url: string }) {
  const page = useAsk<PageFacts>("page", { url });
  const named = page.fresh && page.data ? called(page.data) : bare(url);
  return (
    <Screen place={place} nodes={nodes} above="Map around" heading={named}>
      <p class="address">
        <a href={to("/page", { url })}>
          <bdi>{bare(url)}</bdi>
        </a>
      </p>
      <DrawingFigure heading="Its neighbours" path="graph/around" params={{ url, nodes }} place={place} tall />
    </Screen>
  );
}

interface Props {
  place: Place;
  nodes: string;
  above: string;
  heading: string;
  children: preact.ComponentChildren;
}

function Screen({ place, nodes, above, heading, children }: Props) {
  return (
    <section class="map-screen">
      <p class="above">{above}</p>
      <div class="tools">
        <h1>
          <bdi>{heading}</bdi>
        </h1>
        <span class="field across">
          <label for="nodes">At most</label>
          <select id="nodes" value={nodes} onChange={(event) => go(changed(place, { nodes: event.currentTarget.value, node: null }))}>
            {SIZES.map((size) => (
              <option key={size} value={size}>
                {size} nodes
              </option>
            ))}
          </select>
        </span>
      </div>
      {children}
      {place.search.size > 0 && (
        <p class="soft">
          <a href={to("/map")}>Map of the whole collection</a>
        </p>
      )}
    </section>
  );
}
