/** Micro-hubs: parts of a page that act as hubs, shown as text with links. */

import type { ComponentChild } from "preact";
import type { GroupDetails, MicroHubSchema } from "../../api/schemas";
import { formatCount, stripControlChars, textDirection } from "../../pieces/format";
import { buildUrl } from "../../route";

/** The micro-hubs of a group by page; none if the method uses whole pages. */
export function microHubsByPage(group: GroupDetails): ReadonlyMap<string, MicroHubSchema[]> {
  const byPage = new Map<string, MicroHubSchema[]>();
  for (const block of group.micro_hubs) byPage.set(block.page, [...(byPage.get(block.page) ?? []), block]);
  return byPage;
}

export function MicroHubs({ blocks, from }: { blocks: readonly MicroHubSchema[]; from: string }) {
  return (
    <>
      {blocks.map((block, k) => (
        <details key={k} class="evidence block">
          <summary>micro-hub with {formatCount(block.count, "link")}</summary>
          <ul
            class="plain"
            dir={textDirection(
              fragmentLines(block.fragment)
                .flat()
                .map((part) => part.text)
                .join(" "),
            )}
          >
            {fragmentLines(block.fragment).map((line, n) => (
              <li key={n}>{line.map((part) => renderPart(part, from))}</li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

interface TextPart {
  text: string;
  target: string;
}

function renderPart({ text, target }: TextPart, from: string): ComponentChild {
  if (!target) return text;
  return (
    <a href={buildUrl("/page", { url: target, from })}>
      <bdi>{text}</bdi>
    </a>
  );
}

const OWN_LINE = new Set(["LI", "P", "TR", "DT", "DD", "H1", "H2", "H3", "H4", "H5", "H6", "BLOCKQUOTE"]);

/** The text of an HTML fragment, a line for each link; no element is created in the page, and nothing is loaded. */
function fragmentLines(fragment: string): TextPart[][] {
  const lines: TextPart[][] = [[]];
  const last = () => lines.at(-1) as TextPart[];
  const walk = (node: Node) => {
    for (const child of node.childNodes) {
      const text = stripControlChars((child.textContent ?? "").replace(/\s+/g, " "));
      if (child.nodeName === "A") {
        if (last().some((part) => part.target)) lines.push([]);
        last().push({ text, target: (child as Element).getAttribute("href") ?? "" });
      } else if (child.nodeName === "#text") {
        if (text) last().push({ text: ` ${text} `, target: "" });
      } else {
        if (OWN_LINE.has(child.nodeName)) lines.push([]);
        walk(child);
      }
    }
  };
  walk(new DOMParser().parseFromString(fragment, "text/html").body);
  return lines.filter((line) => line.length > 0);
}
