/** Downloads of pictures: SVG, and PNG rendered from it. */

const PNG_SCALE = 2;

/** Render an SVG blob as PNG. */
export async function svgBlobToPng(svg: Blob, width: number, height: number): Promise<Blob> {
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Render an SVG element as PNG with two pixels per unit. */
export function svgToPng(svg: Element): Promise<Blob> {
  const [, , viewWidth = 0, viewHeight = 0] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const [width, height] = [Math.round(PNG_SCALE * viewWidth), Math.round(PNG_SCALE * viewHeight)];
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  return svgBlobToPng(svgToBlob(svg), width, height);
}

/** Fetch an SVG from the server and render it as PNG. */
export async function fetchSvgAsPng(url: string): Promise<Blob> {
  const response = await fetch(url);
  return svgToPng(new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement);
}

/** An SVG element as a blob. */
export function svgToBlob(svg: Element): Blob {
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

/** Save a blob under a name. */
export function downloadBlob(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
