/** The authorities and hubs of a group with their supporting links. */

import type { Role } from "../../api/derived";
import type { GroupDetails, LeadingPage, MicroHubSchema } from "../../api/schemas";
import { ambiguousPages, PageName } from "../../pieces/pageName";
import { AnchorText, Bar, NumberBadge } from "../../pieces/controls";
import { formatCount, formatScore, stripControlChars, textDirection } from "../../pieces/format";
import type { RankChange, TopicChange } from "../topics/compareRuns";
import { MicroHubs, microHubsByPage } from "./microHubs";
import type { GroupsRequest } from "./request";

interface Props {
  request: GroupsRequest;
  role: Role;
  entries: readonly LeadingPage[];
  moves?: ReadonlyMap<string, RankChange> | undefined;
  dropped?: readonly LeadingPage[] | undefined;
  blocks?: ReadonlyMap<string, MicroHubSchema[]>;
}

const [MAX_SHORT_ANCHOR, MAX_ANCHOR] = [80, 240];

/** Both lists side by side; `changes` are those since the previous run. */
export function AuthoritiesAndHubs({ request, group, changes }: { request: GroupsRequest; group: GroupDetails; changes?: TopicChange | undefined }) {
  return (
    <div class="roles">
      <EvidenceList request={request} role="authority" entries={group.authorities} moves={changes?.authorities} dropped={changes?.dropped.authorities} />
      <EvidenceList request={request} role="hub" entries={group.hubs} moves={changes?.hubs} dropped={changes?.dropped.hubs} blocks={microHubsByPage(group)} />
    </div>
  );
}

function EvidenceList({ request, role, entries, moves, dropped = [], blocks }: Props) {
  const { from, noun } = request;
  const ambiguous = ambiguousPages(entries);
  const best = entries[0]?.score ?? 1;
  return (
    <div>
      <h3>{role === "authority" ? "Authorities" : "Hubs"}</h3>
      <p class="soft small">{role === "authority" ? `pages ${noun === "topic" ? "about" : "of"} the ${noun} that its pages link to` : "pages that list several authorities"}</p>
      {entries.length === 0 && <p class="empty">None.</p>}
      <ol class="entries">
        {entries.map((entry) => (
          <li key={entry.url}>
            <span class="place">
              {entry.place}
              {moves && <MoveArrow move={moves.get(entry.url) ?? "same"} />}
            </span>
            <div>
              <PageName pageRef={entry} from={from} fullUrl={ambiguous.has(entry.url)} />
              <Snippet entry={entry} />
              <SupportingLinks role={role} entry={entry} from={from} />
              <MicroHubs blocks={blocks?.get(entry.url) ?? []} from={from} />
              {entry.other_groups.length > 0 && (
                <p class="soft small other-groups">
                  also in{" "}
                  {entry.other_groups.map((number) => (
                    <a key={number} href={request.groupUrl(number)} aria-label={`${noun} ${number}`}>
                      <NumberBadge number={number} />
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
              <li key={entry.url}>
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

function Snippet({ entry }: { entry: LeadingPage }) {
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
function SupportingLinks({ role, entry, from }: { role: Role; entry: LeadingPage; from: string }) {
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
          <li key={link.url}>
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
