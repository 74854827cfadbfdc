/** The authorities or hubs of a topic with their supporting links. */

import type { MicroHub, Role } from "../../api/derived";
import type { TopicEvidence } from "../../api/schemas";
import { ambiguousPages, PageName } from "../../pieces/pageName";
import { AnchorText, Bar, NumberBadge } from "../../pieces/controls";
import { formatCount, formatScore, stripControlChars, textDirection } from "../../pieces/format";
import { type Route, withParams } from "../../route";
import { MicroHubs } from "./microHubs";
import type { RankChange } from "./compareRuns";

interface Props {
  role: Role;
  entries: readonly TopicEvidence[];
  route: Route;
  from: string;
  moves?: ReadonlyMap<string, RankChange> | undefined;
  dropped?: readonly TopicEvidence[] | undefined;
  blocks?: ReadonlyMap<string, MicroHub[]>;
}

const [MAX_SHORT_ANCHOR, MAX_ANCHOR] = [80, 240];

export function EvidenceList({ role, entries, route, from, moves, dropped = [], blocks }: Props) {
  const ambiguous = ambiguousPages(entries);
  const best = entries[0]?.score ?? 1;
  return (
    <div>
      <h3>{role === "authority" ? "Authorities" : "Hubs"}</h3>
      <p class="soft small">{role === "authority" ? "pages about the topic that its pages link to" : "pages that list several authorities"}</p>
      {entries.length === 0 && <p class="empty">None.</p>}
      <ol class="entries">
        {entries.map((entry) => (
          <li key={entry.page}>
            <span class="place">
              {entry.place}
              {moves && <MoveArrow move={moves.get(entry.page) ?? "same"} />}
            </span>
            <div>
              <PageName pageRef={entry} from={from} fullUrl={ambiguous.has(entry.page)} />
              <Snippet entry={entry} />
              <SupportingLinks role={role} entry={entry} from={from} />
              <MicroHubs blocks={blocks?.get(entry.page) ?? []} from={from} />
              {entry.other_topics.length > 0 && (
                <p class="soft small other-topics">
                  also in{" "}
                  {entry.other_topics.map((topic) => (
                    <a key={topic} href={withParams(route, { topic })} aria-label={`topic ${topic}`}>
                      <NumberBadge topic={topic} />
                    </a>
                  ))}
                </p>
              )}
            </div>
            <span class="score">
              <span class="visually-hidden">score </span>
              {formatScore(entry.score)}
              <Bar share={entry.score / best} />
            </span>
          </li>
        ))}
      </ol>
      {dropped.length > 0 && (
        <details class="dropped">
          <summary>{formatCount(dropped.length, "page")} no longer listed</summary>
          <ul class="plain">
            {dropped.map((entry) => (
              <li key={entry.page}>
                <span class="arrow dropped">dropped</span> was {entry.place}: <PageName pageRef={entry} from={from} compact />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** The change of a page's place. */
export function MoveArrow({ move }: { move: RankChange }) {
  if (move === "same") return null;
  if (move === "new") return <span class="arrow new">new</span>;
  const text = move > 0 ? `up ${move}` : `down ${-move}`;
  return (
    <span class={move > 0 ? "arrow up" : "arrow down"}>
      <span aria-hidden="true">
        {move > 0 ? "↑" : "↓"}
        {Math.abs(move)}
      </span>
      <span class="visually-hidden">{text}</span>
    </span>
  );
}

function Snippet({ entry }: { entry: TopicEvidence }) {
  const text = stripControlChars(entry.snippet);
  const title = stripControlChars(entry.title);
  const begins = (text.startsWith(title) ? text.slice(title.length) : text).trim();
  return begins ? (
    <p class="snippet" dir={textDirection(begins)}>
      {begins}
    </p>
  ) : null;
}

/** The number of supporting pages, and on demand which, with anchor texts. */
function SupportingLinks({ role, entry, from }: { role: Role; entry: TopicEvidence; from: string }) {
  const sites = formatCount(entry.sites, "site");
  const text =
    role === "authority" ? `linked by ${formatCount(entry.count, "page")} on ${sites}` : `links to ${formatCount(entry.count, "page")} on ${sites}`;
  if (entry.links.length === 0) return <p class="soft small">{text}</p>;
  const remaining = entry.count - entry.links.length;
  return (
    <details class="evidence">
      <summary>
        {text}
        {entry.anchors.length > 0 && (
          <span class="anchors">
            {": "}
            {entry.anchors.slice(0, 3).map((anchors, k) => (
              <span key={anchors}>
                {k > 0 && ", "}
                <AnchorText label={anchors} maxLength={MAX_SHORT_ANCHOR} />
              </span>
            ))}
          </span>
        )}
      </summary>
      <ul class="plain">
        {entry.links.map((link) => (
          <li key={link.page}>
            <PageName pageRef={link} from={from} compact />
            {link.anchors.length > 0 && (
              <span class="soft">
                {" "}
                {"anchor text"}{" "}
                {link.anchors.map((anchor, k) => (
                  <span key={anchor}>
                    {k > 0 && ", "}
                    <AnchorText label={anchor} maxLength={MAX_ANCHOR} />
                  </span>
                ))}
              </span>
            )}{" "}
            <span class="soft number">+{formatScore(link.contribution)}</span>
          </li>
        ))}
        {remaining > 0 && <li class="soft">and {formatCount(remaining, "page")} more with smaller contributions</li>}
      </ul>
    </details>
  );
}
