/** Pictures to keep: SVG as dots, and files handed to the reader. */

const TWICE = 2;

/** A picture as dots: PNG out of SVG. */
export async function dotted(svg: Blob, width: number, height: number): Promise<Blob> {
  const address = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** A drawn element as dots, twice as many each way as it has units. */
export function asDots(svg: Element): Promise<Blob> {
  const [, , wide = 0, high = 0] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const [width, height] = [Math.round(TWICE * wide), Math.round(TWICE * high)];
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  return dotted(asFile(svg), width, height);
}

/** A picture of the server as dots. */
export async function fetchedAsDots(address: string): Promise<Blob> {
  const answer = await fetch(address);
  return asDots(new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement);
}

/** A drawn element as a file. */
export function asFile(svg: Element): Blob {
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

/** Let the reader keep a file. */
export function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
