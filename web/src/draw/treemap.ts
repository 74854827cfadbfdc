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
