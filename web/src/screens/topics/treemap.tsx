/** The topics as a treemap of their numbers of pages. */

import type { GroupDetails, TopicsResponse } from "../../api/schemas";
import { useElementWidth } from "../../draw/useElementWidth";
import { squarify, wrapText } from "../../draw/treemap";
import { colourClass } from "../../pieces/controls";
import { formatCount, formatNumber } from "../../pieces/format";
import { groupLabel } from "../groups/describe";

const [LINE_HEIGHT, SIDE_PADDING, VERTICAL_PADDING] = [17, 22, 12];
const [WIDE_ASPECT, NARROW_ASPECT] = [0.32, 1.1];

interface Props {
  data: TopicsResponse;
  chosen: number;
  href: (number: number) => string;
}

export function Treemap({ data, chosen, href }: Props) {
  const [box, width] = useElementWidth<HTMLDivElement>(900);
  const height = Math.round(width * (width < 640 ? NARROW_ASPECT : WIDE_ASPECT));
  const largest = [...data.topics].sort((a, b) => b.pages - a.pages);
  const areas = squarify(largest.map((topic) => topic.pages), width, height);
  return (
    <div class="treemap" ref={box} style={{ height: `${height}px` }}>
      {areas.map((area, k) => {
        const topic = largest[k] as GroupDetails;
        const lines = Math.floor((area.height - VERTICAL_PADDING) / LINE_HEIGHT);
        const label = wrapText(groupLabel(topic), area.width - SIDE_PADDING, lines - (lines > 2 ? 2 : 1), measureLabel);
        const pages = formatCount(topic.pages, data.level);
        const size = [pages, formatNumber(topic.pages)].find((text) => measureLabel(text) <= area.width - SIDE_PADDING);
        return (
          <a
            key={topic.number}
            class={lines < 1 || area.width < 2 * SIDE_PADDING ? `${colourClass(topic.number)} small-area` : colourClass(topic.number)}
            href={href(topic.number)}
            aria-current={topic.number === chosen ? "true" : undefined}
            title={`${groupLabel(topic)}, ${pages}`}
            style={{ left: `${area.x}px`, top: `${area.y}px`, width: `${area.width}px`, height: `${area.height}px` }}
          >
            <span class="visually-hidden">
              {topic.number} {groupLabel(topic)}, {pages}
            </span>
            <span aria-hidden="true">
              <b>{topic.number}</b>
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

let measuringContext: CanvasRenderingContext2D | null = null;

/** The width of a text in a label. */
function measureLabel(text: string): number {
  measuringContext ??= document.createElement("canvas").getContext("2d");
  if (!measuringContext) return 8 * text.length;
  const style = getComputedStyle(document.body);
  measuringContext.font = `700 ${0.84 * parseFloat(style.fontSize)}px ${style.fontFamily}`;
  return measuringContext.measureText(text).width;
}
