/** The authorities and hubs of a group with their supporting links. */

import type { Role } from "../../api/derived";
import type { GroupDetails, LeadingPage, MicroHubSchema } from "../../api/schemas";
import { hasPages, PageName } from "../../pieces/pageName";
import { AnchorText, Bar, NumberBadge } from "../../pieces/controls";
import { displayUrl, formatCount, formatScore, hostOfUrl, stripControlChars, textDirection } from "../../pieces/format";
import type { RankChange, TopicChange } from "../topics/compareRuns";
import { MicroHubs, microHubsByPage } from "./microHubs";
import type { GroupsRequest } from "./request";

interface Pointing {
  /** The page that is pointed at here or on the map. */
  pointed?: string | null;
  onPoint?: (url: string | null) => void;
}

interface Props extends Pointing {
  request: GroupsRequest;
  role: Role;
  entries: readonly LeadingPage[];
  moves?: ReadonlyMap<string, RankChange> | undefined;
  dropped?: readonly LeadingPage[] | undefined;
  blocks?: ReadonlyMap<string, MicroHubSchema[]>;
}

const MAX_ANCHOR = 240;

/** Both lists side by side; `changes` are those since the previous run. */
export function AuthoritiesAndHubs({
  request,
  group,
  changes,
  ...pointing
}: Pointing & {
  request: GroupsRequest;
  group: GroupDetails;
  changes?: TopicChange | undefined;
}) {
  return (
    <div class={group.hubs.length > 0 ? "roles" : "roles no-hubs"}>
      <EvidenceList
        request={request}
        role="authority"
        entries={group.authorities}
        moves={changes?.authorities}
        dropped={changes?.dropped.authorities}
        {...pointing}
      />
      <EvidenceList
        request={request}
        role="hub"
        entries={group.hubs}
        moves={changes?.hubs}
        dropped={changes?.dropped.hubs}
        blocks={microHubsByPage(group)}
        {...pointing}
      />
    </div>
  );
}

/** Two lines for each page: its title; its site, and how many pages link. The rest unfolds. */
function EvidenceList({ request, role, entries, moves, dropped = [], blocks, pointed, onPoint }: Props) {
  const { from, noun, level } = request;
  const best = entries[0]?.score ?? 1;
  return (
    <div>
      <h3
        title={role === "authority" ? `${level}s that the ${level}s of the ${noun} link to` : `${level}s that link to several authorities`}
      >
        {role === "authority" ? "Authorities" : "Hubs"}
      </h3>
      {entries.length === 0 && <p class="empty">None.</p>}
      <ol class="entries">
        {entries.map((entry) => (
          <li
            key={entry.url}
            class={entry.url === pointed ? "pointed" : undefined}
            onPointerEnter={() => onPoint?.(entry.url)}
            onPointerLeave={() => onPoint?.(null)}
            onFocusIn={() => onPoint?.(entry.url)}
            onFocusOut={() => onPoint?.(null)}
          >
            <span class="place">
              {entry.place}
              {moves && <MoveArrow move={moves.get(entry.url) ?? "same"} />}
            </span>
            <PageName pageRef={entry} from={from} compact />
            <span class="score" title={`score ${formatScore(entry.score)}`}>
              <span class="visually-hidden">score {formatScore(entry.score)}</span>
              <Bar share={entry.score / best} />
            </span>
            <EntryDetails request={request} role={role} entry={entry} blocks={blocks?.get(entry.url) ?? []} />
          </li>
        ))}
      </ol>
      {dropped.length > 0 && (
        <details class="dropped">
          <summary>{formatCount(dropped.length, request.level)} no longer listed</summary>
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

interface DetailsProps {
  request: GroupsRequest;
  role: Role;
  entry: LeadingPage;
  blocks: readonly MicroHubSchema[];
}

/** The site and the number of supporting pages; unfolded the address, a snippet, and which pages with which anchors. */
function EntryDetails({ request, role, entry, blocks }: DetailsProps) {
  const { from, noun } = request;
  const count = formatCount(entry.count, request.level);
  const isPage = !hasPages(entry.kind);
  const remaining = entry.count - entry.links.length;
  return (
    <>
      <details class="evidence">
        <summary>
          {entry.count > 0 && (
            <>
              <span aria-hidden="true">{role === "authority" ? "←" : "→"}</span>
              <span class="visually-hidden">{role === "authority" ? "linked by" : "links to"}</span> {count}
              {isPage && " · "}
            </>
          )}
          {(isPage || entry.count === 0) && <bdi>{hostOfUrl(entry.url)}</bdi>}
        </summary>
        {isPage && (
          <p class="address">
            <bdi>{displayUrl(entry.url)}</bdi>
          </p>
        )}
        <Snippet entry={entry} />
        <p class="soft">
          {entry.count === 0
            ? `no link ${role === "authority" ? "from" : "to"} ${request.level}s of the ${noun}`
            : `${role === "authority" ? "linked by" : "links to"} ${count} on ${formatCount(entry.sites, "site")}`}
        </p>
        {entry.anchors.length > 0 && (
          <p class="anchors soft">
            anchor texts <AnchorTexts anchors={entry.anchors} />
          </p>
        )}
        {entry.links.length > 0 && (
          <ul class="plain">
            {entry.links.map((link) => (
              <li key={link.url}>
                <PageName pageRef={link} from={from} compact />{" "}
                <span class="soft">
                  <AnchorTexts anchors={link.anchors} /> <span class="number">+{formatScore(link.contribution)}</span>
                </span>
              </li>
            ))}
            {remaining > 0 && <li class="soft">and {formatCount(remaining, request.level)} more with smaller contributions</li>}
          </ul>
        )}
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
      </details>
      <MicroHubs blocks={blocks} from={from} />
    </>
  );
}

function AnchorTexts({ anchors }: { anchors: readonly string[] }) {
  return (
    <>
      {anchors.map((anchor, k) => (
        <span key={anchor}>
          {k > 0 && ", "}
          <AnchorText label={anchor} maxLength={MAX_ANCHOR} />
        </span>
      ))}
    </>
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
