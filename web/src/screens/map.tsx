/** Map: the graph at a level, around a page, or of the topics of a query. */

import type { PageResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { DrawingFigure } from "../draw/drawingFigure";
import { LinkTabs, useDocumentTitle } from "../pieces/controls";
import { displayName, displayUrl } from "../pieces/format";
import { ScreenHead } from "../pieces/screenHead";
import { buildUrl, navigate, type Route, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { parseGroupsRequest } from "./groups/request";

const SIZES = ["50", "150", "300", "600", "1000", "2000"];
const [WIDE_ASPECT, NARROW_ASPECT, NARROW] = [2.2, 1, 640];

/** The width of a map by its height, as the style sheet has it. */
const mapAspect = () => (innerWidth < NARROW ? NARROW_ASPECT : WIDE_ASPECT);
const LEVEL_TABS = [
  ["page", "Pages"],
  ["host", "Hosts"],
  ["domain", "Domains"],
  ["entity", "Entities"],
] as const;
/** What a page belongs to, beside communities and topics: each value is a region. */
const ATTRIBUTE_REGIONS = ["site", "folder", "language", "year"] as const;

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
      <MapLayout
        route={route}
        nodes={nodes}
        kicker={topic ? `Map of topic ${topic} of` : "Map of the topics of"}
        heading={request.query || "the whole collection"}
      >
        <p>
          <a href={`/topics?${request.from}`}>← Back to the topics</a>
          {topic > 0 && (
            <>
              {" "}
              · <a href={withParams(route, { topic: 0 })}>All topics</a>
            </>
          )}
        </p>
        <DrawingFigure
          heading={topic ? `Topic ${topic}` : "All topics"}
          path={`topics/${request.method}/map`}
          params={{ ...request.params, number: topic, nodes, aspect: mapAspect() }}
          route={route}
          from={request.from}
          onRegion={(group) => navigate(request.groupUrl(Number(group)))}
          controls
          tall
        />
      </MapLayout>
    );
  }
  return <CollectionMap route={route} collection={collection} nodes={nodes} />;
}

/** The whole collection: communities, topics or values of an attribute as regions. */
function CollectionMap({ route, collection, nodes }: ScreenProps & { nodes: string }) {
  const level = route.search.get("level") ?? "page";
  const oneSite = (collection.counts["domains"] ?? 0) === 1;
  const regions = level === "page" ? (route.search.get("regions") ?? (oneSite ? "folder" : "communities")) : "communities";
  const choices: [string, string][] = [
    ["communities", "communities"],
    ["topics", "topics"],
    ...ATTRIBUTE_REGIONS.filter((name) => !(oneSite && name === "site")).map((name) => [name, name] as [string, string]),
    ...Object.keys(collection.facets).map((facet) => [`tag:${facet}`, `tag ${facet}`] as [string, string]),
  ];
  const method = regions === "topics" ? collection.defaults.topics : collection.defaults.communities;
  const isGroups = regions === "communities" || regions === "topics";
  const path = isGroups ? `${regions}/${method}/map` : "graph/level";
  const params = { level, nodes, aspect: mapAspect(), ...(isGroups ? { number: 0 } : { group: regions }) };
  const openRegion = (group: string) => {
    if (isGroups)
      return buildUrl(`/${regions}`, { level: level === "page" ? null : level, [regions === "topics" ? "topic" : "community"]: group });
    if (regions.startsWith("tag:")) return buildUrl("/search", { query: "*", tag: `${regions.slice("tag:".length)}=${group}` });
    return buildUrl("/search", { query: "*", [regions]: group });
  };
  return (
    <MapLayout
      route={route}
      nodes={nodes}
      kicker="Map of"
      heading={collection.name}
      choices={
        <>
          <LinkTabs route={withoutNode(route)} name="level" label="A node is a" chosen={level} tabs={LEVEL_TABS} />
          {level === "page" && (
            <span class="field inline">
              <label for="regions">Regions</label>
              <select
                id="regions"
                value={regions}
                onChange={(event) => navigate(withParams(withoutNode(route), { regions: event.currentTarget.value }))}
              >
                {choices.map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </span>
          )}
        </>
      }
    >
      <DrawingFigure
        heading={`${level}s by ${regions.replace("tag:", "tag ").replace("communities", "community").replace("topics", "topic")}`.replace(
          /^./,
          (first) => first.toUpperCase(),
        )}
        path={path}
        params={params}
        route={route}
        onRegion={(group) => navigate(openRegion(group))}
        controls
        tall
      />
    </MapLayout>
  );
}

function withoutNode(route: Route): Route {
  const search = new URLSearchParams(route.search);
  search.delete("node");
  return { ...route, search };
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
      <DrawingFigure heading="Neighbours" path="graph/around" params={{ url, nodes }} route={route} controls tall />
    </MapLayout>
  );
}

interface Props {
  route: Route;
  nodes: string;
  kicker: string;
  heading: string;
  /** What is chosen beside the heading. */
  choices?: preact.ComponentChildren;
  children: preact.ComponentChildren;
}

function MapLayout({ route, nodes, kicker, heading, choices, children }: Props) {
  return (
    <section class="map-screen">
      <ScreenHead kicker={kicker} heading={heading}>
        {choices}
        <span class="field inline">
          <label for="nodes">At most</label>
          <select
            id="nodes"
            value={nodes}
            onChange={(event) => navigate(withParams(route, { nodes: event.currentTarget.value, node: null }))}
          >
            {SIZES.map((size) => (
              <option key={size} value={size}>
                {size} nodes
              </option>
            ))}
          </select>
        </span>
      </ScreenHead>
      {children}
      {(route.search.has("around") || route.search.has("query") || route.search.has("topic")) && (
        <p class="soft">
          <a href={buildUrl("/map")}>Map of the whole collection</a>
        </p>
      )}
    </section>
  );
}
