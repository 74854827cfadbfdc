/** Where the regions of a bow-tie lie: a page has the same area in each of them. */

/** A circle of the bow-tie. */
export interface Ball {
  region: string;
  x: number;
  y: number;
  radius: number;
}

/** A wing: `x` is its narrow end at the core, `length` is negative where it points left. */
export interface Wing {
  region: string;
  x: number;
  y: number;
  length: number;
}

export interface Tie {
  width: number;
  height: number;
  core: Ball;
  wings: Wing[];
  beside: Ball[];
  /** Regions too small to be seen, drawn larger than their pages. */
  enlarged: string[];
}

const BESIDE = ["tendrils in", "tubes", "tendrils out", "other", "disconnected"];
const FAR = 0.72;
const BEND = 0.26;
const NEAR = 0.22;
const AREA = (2 * (FAR + BEND + NEAR)) / 3;
const SIDE = 84;
const GAP = 6;
const TOP = 10;
const BETWEEN = 40;
const WORDS = 44;
const LEAST = 4;

/** Lay out the regions in so much room; `sizes` are pages by region. */
export function layOut(sizes: ReadonlyMap<string, number>, width: number): Tie {
  const of = (region: string) => sizes.get(region) ?? 0;
  const [into, out] = [Math.sqrt(of("in") / AREA), Math.sqrt(of("out") / AREA)];
  const core = Math.sqrt(of("core") / Math.PI);
  const round = BESIDE.filter((region) => of(region) > 0).map((region) => ({ region, radius: Math.sqrt(of(region) / Math.PI) }));
  const least = Math.min(96, width / Math.max(round.length, 1));
  const widest = Math.max(0, ...round.map((ball) => 2 * ball.radius));
  const tall = Math.max(2 * core, 2 * FAR * into, 2 * FAR * out);
  const most = width < 520 ? 280 : 390;
  const scale = Math.min(
    (width - 2 * SIDE - 2 * GAP) / Math.max(into + 2 * core + out, 1e-9),
    (width - least * Math.max(round.length - 1, 0)) / Math.max(widest, 1e-9),
    (width - 8 * round.length) / Math.max(round.reduce((sum, ball) => sum + 2 * ball.radius, 0), 1e-9),
    most / (tall + widest),
  );
  const enlarged: string[] = [];
  const seen = (region: string, size: number, least: number) => {
    if (of(region) === 0 || size >= least) return size;
    enlarged.push(region);
    return least;
  };
  const radius = seen("core", scale * core, LEAST);
  const wings = [seen("in", scale * into, 2 * LEAST), seen("out", scale * out, 2 * LEAST)] as const;
  const y = TOP + (scale * tall) / 2;
  const left = (width - (wings[0] + 2 * radius + wings[1] + 2 * GAP)) / 2;
  const x = left + wings[0] + GAP + radius;
  const columns = round.map((ball) => ({ ...ball, radius: seen(ball.region, scale * ball.radius, LEAST) })).map((ball) => ({ ...ball, column: Math.max(2 * ball.radius + 8, least) }));
  const spare = Math.max(0, width - columns.reduce((sum, ball) => sum + ball.column, 0)) / Math.max(columns.length, 1);
  const row = TOP + scale * tall + BETWEEN + (scale * widest) / 2;
  let at = 0;
  const beside = columns.map(({ region, radius, column }) => {
    at += column + spare;
    return { region, radius, x: at - (column + spare) / 2, y: row };
  });
  return {
    width,
    height: round.length > 0 ? row + (scale * widest) / 2 + WORDS : TOP + scale * tall + 12,
    core: { region: "core", x, y, radius },
    wings: [
      { region: "in", x: x - radius - GAP, y, length: -wings[0] },
      { region: "out", x: x + radius + GAP, y, length: wings[1] },
    ].filter((wing) => wing.length !== 0),
    beside,
    enlarged,
  };
}

/** The outline of a wing. */
export function wingPath({ x, y, length }: Wing): string {
  const size = Math.abs(length);
  const at = (along: number, up: number) => `${(x + along * length).toFixed(1)} ${(y + up * size).toFixed(1)}`;
  return `M${at(0, -NEAR)}Q${at(0.5, -BEND)} ${at(1, -FAR)}L${at(1, FAR)}Q${at(0.5, BEND)} ${at(0, NEAR)}Z`;
}

/** The foot of a wing, where what hangs on it begins. */
export function footOf(wing: Wing): { x: number; y: number } {
  return { x: wing.x + 0.8 * wing.length, y: wing.y + 0.53 * Math.abs(wing.length) };
}
