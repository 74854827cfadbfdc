/** The nodes of a drawing in words: one of them, all of them, or by site. */

import type { Drawing, Node } from "../ask/shapes";
import { PageName, placeOf } from "../pieces/names";
import { Bar, Wide } from "../pieces/small";
import { called, clean, count, host, number, score } from "../pieces/words";
import { type Place, changed, to } from "../route";

const LISTED = 8;

interface CardProps {
  drawing: Drawing;
  chosen: number;
  place: Place;
  from: string;
  close: () => void;
}

/** The chosen node: its scores, and who points to whom in this drawing. */
export function NodeCard({ drawing, chosen, place, from, close }: CardProps) {
  const node = drawing.nodes[chosen] as Node;
  const into = drawing.links.filter((link) => link.target === chosen).map((link) => link.source);
  const out = drawing.links.filter((link) => link.source === chosen).map((link) => link.target);
  return (
    <aside class="card" aria-label="Chosen node">
      <button type="button" class="close" aria-label="Close" onClick={close}>
        ×
      </button>
      <PageName named={node} from={from} />
      <p class="soft small">
        authority {score(node.authority)} · hub {score(node.hub)}
      </p>
      <Ends words="linked by" ends={into} drawing={drawing} place={place} />
      <Ends words="links to" ends={out} drawing={drawing} place={place} />
      <p>
        <a href={placeOf(node, from)}>{node.kind === "host" || node.kind === "domain" ? "Its pages" : "Open the page"}</a>
      </p>
    </aside>
  );
}

function Ends({ words, ends, drawing, place }: { words: string; ends: readonly number[]; drawing: Drawing; place: Place }) {
  if (ends.length === 0) return null;
  const best = [...ends].sort((a, b) => weight(drawing.nodes[b]) - weight(drawing.nodes[a]));
  return (
    <div class="small">
      <p class="soft">
        {words} {number(ends.length)} in this drawing
      </p>
      <ul class="plain">
        {best.slice(0, LISTED).map((k) => {
          const node = drawing.nodes[k] as Node;
          return (
            <li key={k}>
              <a href={changed(place, { node: node.page })}>
                <bdi>{called(node)}</bdi>
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function weight(node: Node | undefined): number {
  return node ? Math.max(node.authority, node.hub) : 0;
}

/** All nodes, those that count most first. */
export function NodeTable({ drawing, from }: { drawing: Drawing; from: string }) {
  const rows = [...drawing.nodes].sort((a, b) => weight(b) - weight(a));
  const labels = new Map(drawing.groups.map((group) => [group.group, group.label]));
  const told = drawing.groups.length > 1 && drawing.groups.length < 30;
  return (
    <Wide label="What is drawn, as a table">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{drawing.level}</th>
            {told && <th scope="col">group</th>}
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
            <tr key={node.page}>
              <th scope="row">
                <PageName named={node} from={from} />
              </th>
              {told && <td>{clean(labels.get(node.group) ?? node.group)}</td>}
              <td class="number">
                {score(node.authority)}
                <Bar share={node.authority} />
              </td>
              <td class="number">
                {score(node.hub)}
                <Bar share={node.hub} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

/** The sites of what is drawn, those with most pages first. */
export function SiteTable({ drawing }: { drawing: Drawing }) {
  const sites = new Map<string, Node[]>();
  for (const node of drawing.nodes) {
    const site = host(node.page);
    sites.set(site, [...(sites.get(site) ?? []), node]);
  }
  const rows = [...sites].sort((a, b) => b[1].length - a[1].length || a[0].localeCompare(b[0]));
  const most = rows[0]?.[1].length ?? 1;
  return (
    <Wide label="The sites of what is drawn">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{count(rows.length, "site").replace(/^[\d,]+ /, "")}</th>
            <th scope="col" class="number">
              {drawing.level}s drawn
            </th>
            <th scope="col">best of them</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([site, nodes]) => {
            const best = [...nodes].sort((a, b) => weight(b) - weight(a))[0] as Node;
            return (
              <tr key={site}>
                <th scope="row">
                  <a href={to("/search", { query: `site:${site}` })}>
                    <bdi>{site}</bdi>
                  </a>
                  <Bar share={nodes.length / most} />
                </th>
                <td class="number">{number(nodes.length)}</td>
                <td>
                  <bdi>{called(best)}</bdi>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Wide>
  );
}
