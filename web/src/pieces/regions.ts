/** Names and colours of the regions of the bow-tie. */

const COLOUR_CLASSES: Record<string, string> = {
  core: "t1",
  in: "t3",
  out: "t2",
  tubes: "t4",
  "tendrils in": "t9",
  "tendrils out": "t8",
  other: "t5",
};

/** The class that gives a region its colour. */
export function regionColourClass(region: string): string {
  return COLOUR_CLASSES[region] ?? "t10";
}

/** A text with a capital first letter. */
export function capitalise(region: string): string {
  return region.charAt(0).toUpperCase() + region.slice(1);
}
