/** The nodes of a drawing as a card, as a table, or by site. */

import type { DrawingNode, DrawingResponse } from "../api/schemas";
import { hasPages, PageName, pageUrl } from "../pieces/pageName";
import { Bar, ScrollableTable } from "../pieces/controls";
import { displayName, formatCount, formatNumber, formatUnitScore, hostOfUrl, stripControlChars } from "../pieces/format";
import { buildUrl, type Route, withParams } from "../route";

const MAX_LISTED = 8;

interface CardProps {
  drawing: DrawingResponse;
  chosen: number;
  route: Route;
  from: string;
  close: () => void;
}

/** The selected node: its scores and its links in this drawing. */
export function NodeCard({ drawing, chosen, route, from, close }: CardProps) {
  const node = drawing.nodes[chosen] as DrawingNode;
  const into = drawing.links.filter((link) => link.target === chosen).map((link) => link.source);
  const out = drawing.links.filter((link) => link.source === chosen).map((link) => link.target);
  return (
    <aside class="card" aria-label="Selected node">
      <button type="button" class="close" aria-label="Close" onClick={close}>
        ×
      </button>
      <PageName pageRef={node} from={from} />
      <p class="soft small">
        authority {formatUnitScore(node.authority)} · hub {formatUnitScore(node.hub)}
        {Object.entries(node.tags).map(([facet, value]) => (
          <span key={facet}>
            {" "}
            · {facet} <bdi>{stripControlChars(value)}</bdi>
          </span>
        ))}
      </p>
      <LinkedNodes text="linked by" linked={into} drawing={drawing} route={route} />
      <LinkedNodes text="links to" linked={out} drawing={drawing} route={route} />
      <p>
        <a href={pageUrl(node, from)}>{hasPages(node.kind) ? "Its pages" : "Open the page"}</a>
      </p>
    </aside>
  );
}

function LinkedNodes({
  text,
  linked,
  drawing,
  route,
}: {
  text: string;
  linked: readonly number[];
  drawing: DrawingResponse;
  route: Route;
}) {
  if (linked.length === 0) return null;
  const best = [...linked].sort((a, b) => nodeWeight(drawing.nodes[b]) - nodeWeight(drawing.nodes[a]));
  return (
    <div class="small">
      <p class="soft">
        {text} {formatNumber(linked.length)} in this drawing
      </p>
      <ul class="plain">
        {best.slice(0, MAX_LISTED).map((k) => {
          const node = drawing.nodes[k] as DrawingNode;
          return (
            <li key={k}>
              <a href={withParams(route, { node: node.url })}>
                <bdi>{displayName(node)}</bdi>
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function nodeWeight(node: DrawingNode | undefined): number {
  return node ? Math.max(node.authority, node.hub) : 0;
}

/** All nodes, highest scores first; with the value of a facet of tags, if one is named. */
export function NodeTable({ drawing, facet, from }: { drawing: DrawingResponse; facet: string; from: string }) {
  const rows = [...drawing.nodes].sort((a, b) => nodeWeight(b) - nodeWeight(a));
  const labels = new Map(drawing.groups.map((group) => [group.group, group.label]));
  const showGroup = drawing.groups.length > 1 && drawing.groups.length < 30;
  return (
    <ScrollableTable label="Nodes of the drawing">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{drawing.level}</th>
            {showGroup && <th scope="col">group</th>}
            {facet && <th scope="col">tag {facet}</th>}
            <th scope="col" class="number">
              authority
            </th>
            <th scope="col" class="number">
              hub
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((node) => (
            <tr key={node.url}>
              <th scope="row">
                <PageName pageRef={node} from={from} />
              </th>
              {showGroup && <td>{stripControlChars(labels.get(node.group) ?? node.group)}</td>}
              {facet && (
                <td>
                  <bdi>{stripControlChars(node.tags[facet] ?? "–")}</bdi>
                </td>
              )}
              <td class="number">
                {formatUnitScore(node.authority)}
                <Bar share={node.authority} />
              </td>
              <td class="number">
                {formatUnitScore(node.hub)}
                <Bar share={node.hub} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}

/** The sites of the nodes, those with most pages first. */
export function SiteTable({ drawing }: { drawing: DrawingResponse }) {
  const sites = new Map<string, DrawingNode[]>();
  for (const node of drawing.nodes) {
    const site = hostOfUrl(node.url);
    sites.set(site, [...(sites.get(site) ?? []), node]);
  }
  const rows = [...sites].sort((a, b) => b[1].length - a[1].length || a[0].localeCompare(b[0]));
  const maxNodes = rows[0]?.[1].length ?? 1;
  return (
    <ScrollableTable label="Sites of the drawing">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{formatCount(rows.length, "site").replace(/^[\d,]+ /, "")}</th>
            <th scope="col" class="number">
              {drawing.level}s drawn
            </th>
            <th scope="col">best page</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([site, nodes]) => {
            const best = [...nodes].sort((a, b) => nodeWeight(b) - nodeWeight(a))[0] as DrawingNode;
            return (
              <tr key={site}>
                <th scope="row">
                  <a href={buildUrl("/search", { query: `site:${site}` })}>
                    <bdi>{site}</bdi>
                  </a>
                  <Bar share={nodes.length / maxNodes} />
                </th>
                <td class="number">{formatNumber(nodes.length)}</td>
                <td>
                  <bdi>{displayName(best)}</bdi>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollableTable>
  );
}
