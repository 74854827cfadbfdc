/** The matrix of links between communities as an SVG on white. */

import type { LinkMatrix } from "../api/schemas";
import { SVG_NAMESPACE, svgElement } from "./drawingSvg";

const CELL_SIZE = 44;
const LABEL_WIDTH = 300;
const HEADER_HEIGHT = 64;
const MAX_LABEL_LENGTH = 40;
const MAX_OPACITY = 0.55;

/** Rows link to columns; the colour shows the logarithm of the number of links. */
export function matrixToSvg({ numbers, labels, cells }: LinkMatrix, font: string): SVGElement {
  const maxLinks = Math.max(1, ...cells.flat());
  const [width, height] = [LABEL_WIDTH + CELL_SIZE * numbers.length + 12, HEADER_HEIGHT + CELL_SIZE * numbers.length + 12];
  const svg = svgElement("svg", {
    xmlns: SVG_NAMESPACE,
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    "font-family": font,
    "font-size": 13,
    role: "img",
  });
  svg.append(
    svgElement("title", {}, "Links between communities"),
    svgElement("rect", { width, height, fill: "#ffffff" }),
    svgElement("text", { x: 12, y: 24, "font-size": 15, "font-weight": 600, fill: "#1f2328" }, "Links between communities"),
  );
  numbers.forEach((number, i) => {
    const middle = HEADER_HEIGHT + CELL_SIZE * (i + 0.5);
    const label = labels[i] ?? "";
    const text = `${label.length > MAX_LABEL_LENGTH ? `${label.slice(0, MAX_LABEL_LENGTH - 1)}…` : label} ${number}`;
    svg.append(
      svgElement("text", { x: LABEL_WIDTH - 8, y: middle + 4, "text-anchor": "end", fill: "#1f2328" }, text),
      svgElement(
        "text",
        { x: LABEL_WIDTH + CELL_SIZE * (i + 0.5), y: HEADER_HEIGHT - 8, "text-anchor": "middle", fill: "#1f2328" },
        String(number),
      ),
    );
    cells[i]?.forEach((value, j) => {
      const strength = (MAX_OPACITY * Math.log1p(value)) / Math.log1p(maxLinks);
      const x = LABEL_WIDTH + CELL_SIZE * j;
      svg.append(
        svgElement("rect", {
          x,
          y: HEADER_HEIGHT + CELL_SIZE * i,
          width: CELL_SIZE,
          height: CELL_SIZE,
          fill: "#2b5c8a",
          "fill-opacity": strength.toFixed(3),
          stroke: "#dfe1dc",
        }),
      );
      if (value > 0)
        svg.append(
          svgElement(
            "text",
            { x: x + CELL_SIZE / 2, y: middle + 4, "text-anchor": "middle", fill: "#1f2328", "font-size": 11 },
            value.toLocaleString("en"),
          ),
        );
    });
  });
  return svg;
}
