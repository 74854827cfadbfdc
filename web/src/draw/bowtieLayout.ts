/** Layout of a bow-tie diagram: areas are proportional to numbers of pages. */

/** A circle of the bow-tie. */
export interface Circle {
  region: string;
  x: number;
  y: number;
  radius: number;
}

/** A wing: `x` is its narrow end at the core, `length` is negative if it points left. */
export interface Wing {
  region: string;
  x: number;
  y: number;
  length: number;
}

export interface BowTieLayout {
  width: number;
  height: number;
  core: Circle;
  wings: Wing[];
  satellites: Circle[];
  /** Regions too small to be visible, drawn larger than to scale. */
  enlarged: string[];
}

const SATELLITE_REGIONS = ["tendrils in", "tubes", "tendrils out", "other", "disconnected"];
const WING_END_RATIO = 0.72;
const WING_BEND_RATIO = 0.26;
const WING_START_RATIO = 0.22;
const WING_AREA_RATIO = (2 * (WING_END_RATIO + WING_BEND_RATIO + WING_START_RATIO)) / 3;
const SIDE_MARGIN = 84;
const GAP = 6;
const TOP = 10;
const ROW_GAP = 40;
const LABEL_HEIGHT = 44;
const MIN_RADIUS = 4;

/** Lay out the regions in a width; `sizes` are pages by region. */
export function layOutBowTie(sizes: ReadonlyMap<string, number>, width: number): BowTieLayout {
  const pagesIn = (region: string) => sizes.get(region) ?? 0;
  const [inWing, outWing] = [Math.sqrt(pagesIn("in") / WING_AREA_RATIO), Math.sqrt(pagesIn("out") / WING_AREA_RATIO)];
  const core = Math.sqrt(pagesIn("core") / Math.PI);
  const circles = SATELLITE_REGIONS.filter((region) => pagesIn(region) > 0).map((region) => ({ region, radius: Math.sqrt(pagesIn(region) / Math.PI) }));
  const least = Math.min(96, width / Math.max(circles.length, 1));
  const maxDiameter = Math.max(0, ...circles.map((circle) => 2 * circle.radius));
  const mainHeight = Math.max(2 * core, 2 * WING_END_RATIO * inWing, 2 * WING_END_RATIO * outWing);
  const maxHeight = width < 520 ? 280 : 390;
  const scale = Math.min(
    (width - 2 * SIDE_MARGIN - 2 * GAP) / Math.max(inWing + 2 * core + outWing, 1e-9),
    (width - least * Math.max(circles.length - 1, 0)) / Math.max(maxDiameter, 1e-9),
    (width - 8 * circles.length) / Math.max(circles.reduce((sum, circle) => sum + 2 * circle.radius, 0), 1e-9),
    maxHeight / (mainHeight + maxDiameter),
  );
  const enlarged: string[] = [];
  const enlargeIfTiny = (region: string, size: number, least: number) => {
    if (pagesIn(region) === 0 || size >= least) return size;
    enlarged.push(region);
    return least;
  };
  const radius = enlargeIfTiny("core", scale * core, MIN_RADIUS);
  const wings = [enlargeIfTiny("in", scale * inWing, 2 * MIN_RADIUS), enlargeIfTiny("out", scale * outWing, 2 * MIN_RADIUS)] as const;
  const y = TOP + (scale * mainHeight) / 2;
  const left = (width - (wings[0] + 2 * radius + wings[1] + 2 * GAP)) / 2;
  const x = left + wings[0] + GAP + radius;
  const columns = circles.map((circle) => ({ ...circle, radius: enlargeIfTiny(circle.region, scale * circle.radius, MIN_RADIUS) })).map((circle) => ({ ...circle, column: Math.max(2 * circle.radius + 8, least) }));
  const spare = Math.max(0, width - columns.reduce((sum, circle) => sum + circle.column, 0)) / Math.max(columns.length, 1);
  const row = TOP + scale * mainHeight + ROW_GAP + (scale * maxDiameter) / 2;
  let at = 0;
  const satellites = columns.map(({ region, radius, column }) => {
    at += column + spare;
    return { region, radius, x: at - (column + spare) / 2, y: row };
  });
  return {
    width,
    height: circles.length > 0 ? row + (scale * maxDiameter) / 2 + LABEL_HEIGHT : TOP + scale * mainHeight + 12,
    core: { region: "core", x, y, radius },
    wings: [
      { region: "in", x: x - radius - GAP, y, length: -wings[0] },
      { region: "out", x: x + radius + GAP, y, length: wings[1] },
    ].filter((wing) => wing.length !== 0),
    satellites,
    enlarged,
  };
}

/** The outline of a wing. */
export function wingPath({ x, y, length }: Wing): string {
  const size = Math.abs(length);
  const at = (along: number, up: number) => `${(x + along * length).toFixed(1)} ${(y + up * size).toFixed(1)}`;
  return `M${at(0, -WING_START_RATIO)}Q${at(0.5, -WING_BEND_RATIO)} ${at(1, -WING_END_RATIO)}L${at(1, WING_END_RATIO)}Q${at(0.5, WING_BEND_RATIO)} ${at(0, WING_START_RATIO)}Z`;
}

/** The foot of a wing, where connector lines start. */
export function wingFoot(wing: Wing): { x: number; y: number } {
  return { x: wing.x + 0.8 * wing.length, y: wing.y + 0.53 * Math.abs(wing.length) };
}
