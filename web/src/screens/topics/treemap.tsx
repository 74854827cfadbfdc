/** The topics as areas, as large as they have pages. */

import type { Topic, TopicsFound } from "../../ask/shapes";
import { useRoom } from "../../draw/room";
import { fitted, squares } from "../../draw/treemap";
import { colour } from "../../pieces/small";
import { count, number } from "../../pieces/words";
import { labelOf } from "./label";

const [LINE, SIDE, HIGH] = [17, 22, 12];
const [WIDE, NARROW] = [0.32, 1.1];

interface Props {
  found: TopicsFound;
  chosen: number;
  href: (topic: Topic) => string;
}

export function Treemap({ found, chosen, href }: Props) {
  const [box, width] = useRoom<HTMLDivElement>(900);
  const height = Math.round(width * (width < 640 ? NARROW : WIDE));
  const largest = [...found.topics].sort((a, b) => b.pages - a.pages);
  const areas = squares(largest.map((topic) => topic.pages), width, height);
  return (
    <div class="treemap" ref={box} style={{ height: `${height}px` }}>
      {areas.map((area, k) => {
        const topic = largest[k] as Topic;
        const lines = Math.floor((area.height - HIGH) / LINE);
        const label = fitted(labelOf(topic), area.width - SIDE, lines - (lines > 2 ? 2 : 1), wide);
        const pages = count(topic.pages, found.level);
        const size = [pages, number(topic.pages)].find((words) => wide(words) <= area.width - SIDE);
        return (
          <a
            key={topic.topic}
            class={lines < 1 || area.width < 2 * SIDE ? `${colour(topic.topic)} small-area` : colour(topic.topic)}
            href={href(topic)}
            aria-current={topic.topic === chosen ? "true" : undefined}
            title={`${labelOf(topic)}, ${pages}`}
            style={{ left: `${area.x}px`, top: `${area.y}px`, width: `${area.width}px`, height: `${area.height}px` }}
          >
            <span class="unseen">
              {topic.topic} {labelOf(topic)}, {pages}
            </span>
            <span aria-hidden="true">
              <b>{topic.topic}</b>
              {label.map((line, n) => (
                <b key={n}>{line}</b>
              ))}
              {size && lines > label.length + 1 && <span>{size}</span>}
            </span>
          </a>
        );
      })}
    </div>
  );
}

let brush: CanvasRenderingContext2D | null = null;

/** How wide some words are in a label. */
function wide(words: string): number {
  brush ??= document.createElement("canvas").getContext("2d");
  if (!brush) return 8 * words.length;
  const style = getComputedStyle(document.body);
  brush.font = `700 ${0.84 * parseFloat(style.fontSize)}px ${style.fontFamily}`;
  return brush.measureText(words).width;
}
