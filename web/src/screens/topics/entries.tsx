/** The authorities or the hubs of a topic, each with what speaks for it. */

import type { Evidence, MicroHub, Role } from "../../ask/shapes";
import { PageName, twins } from "../../pieces/names";
import { Badge, Bar, Quote } from "../../pieces/small";
import { clean, count, direction, score } from "../../pieces/words";
import { type Place, changed } from "../../route";
import { Blocks } from "./blocks";
import type { Move } from "./moved";

interface Props {
  role: Role;
  entries: readonly Evidence[];
  place: Place;
  from: string;
  moves?: ReadonlyMap<string, Move> | undefined;
  gone?: readonly Evidence[] | undefined;
  blocks?: ReadonlyMap<string, MicroHub[]>;
}

const [BRIEF, LONG] = [80, 240];

export function Entries({ role, entries, place, from, moves, gone = [], blocks }: Props) {
  const same = twins(entries);
  const best = entries[0]?.score ?? 1;
  return (
    <div>
      <h3>{role === "authority" ? "Authorities" : "Hubs"}</h3>
      <p class="soft small">{role === "authority" ? "pages that good hubs point to" : "pages that point to good authorities"}</p>
      {entries.length === 0 && <p class="empty">None.</p>}
      <ol class="entries">
        {entries.map((entry) => (
          <li key={entry.page}>
            <span class="place">
              {entry.place}
              {moves && <Arrow move={moves.get(entry.page) ?? "same"} />}
            </span>
            <div>
              <PageName named={entry} from={from} whole={same.has(entry.page)} />
              <Snippet entry={entry} />
              <Speaks role={role} entry={entry} from={from} />
              <Blocks blocks={blocks?.get(entry.page) ?? []} from={from} />
              {entry.also.length > 0 && (
                <p class="soft small also">
                  also in{" "}
                  {entry.also.map((topic) => (
                    <a key={topic} href={changed(place, { topic })} aria-label={`topic ${topic}`}>
                      <Badge topic={topic} />
                    </a>
                  ))}
                </p>
              )}
            </div>
            <span class="score">
              <span class="unseen">score </span>
              {score(entry.score)}
              <Bar share={entry.score / best} />
            </span>
          </li>
        ))}
      </ol>
      {gone.length > 0 && (
        <details class="gone">
          <summary>{count(gone.length, "page")} no longer listed</summary>
          <ul class="plain">
            {gone.map((entry) => (
              <li key={entry.page}>
                <span class="arrow gone">gone</span> was {entry.place}: <PageName named={entry} from={from} plain />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Which way a page moved. */
export function Arrow({ move }: { move: Move }) {
  if (move === "same") return null;
  if (move === "new") return <span class="arrow new">new</span>;
  const words = move > 0 ? `up ${move}` : `down ${-move}`;
  return (
    <span class={move > 0 ? "arrow up" : "arrow down"}>
      <span aria-hidden="true">
        {move > 0 ? "↑" : "↓"}
        {Math.abs(move)}
      </span>
      <span class="unseen">{words}</span>
    </span>
  );
}

function Snippet({ entry }: { entry: Evidence }) {
  const words = clean(entry.snippet);
  const title = clean(entry.title);
  const begins = (words.startsWith(title) ? words.slice(title.length) : words).trim();
  return begins ? (
    <p class="snippet" dir={direction(begins)}>
      {begins}
    </p>
  ) : null;
}

/** How many pages speak for it, and on demand which, in what words. */
function Speaks({ role, entry, from }: { role: Role; entry: Evidence; from: string }) {
  const sites = count(entry.sites, "site");
  const words =
    role === "authority" ? `linked by ${count(entry.count, "hub")} on ${sites}` : `links to ${count(entry.count, "authority")} on ${sites}`;
  if (entry.links.length === 0) return <p class="soft small">{words}</p>;
  const rest = entry.count - entry.links.length;
  return (
    <details class="speaks">
      <summary>
        {words}
        {entry.said.length > 0 && (
          <span class="said">
            {": "}
            {entry.said.slice(0, 3).map((said, k) => (
              <span key={said}>
                {k > 0 && ", "}
                <Quote words={said} most={BRIEF} />
              </span>
            ))}
          </span>
        )}
      </summary>
      <ul class="plain">
        {entry.links.map((link) => (
          <li key={link.page}>
            <PageName named={link} from={from} plain />
            {link.anchors.length > 0 && (
              <span class="soft">
                {" "}
                {role === "authority" ? "says" : "called"}{" "}
                {link.anchors.map((anchor, k) => (
                  <span key={anchor}>
                    {k > 0 && ", "}
                    <Quote words={anchor} most={LONG} />
                  </span>
                ))}
              </span>
            )}{" "}
            <span class="soft number">+{score(link.amount)}</span>
          </li>
        ))}
        {rest > 0 && <li class="soft">and {count(rest, "page")} more, each bringing less</li>}
      </ul>
    </details>
  );
}
