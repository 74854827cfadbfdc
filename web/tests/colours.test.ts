/// <reference types="vite/client" />
/** The colours of groups stay distinct, also for colour-blind readers, and stand out from the paper. */

import { describe, expect, test } from "vitest";
import css from "../src/style/base.css?raw";

type Vector = readonly [number, number, number];
type Matrix = readonly [Vector, Vector, Vector];

/** Complete lack of one kind of cone, in linear RGB (Machado, Oliveira, Fernandes 2009). */
const VISIONS: Record<string, Matrix> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const TO_CONES: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_OKLAB: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

const multiply = (matrix: Matrix, vector: Vector): Vector =>
  matrix.map((row) => row.reduce((sum, value, k) => sum + value * vector[k]!, 0)) as unknown as Vector;
const clamp = (vector: Vector): Vector => vector.map((value) => Math.min(1, Math.max(0, value))) as unknown as Vector;

function linearRgb(hex: string): Vector {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function oklab(linear: Vector): Vector {
  const cones = multiply(TO_CONES, linear).map(Math.cbrt) as unknown as Vector;
  return multiply(TO_OKLAB, cones);
}

function contrast(first: string, other: string): number {
  const [a, b] = [first, other].map((hex) => {
    const [red, green, blue] = linearRgb(hex);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }) as [number, number];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function palette(selector: string): { colours: string[]; paper: string } {
  const block = css.slice(css.indexOf(`${selector} {`)).split("}")[0] ?? "";
  const read = (name: string) => new RegExp(`${name}: (#[0-9a-f]{6})`).exec(block)?.[1] ?? "";
  return { colours: Array.from({ length: 12 }, (_, k) => read(`--group-${k + 1}`)), paper: read("--paper") };
}

describe.each([
  ["light", ":root"],
  ["dark", ":root[data-theme=dark]"],
])("%s", (_, selector) => {
  const { colours, paper } = palette(selector);

  test("there are twelve", () => {
    expect(new Set(colours).size).toBe(12);
    expect(colours).not.toContain("");
  });

  test.each(Object.keys(VISIONS))("any two differ: %s", (vision) => {
    const seen = colours.map((hex) => oklab(clamp(multiply(VISIONS[vision]!, linearRgb(hex)))));
    const distances = seen.flatMap((a, i) => seen.slice(i + 1).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])));
    expect(distances).toHaveLength(66);
    expect(Math.min(...distances)).toBeGreaterThan(0.09); // a just noticeable difference is about 0.02
  });

  test("each stands out from the paper", () => {
    for (const hex of colours) expect(contrast(hex, paper)).toBeGreaterThan(2.9);
  });
});
