/** The blocks of a page that a method takes for hubs, as text with links. */

import type { ComponentChild } from "preact";
import type { MicroHub, Topic } from "../../ask/shapes";
import { clean, count, direction } from "../../pieces/words";
import { to } from "../../route";

/** The best blocks of a topic by the page they are on; none where the method looks at whole pages. */
export function blocksOf(topic: Topic): ReadonlyMap<string, MicroHub[]> {
  const found = new Map<string, MicroHub[]>();
  for (const block of (topic.facts["micro-hubs"] ?? []) as MicroHub[]) found.set(block.page, [...(found.get(block.page) ?? []), block]);
  return found;
}

export function Blocks({ blocks, from }: { blocks: readonly MicroHub[]; from: string }) {
  return (
    <>
      {blocks.map((block, k) => (
        <details key={k} class="speaks block">
          <summary>the block of it that counts: {count(block.count, "link")}</summary>
          <ul class="plain" dir={direction(lines(block.fragment).flat().map((part) => part.words).join(" "))}>
            {lines(block.fragment).map((line, n) => (
              <li key={n}>{line.map((part) => shown(part, from))}</li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

interface Said {
  words: string;
  target: string;
}

function shown({ words, target }: Said, from: string): ComponentChild {
  if (!target) return words;
  return (
    <a href={to("/page", { url: target, from })}>
      <bdi>{words}</bdi>
    </a>
  );
}

const OWN_LINE = new Set(["LI", "P", "TR", "DT", "DD", "H1", "H2", "H3", "H4", "H5", "H6", "BLOCKQUOTE"]);

/** The text of a piece of HTML, a line for each link; nothing of it is made into elements or loaded. */
function lines(fragment: string): Said[][] {
  const made: Said[][] = [[]];
  const last = () => made.at(-1) as Said[];
  const walk = (node: Node) => {
    for (const child of node.childNodes) {
      const words = clean((child.textContent ?? "").replace(/\s+/g, " "));
      if (child.nodeName === "A") {
        if (last().some((part) => part.target)) made.push([]);
        last().push({ words, target: (child as Element).getAttribute("href") ?? "" });
      } else if (child.nodeName === "#text") {
        if (words) last().push({ words: ` ${words} `, target: "" });
      } else {
        if (OWN_LINE.has(child.nodeName)) made.push([]);
        walk(child);
      }
    }
  };
  walk(new DOMParser().parseFromString(fragment, "text/html").body);
  return made.filter((line) => line.length > 0);
}
