/** Communities: their authorities, hubs and members, and the links between them. */

import type { CommunitiesResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { DrawingFigure } from "../draw/drawingFigure";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { QueryForm } from "../pieces/queryForm";
import { DownloadLinks, LEVELS, LinkTabs, useDocumentTitle } from "../pieces/controls";
import { Notes } from "../pieces/notes";
import { ScreenHead } from "../pieces/screenHead";
import { formatCount, formatNumber, formatPercent, formatScore, stripControlChars, toSentence } from "../pieces/format";
import { buildUrl, withParams } from "../route";
import type { ScreenProps } from "../shell";
import { TagFilter } from "../pieces/tagFilter";
import { MethodAgreement } from "./communities/agreement";
import { BridgePages, CommunityPanel } from "./communities/community";
import { LinkMatrix } from "./communities/matrix";
import { HostsWhileWaiting } from "./communities/hostsWhileWaiting";
import { GroupList } from "./groups/list";
import { BaseSetSummary, GroupOptions } from "./groups/options";
import { GROUP_PARAMS, type GroupsRequest, parseGroupsRequest } from "./groups/request";

const [MAX_COMMUNITIES, MAP_ASPECT] = [30, 1.6];
const PERCENT_FACTS = new Set(["links inside"]);

export function CommunitiesScreen({ route, collection }: ScreenProps) {
  const request = parseGroupsRequest("communities", route, collection.defaults.communities);
  const response = useApi<CommunitiesResponse>(`communities/${request.method}`, {
    ...request.params,
    communities: MAX_COMMUNITIES,
    top: 8,
  });
  useDocumentTitle(request.query ? `Communities around ${request.query}` : "Communities");
  return (
    <div class="topics-screen communities-screen">
      <section>
        <ScreenHead kicker="Communities of" heading={request.query ? `pages around ${request.query}` : "the whole collection"}>
          {!request.query && <LinkTabs route={route} name="level" label="Communities of" chosen={request.level} tabs={LEVELS} />}
          <TagFilter route={route} facets={collection.facets} resetParams={GROUP_PARAMS} />
          <QueryForm route={route} query={request.query} verb="Find" resetParams={["community", "members", "node", "with", "links"]} />
        </ScreenHead>
        <details class="base" open={request.hasOptions}>
          <summary>Method and options: {request.method}</summary>
          <GroupOptions request={request} />
        </details>
      </section>
      <AsyncContent
        response={response}
        label={request.query ? `the communities around ${request.query}` : "the communities"}
        placeholderLines={request.query ? 12 : 5}
      >
        {(data) => (
          <>
            <CommunitiesSummary request={request} data={data} />
            {data.communities.length === 0 ? (
              <NoCommunities request={request} data={data} />
            ) : (
              <CommunitiesView request={request} data={data} />
            )}
          </>
        )}
      </AsyncContent>
      {!request.query && <HostsWhileWaiting waiting={response.data === undefined && response.job !== undefined} />}
    </div>
  );
}

const VIEWS = ["one", "matrix", "map"] as const;

function CommunitiesView({ request, data }: { request: GroupsRequest; data: CommunitiesResponse }) {
  const chosen = data.communities.find((community) => community.number === request.number) ?? data.communities[0]!;
  const view = VIEWS.find((name) => name === request.route.search.get("view")) ?? "one";
  return (
    <div class="beside">
      <GroupList
        request={request}
        data={data}
        groups={data.communities}
        chosen={chosen.number}
        tools={<DownloadLinks path={`communities/${request.method}`} params={{ ...request.params, table: "groups" }} formats={["csv"]} />}
      />
      <div>
        <LinkTabs
          route={request.route}
          name="view"
          label="Show"
          chosen={view}
          tabs={[
            ["one", `Community ${chosen.number}`],
            ["matrix", "Link matrix"],
            ["map", "Map"],
          ]}
        />
        {view === "one" && <CommunityPanel request={request} data={data} chosen={chosen} />}
        {view === "matrix" && <LinkMatrix request={request} data={data} chosen={chosen.number} />}
        {view === "map" && <CommunityMap request={request} chosen={chosen.number} />}
        <BridgePages request={request} data={data} />
      </div>
    </div>
  );
}

/** A map of all communities, each in its colour, or of the selected one. */
function CommunityMap({ request, chosen }: { request: GroupsRequest; chosen: number }) {
  const alone = request.route.search.get("map") === "one";
  return (
    <section>
      <DrawingFigure
        heading={alone ? `Community ${chosen} on the map` : "All communities on the map"}
        path={`communities/${request.method}/map`}
        params={{ ...request.params, number: alone ? chosen : 0, aspect: MAP_ASPECT }}
        route={request.route}
        from={request.from}
        tall
      />
      <p>
        {alone ? (
          <a href={withParams(request.route, { map: null, node: null })}>All communities on the map</a>
        ) : (
          <a href={withParams(request.route, { map: "one", node: null })}>Only community {chosen}</a>
        )}
      </p>
    </section>
  );
}

/** Size of the base set and quality of the partition. */
function CommunitiesSummary({ request, data }: { request: GroupsRequest; data: CommunitiesResponse }) {
  const facts = Object.entries(data.facts).filter(([name, value]) => value !== null && typeof value !== "object" && name !== "communities");
  const heading = (
    <>
      {formatNumber(data.assigned_pages)} of <b>{formatCount(data.base.pages, data.level)}</b> in{" "}
      <b>{formatCount(data.total, "community")}</b>
      {data.overlapping && " · a page may be in several"}
      {typeof data.facts["modularity"] === "number" && <> · modularity {data.facts["modularity"].toFixed(2)}</>}
    </>
  );
  return (
    <BaseSetSummary data={data} heading={heading} open={request.route.search.has("beside")}>
      <div>
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {typeof value !== "number"
                  ? stripControlChars(String(value))
                  : PERCENT_FACTS.has(name)
                    ? formatPercent(value)
                    : formatScore(value)}
              </dd>
            </div>
          ))}
        </dl>
        <Notes notes={data.notes} />
        {data.total > 0 && <MethodAgreement request={request} level={data.level} />}
      </div>
    </BaseSetSummary>
  );
}

function NoCommunities({ request, data }: { request: GroupsRequest; data: CommunitiesResponse }) {
  if (data.base.pages === 0)
    return <EmptyMessage>{request.query ? "No page contains these words." : "The collection is empty."}</EmptyMessage>;
  const seeds = data.notes.some((note) => note.startsWith("no seeds"));
  return (
    <EmptyMessage>
      {seeds ? (
        <>
          {request.method} finds the community around seed pages: enter their URLs under <i>Seeds</i>, one per line, or open a page and
          follow <i>Find its community by flow</i>.{" "}
          <a href={buildUrl("/communities", { query: request.query })}>Communities without seeds</a>
        </>
      ) : (
        <>
          {data.notes.length > 0 ? data.notes.map((note) => toSentence(stripControlChars(note))).join(" ") : "No communities were found."}{" "}
          Try other options or <a href={buildUrl("/communities", { query: request.query })}>the default method</a>.
        </>
      )}
    </EmptyMessage>
  );
}
