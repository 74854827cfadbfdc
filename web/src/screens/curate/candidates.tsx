/** Candidates in an order that the user chooses, to decide on one after the other. */

import type { ComponentChildren } from "preact";
import type { CandidatesResponse, CollectionSummaryResponse, FacetSchema, ProposalsResponse } from "../../api/schemas";
import type { QueryParams } from "../../api/client";
import { useApi } from "../../api/useApi";
import { formatNumber, formatPercent } from "../../pieces/format";
import { AsyncContent } from "../../pieces/loading";
import { navigate, type Route, withParams } from "../../route";
import { candidateRow, proposalRow } from "./rows";
import { useSaving } from "./saving";
import { Worklist } from "./worklist";

const [CANDIDATES, PROPOSALS] = [50, 100];
const BY_LINKS = "inlinks";

/** The choices above the list: parameter, label, values with their names. */
const ORDER = [
  "order",
  "Order by",
  { [BY_LINKS]: "in-links", certainty: "certainty of a proposal", teaching: "what would teach most" },
] as const;
const LEVEL = ["level", "Level", { page: "pages", host: "hosts", domain: "domains", entity: "entities" }] as const;
const SHOW = ["show", "Show", { open: "open", decided: "decided", all: "all" }] as const;

interface Props {
  route: Route;
  facet: string;
  facets: readonly FacetSchema[];
  by: string;
  collection: CollectionSummaryResponse;
  /** The choice of the facet. */
  children: ComponentChildren;
}

export function Candidates({ route, facet, facets, by, collection, children }: Props) {
  const { search } = route;
  const order = search.get("order") ?? BY_LINKS;
  const level = search.get("level") ?? "page";
  const show = search.get("show") ?? "open";
  const params: QueryParams =
    order === BY_LINKS
      ? { facet, level, show, top: CANDIDATES }
      : { facet, order, method: search.get("method") ?? collection.defaults.classify, top: PROPOSALS };
  const shared = { facet, facets, by, params };
  return (
    <section>
      <div class="tools choices">
        {children}
        <form class="tools" aria-label="Candidates" onSubmit={(event) => event.preventDefault()}>
          {(order === BY_LINKS ? [ORDER, LEVEL, SHOW] : [ORDER]).map(([name, label, values]) => (
            <span key={name} class="field inline">
              <label for={name}>{label}</label>
              <select
                id={name}
                value={search.get(name) ?? Object.keys(values)[0]}
                onChange={(event) => navigate(withParams(route, { [name]: event.currentTarget.value }))}
              >
                {Object.entries(values).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </span>
          ))}
        </form>
        <ValueCounts counts={facets.find((each) => each.facet === facet)} />
      </div>
      {order === BY_LINKS ? <MostLinked key={JSON.stringify(params)} {...shared} /> : <Proposed key={JSON.stringify(params)} {...shared} />}
    </section>
  );
}

/** How many captured pages have each value. */
function ValueCounts({ counts }: { counts: FacetSchema | undefined }) {
  return (
    <p class="soft value-counts">
      {counts === undefined && "nothing tagged yet"}
      {counts?.values.map(({ value, pages }) => (
        <span key={value}>
          <b>{formatNumber(pages)}</b> <bdi>{value}</bdi>
        </span>
      ))}
    </p>
  );
}

type ListProps = Omit<Props, "route" | "collection" | "children"> & { params: QueryParams };

function MostLinked({ params, ...shared }: ListProps) {
  const response = useApi<CandidatesResponse>("curate/candidates", params);
  return (
    <AsyncContent response={response} label="candidates" placeholderLines={12}>
      {(data) => (
        <Worklist
          {...shared}
          source={data}
          first={data.rows.map(candidateRow)}
          total={data.total}
          unit={data.level}
          more={params}
          reload={response.retry}
          method=""
        />
      )}
    </AsyncContent>
  );
}

function Proposed({ params, ...shared }: ListProps) {
  const response = useApi<ProposalsResponse>("curate/proposals", params);
  const { pending } = useSaving();
  return (
    <AsyncContent response={response} label="proposals" placeholderLines={12}>
      {(data) => (
        <>
          <p class="soft">
            Learned by {data.method} from{" "}
            {Object.entries(data.examples)
              .map(([value, count]) => `${formatNumber(count)} ${value}`)
              .join(", ")}
            {data.accuracy !== null && `; right for ${formatPercent(data.accuracy)} of examples held out`}.{" "}
            <button type="button" class="file" disabled={pending > 0 || !response.fresh} onClick={response.retry}>
              Learn again
            </button>
          </p>
          <Worklist
            {...shared}
            source={data}
            first={data.rows.map(proposalRow)}
            total={data.total}
            unit="page"
            more={null}
            reload={response.retry}
            method={data.method}
          />
        </>
      )}
    </AsyncContent>
  );
}
