/** The links from community to community as a picture to keep, for a white ground. */

import { SPACE, tag } from "./picture";

const CELL = 44;
const NAMES = 300;
const HEAD = 64;
const LONGEST = 40;
const STRONGEST = 0.55;

interface Matrix {
  communities: readonly number[];
  labels: readonly string[];
  cells: readonly (readonly number[])[];
}

/** Rows link to columns; the stronger the colour, the more, by powers. */
export function matrixPicture({ communities, labels, cells }: Matrix, font: string): SVGElement {
  const most = Math.max(1, ...cells.flat());
  const [width, height] = [NAMES + CELL * communities.length + 12, HEAD + CELL * communities.length + 12];
  const svg = tag("svg", { xmlns: SPACE, viewBox: `0 0 ${width} ${height}`, width, height, "font-family": font, "font-size": 13, role: "img" });
  svg.append(
    tag("title", {}, "Links from community to community"),
    tag("rect", { width, height, fill: "#ffffff" }),
    tag("text", { x: 12, y: 24, "font-size": 15, "font-weight": 600, fill: "#1f2328" }, "Which links to which"),
  );
  communities.forEach((one, i) => {
    const middle = HEAD + CELL * (i + 0.5);
    const label = labels[i] ?? "";
    const words = `${label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label} ${one}`;
    svg.append(
      tag("text", { x: NAMES - 8, y: middle + 4, "text-anchor": "end", fill: "#1f2328" }, words),
      tag("text", { x: NAMES + CELL * (i + 0.5), y: HEAD - 8, "text-anchor": "middle", fill: "#1f2328" }, String(one)),
    );
    cells[i]?.forEach((value, j) => {
      const strength = (STRONGEST * Math.log1p(value)) / Math.log1p(most);
      const x = NAMES + CELL * j;
      svg.append(tag("rect", { x, y: HEAD + CELL * i, width: CELL, height: CELL, fill: "#2b5c8a", "fill-opacity": strength.toFixed(3), stroke: "#dfe1dc" }));
      if (value > 0) svg.append(tag("text", { x: x + CELL / 2, y: middle + 4, "text-anchor": "middle", fill: "#1f2328", "font-size": 11 }, value.toLocaleString("en")));
    });
  });
  return svg;
}
