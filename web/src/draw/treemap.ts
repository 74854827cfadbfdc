/** Squarified treemaps (Bruls, Huizing, van Wijk 2000), and labels that fit into them. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Divide a rectangle in proportion to values in descending order. */
export function squarify(values: readonly number[], width: number, height: number): Box[] {
  const total = values.reduce((sum, value) => sum + value, 0) || 1;
  const areas = values.map((value) => (value / total) * width * height);
  const boxes: Box[] = [];
  const free = { x: 0, y: 0, width, height };
  let start = 0;
  while (start < areas.length) {
    const side = Math.min(free.width, free.height);
    let end = start + 1;
    while (end < areas.length && worstAspectRatio(areas.slice(start, end + 1), side) <= worstAspectRatio(areas.slice(start, end), side)) end += 1;
    boxes.push(...layOutRow(areas.slice(start, end), free));
    start = end;
  }
  return boxes;
}

function worstAspectRatio(areas: readonly number[], side: number): number {
  const sum = areas.reduce((a, b) => a + b, 0);
  const square = (sum / Math.max(side, 1e-9)) ** 2;
  return Math.max(...areas.map((area) => Math.max(square / area, area / square)));
}

/** Lay a row along the shorter side of the free area, and shrink that. */
function layOutRow(areas: readonly number[], free: Box): Box[] {
  const sum = areas.reduce((a, b) => a + b, 0);
  const upright = free.width >= free.height;
  const depth = sum / Math.max(upright ? free.height : free.width, 1e-9);
  let at = upright ? free.y : free.x;
  const boxes = areas.map((area) => {
    const length = area / Math.max(depth, 1e-9);
    const box = upright
      ? { x: free.x, y: at, width: depth, height: length }
      : { x: at, y: free.y, width: length, height: depth };
    at += length;
    return box;
  });
  if (upright) {
    free.x += depth;
    free.width -= depth;
  } else {
    free.y += depth;
    free.height -= depth;
  }
  return boxes;
}

/** Wrap a text into lines of a width, with … at the end if it is cut; no line if not even one word fits. */
export function wrapText(text: string, width: number, maxLines: number, measureText: (text: string) => number): string[] {
  const lines: string[] = [];
  const remaining = text.split(/\s+/).filter(Boolean);
  while (remaining.length > 0 && lines.length < maxLines) {
    let line = "";
    while (remaining[0] !== undefined && measureText(joinWords(line, remaining[0])) <= width) line = joinWords(line, remaining.shift() ?? "");
    if (!line) break;
    lines.push(line);
  }
  if (remaining.length > 0) endWithEllipsis(lines, width, measureText);
  return lines.map((line) => line.replace(/^· /, "")).filter(Boolean);
}

/** End the last line with …, dropping words until it fits. */
function endWithEllipsis(lines: string[], width: number, measureText: (text: string) => number): void {
  let last = lines.pop();
  while (last !== undefined) {
    const line: string = `${last.replace(/[\s·]+$/, "")}…`;
    if (line.length > 1 && measureText(line) <= width) {
      lines.push(line);
      return;
    }
    last = last.includes(" ") ? last.replace(/\s+\S+$/, "") : lines.pop();
  }
}

function joinWords(line: string, word: string): string {
  return line ? `${line} ${word}` : word;
}
