/** Communities: groups that link among themselves, how they are linked, and who is at the centre of each. */

import type { CommunitiesFound } from "../ask/surveyed";
import { useAsk } from "../ask/use";
import { DrawingFigure } from "../draw/figure";
import { Answered, Empty, sentence } from "../pieces/answered";
import { Around } from "../pieces/around";
import { Choice, LeftOut, LEVELS, useTitle } from "../pieces/small";
import { Notes } from "../pieces/told";
import { clean, count, number, score, share } from "../pieces/words";
import { changed, to } from "../route";
import type { ScreenProps } from "../shell";
import { Agreement } from "./communities/agreement";
import { type Asking, asking } from "./communities/asking";
import { Chosen, Meetings } from "./communities/chosen";
import { CommunityList } from "./communities/list";
import { LinkMatrix } from "./communities/matrix";
import { Meanwhile } from "./communities/meanwhile";
import { Options } from "./communities/options";

const MOST = 30;
const SHARES = new Set(["links inside"]);

export function CommunitiesScreen({ place, facts }: ScreenProps) {
  const ask = asking(place, facts.defaults.communities);
  const found = useAsk<CommunitiesFound>(`communities/${ask.method}`, { ...ask.params, communities: MOST, top: 8 });
  const set = Object.keys(ask.options).length > 0 || place.search.has("method");
  useTitle(ask.query ? `Communities around ${ask.query}` : "Communities");
  return (
    <div class="topics-screen communities-screen">
      <section>
        <p class="above">Communities of</p>
        <h1>
          <bdi>{ask.query ? `pages around ${ask.query}` : "the whole collection"}</bdi>
        </h1>
        <Around place={place} query={ask.query} verb="Find" gone={["community", "members", "node", "with", "links"]} />
        {!ask.query && <Choice place={place} name="level" label="Communities of" chosen={ask.level} of={LEVELS} />}
        <details class="base" open={set}>
          <summary>Method and options: {ask.method}</summary>
          <Options asking={ask} />
        </details>
      </section>
      <Answered asked={found} what={ask.query ? `the communities around ${ask.query}` : "the communities"} lines={ask.query ? 12 : 5}>
        {(data) => (
          <>
            <Story asking={ask} found={data} />
            {data.communities.length === 0 ? <None asking={ask} found={data} /> : <Shown asking={ask} found={data} />}
          </>
        )}
      </Answered>
      {!ask.query && <Meanwhile waiting={found.data === undefined && found.job !== undefined} />}
    </div>
  );
}

const VIEWS = ["one", "matrix", "map"] as const;

function Shown({ asking, found }: { asking: Asking; found: CommunitiesFound }) {
  const chosen = found.communities.find((one) => one.community === asking.community) ?? found.communities[0]!;
  const view = VIEWS.find((name) => name === asking.place.search.get("view")) ?? "one";
  return (
    <div class="beside">
      <CommunityList asking={asking} found={found} chosen={chosen.community} />
      <div>
        <Choice
          place={asking.place}
          name="view"
          label="Show"
          chosen={view}
          of={[
            ["one", `Community ${chosen.community}`],
            ["matrix", "Which links to which"],
            ["map", "Map"],
          ]}
        />
        {view === "one" && <Chosen asking={asking} found={found} chosen={chosen} />}
        {view === "matrix" && <LinkMatrix asking={asking} found={found} chosen={chosen.community} />}
        {view === "map" && <Drawn asking={asking} chosen={chosen.community} />}
        <Meetings asking={asking} found={found} />
      </div>
    </div>
  );
}

/** All communities, each in its colour, or the chosen one alone. */
function Drawn({ asking, chosen }: { asking: Asking; chosen: number }) {
  const alone = asking.place.search.get("map") === "one";
  return (
    <section>
      <DrawingFigure
        heading={alone ? `Community ${chosen} on the map` : "All communities on the map"}
        path={`communities/${asking.method}/map`}
        params={{ ...asking.params, community: alone ? chosen : 0 }}
        place={asking.place}
        from={asking.from}
        tall
      />
      <p>{alone ? <a href={changed(asking.place, { map: null, node: null })}>All communities on the map</a> : <a href={changed(asking.place, { map: "one", node: null })}>Community {chosen} alone</a>}</p>
    </section>
  );
}

/** What was looked at, and how well it divides. */
function Story({ asking, found }: { asking: Asking; found: CommunitiesFound }) {
  const facts = Object.entries(found.facts).filter(([name, value]) => value !== null && typeof value !== "object" && name !== "communities");
  const gone = found.left_out.reduce((sum, left) => sum + left.pages, 0);
  return (
    <details class="story" open={asking.place.search.has("beside")}>
      <summary>
        {number(found.inside)} of <b>{count(found.base.pages, found.level)}</b> in <b>{count(found.total, "community")}</b> · {count(found.base.links, "link")}
        {found.overlapping && " · a page may be in several"}
        {gone > 0 && <> · {count(gone, found.level)} left out</>}
        {found.base.seen > 0 && <> · {number(found.base.seen)} only seen</>}
        {typeof found.facts["modularity"] === "number" && <> · modularity {found.facts["modularity"].toFixed(2)}</>}
      </summary>
      <div class="pair">
        <div>
          <dl>
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{typeof value !== "number" ? clean(String(value)) : SHARES.has(name) ? share(value) : score(value)}</dd>
              </div>
            ))}
          </dl>
          <Notes notes={found.notes} />
          {found.total > 0 && <Agreement asking={asking} level={found.level} />}
        </div>
        <LeftOut rows={found.left_out} />
      </div>
    </details>
  );
}

function None({ asking, found }: { asking: Asking; found: CommunitiesFound }) {
  if (found.base.pages === 0) return <Empty>{asking.query ? "No page has these words." : "The collection is empty: it has no communities yet."}</Empty>;
  const seeds = found.notes.some((note) => note.startsWith("no seeds"));
  return (
    <Empty>
      {seeds ? (
        <>
          {asking.method} looks for the community around some pages: write their addresses under <i>Seeds</i>, one a line, or begin at a page and follow <i>Cut it off by flow, from here</i>.{" "}
          <a href={to("/communities", { query: asking.query })}>Communities without seeds</a>
        </>
      ) : (
        <>
          {found.notes.length > 0 ? found.notes.map((note) => sentence(clean(note))).join(" ") : "No communities were found."} Try other options or <a href={to("/communities", { query: asking.query })}>the usual method</a>.
        </>
      )}
    </Empty>
  );
}
