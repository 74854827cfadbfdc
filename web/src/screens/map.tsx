/** Map: the graph at a level, around a page, or of the topics of a query. */

import type { PageResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { DrawingFigure } from "../draw/drawingFigure";
import { LinkTabs, useDocumentTitle } from "../pieces/controls";
import { displayName, displayUrl } from "../pieces/format";
import { buildUrl, navigate, type Route, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { parseGroupsRequest } from "./groups/request";

const SIZES = ["50", "150", "300", "600", "1000"];

export function MapScreen({ route, collection }: ScreenProps) {
  useDocumentTitle("Map");
  const { search } = route;
  const around = search.get("around");
  const nodes = search.get("nodes") ?? "300";
  if (around !== null) return <Neighbourhood route={route} nodes={nodes} url={around} />;
  if (search.has("query") || search.has("topic")) {
    const topicSearch = new URLSearchParams(search);
    topicSearch.delete("nodes");
    const request = parseGroupsRequest("topics", { path: "/topics", search: topicSearch }, collection.defaults.topics);
    const topic = Number(search.get("topic") ?? 0);
    return (
      <MapLayout route={route} nodes={nodes} kicker="Map of the topics of" heading={request.query || "the whole collection"}>
        <p>
          <a href={`/topics?${request.from}`}>← Back to the topics</a>
          {topic > 0 && (
            <>
              {" "}
              · <a href={withParams(route, { topic: 0 })}>all topics</a>
            </>
          )}
        </p>
        <DrawingFigure
          heading={topic ? `Topic ${topic}` : "All topics"}
          path={`topics/${request.method}/map`}
          params={{ ...request.params, number: topic, nodes }}
          route={route}
          from={request.from}
          tall
        />
      </MapLayout>
    );
  }
  const level = search.get("level") ?? "host";
  return (
    <MapLayout route={route} nodes={nodes} kicker="Map of" heading={collection.name}>
      <LinkTabs
        route={route}
        name="level"
        label="A node is a"
        chosen={level}
        tabs={[
          ["host", "Hosts"],
          ["domain", "Domains"],
          ["page", "Pages"],
        ]}
      />
      <p class="soft">
        To see the topics separately, search for <a href="/topics">topics</a> first.
      </p>
      <DrawingFigure heading={`${level}s and their links`.replace(/^./, (first) => first.toUpperCase())} path="graph/level" params={{ level, nodes }} route={route} tall />
    </MapLayout>
  );
}

/** A page and its neighbours. */
function Neighbourhood({ route, nodes, url }: { route: Route; nodes: string; url: string }) {
  const page = useApi<PageResponse>("page", { url });
  const name = page.fresh && page.data ? displayName(page.data) : displayUrl(url);
  return (
    <MapLayout route={route} nodes={nodes} kicker="Map around" heading={name}>
      <p class="address">
        <a href={buildUrl("/page", { url })}>
          <bdi>{displayUrl(url)}</bdi>
        </a>
      </p>
      <DrawingFigure heading="Neighbours" path="graph/around" params={{ url, nodes }} route={route} tall />
    </MapLayout>
  );
}

interface Props {
  route: Route;
  nodes: string;
  kicker: string;
  heading: string;
  children: preact.ComponentChildren;
}

function MapLayout({ route, nodes, kicker, heading, children }: Props) {
  return (
    <section class="map-screen">
      <p class="kicker">{kicker}</p>
      <div class="tools">
        <h1>
          <bdi>{heading}</bdi>
        </h1>
        <span class="field inline">
          <label for="nodes">At most</label>
          <select id="nodes" value={nodes} onChange={(event) => navigate(withParams(route, { nodes: event.currentTarget.value, node: null }))}>
            {SIZES.map((size) => (
              <option key={size} value={size}>
                {size} nodes
              </option>
            ))}
          </select>
        </span>
      </div>
      {children}
      {route.search.size > 0 && (
        <p class="soft">
          <a href={buildUrl("/map")}>Map of the whole collection</a>
        </p>
      )}
    </section>
  );
}
