/** Addresses of captures in web archives, by a template that the person chooses. */

export const PRESETS: readonly { name: string; template: string }[] = [
  { name: "Wayback Machine", template: "https://web.archive.org/web/{timestamp}/{url}" },
  { name: "pywb on this machine", template: "http://localhost:8080/my-web-archive/{timestamp}/{url}" },
  {
    name: "ReplayWeb.page",
    template: "https://replayweb.page/?source=https://example.org/archive.wacz#view=pages&ts={timestamp}&url={url-encoded}",
  },
  { name: "none", template: "" },
];
const STORAGE_KEY = "weft-replay";

export function readTemplate(): string {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? PRESETS[0]?.template ?? "";
  } catch {
    return PRESETS[0]?.template ?? ""; // storage is switched off
  }
}

export function saveTemplate(template: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, template);
  } catch {
    // it holds for this visit only
  }
}

/** A time as archives write it: 14 digits; empty if it is not known. */
export function archiveTimestamp(time: number): string {
  return time > 0 ? new Date(1000 * time).toISOString().replace(/\D/g, "").slice(0, 14) : "";
}

/** The address of a capture; empty where the template is none or no web address. */
export function replayUrl(template: string, url: string, time: number): string {
  if (!/^https?:\/\/[^{]/i.test(template) || !/\{url(-encoded)?\}/.test(template)) return "";
  return template
    .replaceAll("{timestamp}", archiveTimestamp(time) || "*")
    .replaceAll("{url-encoded}", () => encodeURIComponent(url))
    .replaceAll("{url}", () => url);
}
