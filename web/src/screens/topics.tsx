/** Topics: what the words mean here, and who speaks for each meaning. */

import { useMemo } from "preact/hooks";
import { address } from "../ask/ask";
import type { TopicFound, TopicsFound } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { DrawingFigure } from "../draw/figure";
import { Answered, Empty, sentence } from "../pieces/answered";
import { Badge, Choice, colour, Files, LEVELS, useTitle } from "../pieces/small";
import { clean, count, number, share } from "../pieces/words";
import { changed, to } from "../route";
import type { ScreenProps } from "../shell";
import { type Asking, asking } from "./topics/asking";
import { Entries } from "./topics/entries";
import { blocksOf } from "./topics/blocks";
import { Members } from "./topics/members";
import { labelOf } from "./topics/label";
import { TopicList, tellFacts } from "./topics/list";
import { type Moved, moved } from "./topics/moved";
import { Options, Story } from "./topics/options";

const MOST_TOPICS = 20;
const ALL_TOPICS = 100;
const FEW = 10;
const MORE = 50;

export function TopicsScreen({ place, facts }: ScreenProps) {
  const ask = asking(place, facts.defaults.topics);
  const listing = { topics: Math.min(Math.max(MOST_TOPICS, ask.topic), ALL_TOPICS), top: FEW };
  const found = useAsk<TopicsFound>(`topics/${ask.method}`, { ...ask.params, ...listing });
  const was = useAsk<TopicsFound>(ask.was && `topics/${ask.was.method}`, { ...ask.was?.params, ...listing });
  const both = found.fresh && was.fresh && ask.was ? [found.data, was.data] : [];
  const moves = useMemo(() => (both[0] && both[1] ? moved(both[0], both[1]) : undefined), [both[0], both[1]]);
  useTitle(ask.query ? `Topics of ${ask.query}` : "Topics of everything");
  return (
    <div class="topics-screen">
      <section>
        <p class="above">Topics of</p>
        <h1>
          <bdi>{ask.query || "everything"}</bdi>
        </h1>
        {!ask.query && <Levels asking={ask} />}
        <details class="base" open={ask.options_set || ask.was !== null}>
          <summary>Base set and method: {ask.method}</summary>
          <Options asking={ask} />
        </details>
      </section>
      <Answered asked={found} what={ask.query ? `the topics of ${ask.query}` : "the topics of everything"} lines={12}>
        {(data) => (
          <>
            <Story found={data} />
            {ask.was && both[0] && both[1] && moves && <Changes asking={ask} now={both[0]} was={both[1]} moves={moves} />}
            {data.topics.length === 0 ? (
              <NoTopics asking={ask} found={data} />
            ) : (
              <Chosen asking={ask} found={data} moves={moves} />
            )}
          </>
        )}
      </Answered>
    </div>
  );
}

function Levels({ asking }: { asking: Asking }) {
  return (
    <Choice
      place={asking.place}
      name="level"
      label="Topics among"
      chosen={asking.level}
      of={LEVELS}
    />
  );
}

/** Why there is no topic, and what can help: where no page has the words, no option does. */
function NoTopics({ asking, found }: { asking: Asking; found: TopicsFound }) {
  const spoken = found.provenance.note;
  const helps =
    asking.query && found.base.pages === 0 ? (
      "Try fewer or other words."
    ) : asking.query ? (
      <>
        Try other words, a larger root set, or <a href={to("/search", { query: asking.query })}>look at the pages found</a>.
      </>
    ) : null;
  return (
    <Empty>
      {sentence(clean(found.note || "no topics were found"))} {helps} {spoken && sentence(clean(spoken))}
    </Empty>
  );
}

/** What is different from the run before. */
function Changes({ asking, now, was, moves }: { asking: Asking; now: TopicsFound; was: TopicsFound; moves: Moved }) {
  const fresh = [...moves.of.values()].filter((one) => !one.before).length;
  const pages = now.base.pages - was.base.pages;
  const sign = pages > 0 ? "+" : "−";
  return (
    <p class="changes" role="status">
      Compared with {asking.was?.words}: base set {number(was.base.pages)} → {number(now.base.pages)} pages
      {pages !== 0 && ` (${sign}${number(Math.abs(pages))})`}, topics {was.total} → {now.total}
      {fresh > 0 && `, ${fresh} new`}
      {moves.gone.length > 0 && `, ${moves.gone.length} gone`}. <a href={changed(asking.place, { was: null })}>Stop comparing</a>
    </p>
  );
}

