/** Names and colours of the regions of the bow-tie. */

const COLOUR_CLASSES: Record<string, string> = {
  core: "group-1",
  in: "group-3",
  out: "group-2",
  tubes: "group-4",
  "tendrils in": "group-9",
  "tendrils out": "group-8",
  other: "group-5",
};

/** The class that gives a region its colour. */
export function regionColourClass(region: string): string {
  return COLOUR_CLASSES[region] ?? "neutral";
}

/** A text with a capital first letter. */
export function capitalise(region: string): string {
  return region.charAt(0).toUpperCase() + region.slice(1);
}
