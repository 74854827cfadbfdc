/** The card of a method, and the list of all methods. */

import type { Dimension } from "../api/derived";
import type { MethodCardResponse, MethodsResponse, MethodSummary } from "../api/schemas";
import { useApi } from "../api/useApi";
import { AsyncContent, ProblemMessage } from "../pieces/loading";
import { optionLabel } from "../pieces/optionField";
import { LinkTabs, useDocumentTitle } from "../pieces/controls";
import { withoutOptionSyntax } from "../pieces/format";
import { buildUrl, type Route } from "../route";
import type { ScreenProps } from "../shell";

export function MethodScreen({ route }: ScreenProps) {
  const kind = route.search.get("kind") ?? "rank";
  const name = route.search.get("name") ?? "";
  useDocumentTitle(name || "Methods");
  return name ? <OneMethod kind={kind} name={name} /> : <AllMethods route={route} />;
}

function OneMethod({ kind, name }: { kind: string; name: string }) {
  const response = useApi<MethodCardResponse>("methods/card", { kind, name });
  if (response.problem)
    return (
      <section>
        <h1>{name}</h1>
        <ProblemMessage problem={response.problem} />
      </section>
    );
  return (
    <AsyncContent response={response} label={`the card of ${name}`}>
      {(card) => (
        <article class="reading">
          <p class="kicker">
            <a href="/method">Methods</a> · {card.kind}
          </p>
          <h1>{card.name}</h1>
          <p class="lead">{card.summary}</p>
          <FormattedText text={card.description.replace(card.summary, "").trim()} />
          <DimensionList card={card} />
          <h2>Formula</h2>
          <FormattedText text={card.formula} />
          <h2>Cost</h2>
          <FormattedText text={card.cost} />
          <h2>Limitations</h2>
          <FormattedText text={card.limitations} />
          {card.differences && (
            <>
              <h2>Differences from the paper</h2>
              <FormattedText text={card.differences} />
            </>
          )}
          {card.options.length > 0 && (
            <>
              <h2>Options</h2>
              <dl>
                {card.options.map((option) => (
                  <div key={option.name}>
                    <dt>{optionLabel(option)}</dt>
                    <dd>
                      <InlineCode text={withoutOptionSyntax(option.description)} />
                      {option.default !== null && <span class="soft"> (default {String(option.default) || "none"})</span>}
                    </dd>
                  </div>
                ))}
              </dl>
            </>
          )}
          <h2>Reference</h2>
          <p>{card.reference}</p>
          <p>
            {card.kind !== "classify" && (
              <a href={methodUrl(card)}>
                {card.kind === "similar" || card.kind === "suggest" ? "Search for a page to apply it to" : "Use it"}
              </a>
            )}
          </p>
        </article>
      )}
    </AsyncContent>
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

/** The values of a method in a dimension; applications may be several. */
function dimensionValues(method: MethodSummary, dimension: Dimension): string[] {
  return dimension === "application" ? method.applications : [method[dimension]];
}

/** The classification of a method; each dimension links to the methods grouped by it. */
function DimensionList({ card }: { card: MethodCardResponse }) {
  return (
    <dl class="dimensions">
      {DIMENSIONS.map(([dimension, title]) => (
        <div key={dimension}>
          <dt>
            <a href={buildUrl("/method", { by: dimension })}>{title}</a>
          </dt>
          <dd>{dimensionValues(card, dimension).join(", ")}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The URL of the screen that uses a method. */
function methodUrl({ kind, name }: MethodCardResponse): string {
  if (kind === "rank") return buildUrl("/ranking", { method: name });
  if (kind === "structure") return "/structure";
  if (kind === "similar" || kind === "suggest") return "/search";
  return buildUrl(`/${kind}`, { method: name });
}

/** Paragraphs, lists and indented formulas of the notes on a method. */
function FormattedText({ text }: { text: string }) {
  return (
    <>
      {withoutOptionSyntax(text)
        .split(/\n\s*\n/)
        .map((part, k) =>
          part.startsWith("    ") ? (
            <pre key={k} tabIndex={0}>
              {part.replace(/^ {4}/gm, "").replaceAll("`", "")}
            </pre>
          ) : part.startsWith("- ") ? (
            <ul key={k}>
              {part.split(/\n(?=- )/).map((line) => (
                <li key={line}>
                  <InlineCode text={line.slice(2)} />
                </li>
              ))}
            </ul>
          ) : (
            <p key={k}>
              <InlineCode text={part} />
            </p>
          ),
        )}
    </>
  );
}

/** Text with code between backticks. */
function InlineCode({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, k) => (k % 2 ? <code key={k}>{part}</code> : part))}</>;
}

const KINDS = [
  ["topics", "Topics"],
  ["rank", "Rankings"],
  ["communities", "Communities"],
  ["structure", "Structure"],
  ["similar", "Similar pages"],
  ["suggest", "Suggested links"],
  ["classify", "Classification"],
  ["usage", "Usage"],
  ["crawl", "Crawl strategies"],
] as const;

/** Methods grouped by kind or by a dimension; a method may be in several groups. */
function groupMethods(data: MethodsResponse, by: string): { heading: string; methods: MethodSummary[] }[] {
  const grouping = DIMENSIONS.find(([dimension]) => dimension === by);
  const groups = grouping
    ? (data.dimensions[grouping[0]] ?? []).map((value) => ({
        heading: value.charAt(0).toUpperCase() + value.slice(1),
        methods: data.methods.filter((method) => dimensionValues(method, grouping[0]).includes(value)),
      }))
    : KINDS.map(([kind, heading]) => ({ heading, methods: data.methods.filter((method) => method.kind === kind) }));
  return groups.filter(({ methods }) => methods.length > 0);
}

function AllMethods({ route }: { route: Route }) {
  const by = route.search.get("by") ?? "kind";
  const response = useApi<MethodsResponse>("methods");
  return (
    <section>
      <h1>Methods</h1>
      <p class="lead">All methods with their references, options and limitations.</p>
      <LinkTabs route={route} name="by" label="Group methods by" chosen={by} tabs={[["kind", "Kind"], ...DIMENSIONS]} />
      <AsyncContent response={response} label="methods" placeholderLines={12}>
        {(data) => (
          <>
            {groupMethods(data, by).map(({ heading, methods }) => (
              <section key={heading}>
                <h2>{heading}</h2>
                <dl class="methods">
                  {methods
                    .sort((a, b) => a.name.localeCompare(b.name))
                    .map(({ kind, name, summary }) => (
                      <div key={`${kind} ${name}`}>
                        <dt>
                          <a href={buildUrl("/method", { kind, name })}>{name}</a>
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
      </AsyncContent>
    </section>
  );
}
