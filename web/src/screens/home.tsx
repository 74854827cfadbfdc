/** Home: search box, key figures, a picture of the collection, captures over time, next steps, facts. */

import type { ComponentChildren } from "preact";
import type { CollectionResponse, CollectionSummaryResponse, FacetsResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { AsyncContent } from "../pieces/loading";
import { Histogram } from "../pieces/histogram";
import { SearchBox } from "../pieces/searchBox";
import { useDocumentTitle } from "../pieces/controls";
import { formatCount, formatNumber, spellLanguages, stripControlChars } from "../pieces/format";
import { buildUrl } from "../route";
import type { ScreenProps } from "../shell";
import { CollectionPicture } from "./home/collectionPicture";

export function HomeScreen({ route, collection }: ScreenProps) {
  useDocumentTitle(collection.name);
  const counts = collection.counts;
  const pages = (counts["captured"] ?? 0) + (counts["listed"] ?? 0);
  const details = useApi<CollectionResponse>("collection");
  const captures = useApi<FacetsResponse>(pages > 0 ? "search/facets" : null, { query: "", top: 1 });
  return (
    <div class="home">
      <section class="welcome">
        <div class="home-head">
          <h1>
            <bdi>{collection.name}</bdi>
          </h1>
          <KeyFigures counts={counts} pages={pages} />
        </div>
        <SearchBox route={route} />
        <p class="soft small purpose">
          {(counts["captured"] ?? 0) > 0 || pages === 0
            ? "For a word, Weft finds its topics: for each the authorities, which many pages link to, and the hubs, which link to many authorities."
            : "The pages of this collection have no text: words find them by their addresses only. Topics and communities come from the links."}
        </p>
      </section>
      {pages === 0 ? (
        <NoPages />
      ) : (
        <>
          <CollectionPicture method={collection.defaults.communities} links={counts["links"] ?? 0} />
          {captures.data && captures.data.captures.periods.length > 1 && (
            <section aria-label="Captures over time">
              <Histogram captures={captures.data.captures} href={(since, until) => buildUrl("/search", { query: "*", since, until })} />
            </section>
          )}
          <NextSteps collection={collection} />
        </>
      )}
      <section class="pair">
        <div>
          <h2>About the collection</h2>
          <AsyncContent response={details} label="the facts">
            {(data) => <CollectionFacts facts={data} />}
          </AsyncContent>
        </div>
        <History collection={collection} />
      </section>
      <Problems collection={collection} />
    </div>
  );
}

function CollectionFacts({ facts }: { facts: CollectionResponse }) {
  const shown = facts.facts.filter((fact) => fact.name !== "largest hosts" && fact.name !== "URL rules");
  return (
    <dl>
      {shown.map((fact) => (
        <div key={fact.name}>
          <dt>{fact.name}</dt>
          <dd>{fact.name === "languages" ? spellLanguages(fact.value) : fact.value}</dd>
        </div>
      ))}
      <div>
        <dt>snapshot</dt>
        <dd>
          {facts.snapshot}, Weft {facts.weft_version}
        </dd>
      </div>
    </dl>
  );
}

function KeyFigures({ counts, pages }: { counts: Record<string, number>; pages: number }) {
  const kinds = ["captured", "listed"].filter((kind) => (counts[kind] ?? 0) > 0);
  const onlyListed = (counts["captured"] ?? 0) === 0 && pages > 0;
  const figures: [number, string, string, string][] = [
    [pages, "page", kinds.join(" or ") || "captured", "/hosts"],
    [counts["links"] ?? 0, "link", "between pages", "/structure"],
    [counts["hosts"] ?? 0, "host", "with pages", "/hosts"],
    [counts["uncaptured"] ?? 0, "page", "linked, not captured", buildUrl("/hosts", { by: "uncaptured" })],
  ];
  return (
    <ul class="numbers" aria-label="The collection in numbers">
      {figures.slice(0, onlyListed && !counts["uncaptured"] ? -1 : undefined).map(([value, unit, description, href]) => (
        <li key={description}>
          <a href={href}>
            <b>{formatNumber(value)}</b>
            <span>
              {formatCount(value, unit).replace(/^[\d,]+ /, "")} {description}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function NextSteps({ collection }: { collection: CollectionSummaryResponse }) {
  const steps: [string, string, ComponentChildren][] = [
    ["/topics", "Find the topics of the whole collection", "without a query"],
    ["/communities", "Find communities", "groups of pages with many links among them, and the links between groups"],
    [
      buildUrl("/ranking", { method: collection.defaults.rank }),
      `Rank the pages by ${collection.defaults.rank}`,
      "with an explanation of each score",
    ],
    ["/rankings", "Compare rankings", "several methods side by side, and where they disagree"],
    ["/structure", "Explore the structure of the graph", "bow-tie, degrees, distances, components, orphans"],
  ];
  return (
    <section>
      <h2>Next steps</h2>
      <ol class="next">
        {steps.map(([href, label, description]) => (
          <li key={href}>
            <a href={href}>{label}</a> <span class="soft">{description}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function NoPages() {
  return (
    <section>
      <h2>The collection is empty</h2>
      <p>
        <a href="/crawl">Crawl some pages</a>, or add web archives to the collection. They appear here as soon as they are in.
      </p>
    </section>
  );
}

type Commit = CollectionSummaryResponse["history"][number];

/** The latest commits; consecutive ones with the same inputs and no pages are merged. */
function mergeRepeatedCommits(history: readonly Commit[]): (Commit & { times: number })[] {
  const merged: (Commit & { times: number })[] = [];
  for (const commit of history) {
    const last = merged.at(-1);
    const repeated = last !== undefined && last.pages + commit.pages === 0 && last.inputs.join() === commit.inputs.join();
    if (repeated) merged[merged.length - 1] = { ...commit, times: last.times + 1 };
    else merged.push({ ...commit, times: 1 });
  }
  return merged;
}

function History({ collection }: { collection: CollectionSummaryResponse }) {
  return (
    <div>
      <h2>History</h2>
      <ul class="plain">
        {mergeRepeatedCommits(collection.history)
          .slice(-8)
          .map((commit, k) => (
            <li key={k}>
              <span class="soft">{commit.time.slice(0, 10)}</span> {commit.pages > 0 && `${formatCount(commit.pages, "capture")} from `}
              <span class="inputs">{commit.inputs.map(stripControlChars).join(", ")}</span>
              {commit.times > 1 && <span class="soft"> ({commit.times} times)</span>}
            </li>
          ))}
      </ul>
      <p class="soft">
        Export:{" "}
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

function Problems({ collection }: { collection: CollectionSummaryResponse }) {
  if (collection.problems.length === 0) return null;
  return (
    <section>
      <h2>Skipped and damaged records</h2>
      <ul class="plain">
        {collection.problems.map((problem) => (
          <li key={problem.reason}>
            <details>
              <summary>
                {formatNumber(problem.count)} × {problem.reason}
                {problem.damage && <span class="soft"> (damage)</span>}
              </summary>
              <ul class="plain address">
                {problem.places.map((place) => (
                  <li key={place}>{stripControlChars(place)}</li>
                ))}
              </ul>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
