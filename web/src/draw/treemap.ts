/** Rectangles as large as their values, and as square as can be (Bruls, Huizing, van Wijk 2000). */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Divide a rectangle; values are given in falling order. */
export function squares(values: readonly number[], width: number, height: number): Box[] {
  const total = values.reduce((sum, value) => sum + value, 0) || 1;
  const areas = values.map((value) => (value / total) * width * height);
  const boxes: Box[] = [];
  const free = { x: 0, y: 0, width, height };
  let start = 0;
  while (start < areas.length) {
    const side = Math.min(free.width, free.height);
    let end = start + 1;
    while (end < areas.length && worst(areas.slice(start, end + 1), side) <= worst(areas.slice(start, end), side)) end += 1;
    boxes.push(...row(areas.slice(start, end), free));
    start = end;
  }
  return boxes;
}

function worst(areas: readonly number[], side: number): number {
  const sum = areas.reduce((a, b) => a + b, 0);
  const square = (sum / Math.max(side, 1e-9)) ** 2;
  return Math.max(...areas.map((area) => Math.max(square / area, area / square)));
}

/** Lay a row along the shorter side of what is free, and take it away. */
function row(areas: readonly number[], free: Box): Box[] {
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

/** Words in lines of a width, ended by … where a word ends; no line where not even the first word fits. */
export function fitted(words: string, width: number, most: number, wide: (words: string) => number): string[] {
  const lines: string[] = [];
  const rest = words.split(/\s+/).filter(Boolean);
  while (rest.length > 0 && lines.length < most) {
    let line = "";
    while (rest[0] !== undefined && wide(join(line, rest[0])) <= width) line = join(line, rest.shift() ?? "");
    if (!line) break;
    lines.push(line);
  }
  if (rest.length > 0) end(lines, width, wide);
  return lines.map((line) => line.replace(/^· /, "")).filter(Boolean);
}

/** End the last line by …, which takes the place of words that leave no room for it. */
function end(lines: string[], width: number, wide: (words: string) => number): void {
  let last = lines.pop();
  while (last !== undefined) {
    const ended: string = `${last.replace(/[\s·]+$/, "")}…`;
    if (ended.length > 1 && wide(ended) <= width) {
      lines.push(ended);
      return;
    }
    last = last.includes(" ") ? last.replace(/\s+\S+$/, "") : lines.pop();
  }
}

function join(line: string, word: string): string {
  return line ? `${line} ${word}` : word;
}
