/** Home: what there is, and what to do next. */

import type { ComponentChildren } from "preact";
import type { CollectionBrief, CollectionFacts } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { Answered } from "../pieces/answered";
import { HostTable } from "../pieces/hosttable";
import { SearchBox } from "../pieces/searchbox";
import { useTitle } from "../pieces/small";
import { clean, count, number } from "../pieces/words";
import { to } from "../route";
import type { ScreenProps } from "../shell";

export function HomeScreen({ place, facts }: ScreenProps) {
  useTitle(facts.name);
  const counts = facts.counts;
  const pages = (counts["fetched"] ?? 0) + (counts["listed"] ?? 0);
  const more = useAsk<CollectionFacts>("collection");
  return (
    <div class="home">
      <section class="welcome">
        <p class="above">{facts.name}</p>
        <h1>What is it about, and who says so?</h1>
        <p class="lead">
          Give a word. Weft finds the topics behind it in this collection, and for each the pages that others point to
          and the pages that point well.
        </p>
        <SearchBox place={place} />
      </section>
      <Numbers counts={counts} pages={pages} />
      {pages === 0 ? <NoPages name={facts.name} /> : <Next facts={facts} />}
      {pages > 0 && (
        <section>
          <h2>Largest hosts</h2>
          <Answered asked={more} what="the largest hosts" lines={10}>
            {(told) => <HostTable rows={told.hosts} />}
          </Answered>
          <p>
            <a href="/hosts">All {count(counts["hosts"] ?? 0, "host")} with pages</a>
          </p>
        </section>
      )}
      <section class="pair">
        <div>
          <h2>About the collection</h2>
          <Answered asked={more} what="about the collection">
            {(told) => <About facts={told} />}
          </Answered>
        </div>
        <History facts={facts} />
      </section>
      <Problems facts={facts} />
    </div>
  );
}

function About({ facts }: { facts: CollectionFacts }) {
  const shown = facts.facts.filter((fact) => fact.name !== "largest hosts" && fact.name !== "URL rules");
  return (
    <dl>
      {shown.map((fact) => (
        <div key={fact.name}>
          <dt>{fact.name}</dt>
          <dd>{fact.value}</dd>
        </div>
      ))}
      <div>
        <dt>snapshot</dt>
        <dd>
          {facts.snapshot}, read by Weft {facts.weft}
        </dd>
      </div>
    </dl>
  );
}

function Numbers({ counts, pages }: { counts: Record<string, number>; pages: number }) {
  const kinds = ["fetched", "listed"].filter((kind) => (counts[kind] ?? 0) > 0);
  const told: [number, string, string, string][] = [
    [pages, "page", kinds.join(" or ") || "fetched", "/hosts"],
    [counts["links"] ?? 0, "link", "between pages", "/structure"],
    [counts["hosts"] ?? 0, "host", "with pages", "/hosts"],
    [counts["seen"] ?? 0, "page", "only seen in links", to("/hosts", { by: "seen" })],
  ];
  return (
    <section aria-label="The collection in numbers">
      <ul class="numbers">
        {told.map(([value, thing, more, href]) => (
          <li key={more}>
            <a href={href}>
              <b>{number(value)}</b>
              <span>
                {count(value, thing).replace(/^[\d,]+ /, "")} {more}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Next({ facts }: { facts: CollectionBrief }) {
  const steps: [string, string, ComponentChildren][] = [
    ["/topics", "Find the topics of everything", "no word needed; the whole collection is the base set"],
    ["/communities", "Find groups that link among themselves", "and how they are linked with each other"],
    [to("/ranking", { method: facts.defaults.rank }), `Read the ranking by ${facts.defaults.rank}`, "and why each page has its score"],
    ["/rankings", "See where methods disagree", "several rankings side by side, with how alike they are"],
    ["/structure", "Look at the shape of the links", "the bow-tie, degrees, distances, pages that nothing links to"],
  ];
  return (
    <section>
      <h2>What to do next</h2>
      <ol class="next">
        {steps.map(([href, words, more]) => (
          <li key={href}>
            <a href={href}>{words}</a> <span class="soft">{more}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function NoPages({ name }: { name: string }) {
  return (
    <section>
      <h2>The collection is empty</h2>
      <p>
        Add pages to it: <code>weft add {name} crawl.warc.gz</code>. They appear here once they are committed.
      </p>
    </section>
  );
}

type Commit = CollectionBrief["history"][number];

/** The latest commits; those that did the same one after the other, and brought no page, are told once. */
function told(history: readonly Commit[]): (Commit & { times: number })[] {
  const made: (Commit & { times: number })[] = [];
  for (const commit of history) {
    const last = made.at(-1);
    const same = last !== undefined && last.pages + commit.pages === 0 && last.inputs.join() === commit.inputs.join();
    if (same) made[made.length - 1] = { ...commit, times: last.times + 1 };
    else made.push({ ...commit, times: 1 });
  }
  return made;
}

function History({ facts }: { facts: CollectionBrief }) {
  return (
    <div>
      <h2>How it came about</h2>
      <ul class="plain">
        {told(facts.history).slice(-8).map((commit, k) => (
          <li key={k}>
            <span class="soft">{commit.time.slice(0, 10)}</span> {commit.pages > 0 && `${count(commit.pages, "page")} from `}
            <span class="inputs">{commit.inputs.map(clean).join(", ")}</span>
            {commit.times > 1 && <span class="soft"> ({commit.times} times)</span>}
          </li>
        ))}
      </ul>
      <p class="soft">
        Keep it:{" "}
        <a class="file" href="/api/export/pages?format=csv" download>
          Pages CSV
        </a>
        <a class="file" href="/api/export/edges?format=csv" download>
          Links CSV
        </a>
        <a class="file" href="/api/export/edges?format=gexf&level=host" download>
          Hosts GEXF
        </a>
      </p>
    </div>
  );
}

function Problems({ facts }: { facts: CollectionBrief }) {
  if (facts.problems.length === 0) return null;
  return (
    <section>
      <h2>What was skipped or damaged</h2>
      <ul class="plain">
        {facts.problems.map((problem) => (
          <li key={problem.reason}>
            <details>
              <summary>
                {number(problem.count)} × {problem.reason}
                {problem.damage && <span class="soft"> (damage)</span>}
              </summary>
              <ul class="plain address">
                {problem.places.map((where) => (
                  <li key={where}>{clean(where)}</li>
                ))}
              </ul>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
