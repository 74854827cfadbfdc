/** The card of a method: what it is, when it fails, whom to cite. */

import type { Card, Dimension, MethodLine, Methods } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { Answered, Failed } from "../pieces/answered";
import { nameOf } from "../pieces/form";
import { Choice, useTitle } from "../pieces/small";
import { to, type Place } from "../route";
import type { ScreenProps } from "../shell";

export function MethodScreen({ place }: ScreenProps) {
  const kind = place.search.get("kind") ?? "rank";
  const name = place.search.get("name") ?? "";
  useTitle(name || "Methods");
  return name ? <OneMethod kind={kind} name={name} /> : <AllMethods place={place} />;
}

function OneMethod({ kind, name }: { kind: string; name: string }) {
  const asked = useAsk<Card>("methods/card", { kind, name });
  if (asked.problem)
    return (
      <section>
        <h1>{name}</h1>
        <Failed problem={asked.problem} />
      </section>
    );
  return (
    <Answered asked={asked} what={`the card of ${name}`}>
      {(card) => (
        <article class="reading">
          <p class="above">
            <a href="/method">Methods</a> · {card.kind}
          </p>
          <h1>{card.name}</h1>
          <p class="lead">{card.summary}</p>
          <Prose text={card.words.replace(card.summary, "").trim()} />
          <Dimensions of={card} />
          <h2>Formula</h2>
          <Prose text={card.formula} />
          <h2>Cost</h2>
          <Prose text={card.cost} />
          <h2>When it fails</h2>
          <Prose text={card.fails} />
          {card.differs && (
            <>
              <h2>Where it differs from the paper</h2>
              <Prose text={card.differs} />
            </>
          )}
          {card.options.length > 0 && (
            <>
              <h2>Options</h2>
              <dl>
                {card.options.map((option) => (
                  <div key={option.name}>
                    <dt>{nameOf(option)}</dt>
                    <dd>
                      {option.description}
                      {option.default !== null && <span class="soft"> (usually {String(option.default) || "none"})</span>}
                    </dd>
                  </div>
                ))}
              </dl>
            </>
          )}
          <h2>Reference</h2>
          <p>{card.reference}</p>
          <p>
            <a href={useOf(card)}>{card.kind === "similar" || card.kind === "suggest" ? "Search for a page to use it on" : "Use it"}</a>
          </p>
        </article>
      )}
    </Answered>
  );
}

const DIMENSIONS: readonly (readonly [Dimension, string])[] = [
  ["model", "Knowledge model"],
  ["metric", "Metric"],
  ["algorithm", "Algorithm"],
  ["scope", "Analysis scope"],
  ["data", "Data"],
  ["application", "Application"],
];

/** The values of a method in a dimension: one, or of applications one or more. */
function along(method: MethodLine, dimension: Dimension): string[] {
  return dimension === "application" ? method.applications : [method[dimension]];
}

/** How a method is classified; each dimension leads to the methods grouped by it. */
function Dimensions({ of: card }: { of: Card }) {
  return (
    <dl class="dimensions">
      {DIMENSIONS.map(([dimension, title]) => (
        <div key={dimension}>
          <dt>
            <a href={to("/method", { by: dimension })}>{title}</a>
          </dt>
          <dd>{along(card, dimension).join(", ")}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Where a method is used. */
function useOf({ kind, name }: Card): string {
  if (kind === "rank") return to("/ranking", { method: name });
  if (kind === "structure") return "/structure";
  if (kind === "similar" || kind === "suggest") return "/search";
  return to(`/${kind}`, { method: name });
}

/** Paragraphs, lists and formulas, which are indented, as the notes on methods write them. */
function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n\s*\n/).map((part, k) =>
        part.startsWith("    ") ? (
          <pre key={k} tabIndex={0}>
            {part.replace(/^ {4}/gm, "")}
          </pre>
        ) : part.startsWith("- ") ? (
          <ul key={k}>
            {part.split(/\n(?=- )/).map((line) => (
              <li key={line}>
                <Words of={line.slice(2)} />
              </li>
            ))}
          </ul>
        ) : (
          <p key={k}>
            <Words of={part} />
          </p>
        ),
      )}
    </>
  );
}

/** A sentence in which names of options and the like stand between backticks. */
function Words({ of: sentence }: { of: string }) {
  return <>{sentence.split(/`([^`]+)`/).map((words, k) => (k % 2 ? <code key={k}>{words}</code> : words))}</>;
}

const KINDS = [
  ["topics", "Topics"],
  ["rank", "Rankings"],
  ["communities", "Communities"],
  ["structure", "Structure"],
  ["similar", "Similar pages"],
  ["suggest", "Missing links"],
] as const;

/** The methods under headings: by kind, or by a dimension in which one may have several values. */
function grouped(answer: Methods, by: string): { heading: string; methods: MethodLine[] }[] {
  const found = DIMENSIONS.find(([dimension]) => dimension === by);
  const groups = found
    ? answer.dimensions[found[0]].map((value) => ({
        heading: value.charAt(0).toUpperCase() + value.slice(1),
        methods: answer.methods.filter((method) => along(method, found[0]).includes(value)),
      }))
    : KINDS.map(([kind, heading]) => ({ heading, methods: answer.methods.filter((method) => method.kind === kind) }));
  return groups.filter(({ methods }) => methods.length > 0);
}

function AllMethods({ place }: { place: Place }) {
  const by = place.search.get("by") ?? "kind";
  const asked = useAsk<Methods>("methods");
  return (
    <section>
      <h1>Methods</h1>
      <p class="lead">Each is declared once, with its citation; the card says when it fails.</p>
      <Choice place={place} name="by" label="Group methods by" chosen={by} of={[["kind", "Kind"], ...DIMENSIONS]} />
      <Answered asked={asked} what="methods" lines={12}>
        {(answer) => (
          <>
            {grouped(answer, by).map(({ heading, methods }) => (
              <section key={heading}>
                <h2>{heading}</h2>
                <dl class="methods">
                  {methods
                    .sort((a, b) => a.name.localeCompare(b.name))
                    .map(({ kind, name, summary }) => (
                      <div key={`${kind} ${name}`}>
                        <dt>
                          <a href={to("/method", { kind, name })}>{name}</a>
                          {by !== "kind" && <span class="soft"> {kind}</span>}
                        </dt>
                        <dd>{summary}</dd>
                      </div>
                    ))}
                </dl>
              </section>
            ))}
          </>
        )}
      </Answered>
    </section>
  );
}