function Chosen({ asking, found, moves }: { asking: Asking; found: TopicsFound; moves: Moved | undefined }) {
  const chosen = found.topics.find((topic) => topic.topic === asking.topic) ?? found.topics[0]!;
  const number_ = chosen.topic;
  const top = asking.more ? MORE : FEW;
  const detail = useAsk<TopicFound>(number_ === 1 && !asking.more ? null : `topics/${asking.method}/topic`, {
    ...asking.params,
    topic: number_,
    top,
  });
  const told = detail.fresh ? detail.data?.topic : undefined;
  const topic = told && told.topic === number_ && told.label === chosen.label ? told : chosen;
  const own = moves?.of.get(number_);
  const list = asking.place.search.get("list");
  return (
    <div class={asking.place.search.get("view") === "treemap" ? "above-all" : "beside"}>
      <TopicList asking={asking} found={found} chosen={number_} moved={moves} />
      <section class={`topic ${colour(number_)}`} aria-label={`Topic ${number_}`}>
        <h2>
          <Badge topic={number_} /> <bdi>{labelOf(topic)}</bdi>
        </h2>
        {asking.topic !== number_ && (
          <p class="changes" role="status">
            There is no topic {number(asking.topic)}: there {found.total === 1 ? "is one" : `are ${number(found.total)}`}. This is topic {number_}.
          </p>
        )}
        <TopicFacts asking={asking} found={found} topic={topic} />
        {list === "pages" || list === "sites" ? (
          <Members asking={asking} topic={number_} level={found.level} what={list} />
        ) : (
          <div class="roles">
            <Entries role="authority" entries={topic.authorities} place={asking.place} from={asking.from} moves={own?.authorities} gone={own?.gone.authorities} />
            <Entries role="hub" entries={topic.hubs} place={asking.place} from={asking.from} moves={own?.hubs} gone={own?.gone.hubs} blocks={blocksOf(topic)} />
          </div>
        )}
        <p class="tools soft">
          {topic.pages > FEW && !list && (
            <a href={changed(asking.place, { more: asking.more ? null : "yes" })}>{asking.more ? "Fewer pages" : "More pages"}</a>
          )}
          <span>Keep all topics:</span>
          <span>
            <Files path={`topics/${asking.method}`} params={{ ...asking.params, topics: 100 }} formats={["csv"]} />
            <a class="file" href={address(`topics/${asking.method}/report`, asking.params)} download>
              Report
            </a>
          </span>
        </p>
        <DrawingFigure
          heading="Who points to whom"
          path={`topics/${asking.method}/map`}
          params={{ ...asking.params, topic: number_ }}
          place={asking.place}
          from={asking.from}
          open={to("/map", { ...Object.fromEntries(new URLSearchParams(asking.from)), topic: number_ })}
        />
      </section>
    </div>
  );
}

function TopicFacts({ asking, found, topic }: { asking: Asking; found: TopicsFound; topic: TopicsFound["topics"][number] }) {
  const [pages, ...rest] = tellFacts(topic, found.level);
  const shared = found.overlap.filter((row) => row.topic === topic.topic || row.other === topic.topic);
  return (
    <div class="facts">
      <p>
        <a href={`${changed(asking.place, { list: "pages", order: null, at: null })}#members`}>{pages}</a>
        {rest.map((fact) => (
          <span key={fact}>
            {" · "}
            {/ sites?$/.test(fact) ? <a href={`${changed(asking.place, { list: "sites", order: null, at: null })}#members`}>{fact}</a> : fact}
          </span>
        ))}
        {topic.title && labelOf(topic) !== clean(topic.title) && (
          <>
            {" "}
            · best hub <i>{clean(topic.title)}</i>
          </>
        )}
      </p>
      {shared.length > 0 && (
        <p class="small">
          Shares pages with{" "}
          {shared.slice(0, 5).map((row) => {
            const other = row.topic === topic.topic ? row.other : row.topic;
            return (
              <a key={other} href={changed(asking.place, { topic: other, at: null })} title={`${count(row.pages, found.level)}, ${share(row.share)} of the smaller`}>
                <Badge topic={other} /> {number(row.pages)}{" "}
              </a>
            );
          })}
        </p>
      )}
    </div>
  );
}
