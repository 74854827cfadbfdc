/** How numbers and names are written. */

const RAISED: Record<string, string> = Object.fromEntries(Array.from("-0123456789", (sign, k) => [sign, "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"[k] ?? ""]));
const whole = new Intl.NumberFormat("en");

/** A whole number with its thousands apart. */
export function number(value: number): string {
  return whole.format(value);
}

/** "1 page", "2 pages", "3 authorities". */
export function count(value: number, thing: string): string {
  const many = thing.endsWith("y") ? `${thing.slice(0, -1)}ies` : `${thing}s`;
  return `${number(value)} ${value === 1 ? thing : many}`;
}

/** A score to three digits. */
export function score(value: number | null): string {
  if (value === null) return "unknown";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1000) return number(Math.round(value));
  if (size >= 0.001) return String(Number(value.toPrecision(3)));
  const [digits = "", power = ""] = value.toExponential(1).split("e");
  return `${digits}×10${Array.from(power, (sign) => RAISED[sign] ?? "").join("")}`;
}

/** A share as a percentage. */
export function share(value: number | null): string {
  if (value === null) return "unknown";
  const hundred = 100 * value;
  if (hundred > 0 && hundred < 0.05) return "< 0.1 %";
  return `${hundred !== 0 && Math.abs(hundred) < 10 ? hundred.toFixed(1) : hundred.toFixed(0)} %`;
}

/** Words that pages say of themselves, without control characters. */
export function clean(words: string): string {
  return words.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]|\p{Surrogate}/gu, " ").trim();
}

const BACKWARD = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

/** The direction in which words are read: that of most of their letters, not of the first one. */
export function direction(words: string): "ltr" | "rtl" {
  const letters = words.match(/\p{L}/gu) ?? [];
  return 2 * letters.filter((letter) => BACKWARD.test(letter)).length > letters.length ? "rtl" : "ltr";
}

/** Words up to some length, ended where a word ends. */
export function shortened(words: string, most: number): string {
  if (words.length <= most) return words;
  const cut = words.slice(0, most);
  const ended = /\s/.test(words[most] ?? "") ? cut : cut.replace(/\s+\S*$/, "");
  return `${(ended || cut).replace(/[\s·|,;:–—-]+$/, "")}…`;
}

/** A URL as people write it. */
export function bare(url: string): string {
  return clean(url).replace(/^https?:\/\/(www\.)?/, "").replace(/^([^/]+)\/$/, "$1");
}

/** The host of a URL. */
export function host(url: string): string {
  return bare(url).replace(/[/?#].*$/s, "");
}

/** What a page is called: its title, or else its address. */
export function called(named: { title: string; page: string }): string {
  return clean(named.title) || bare(named.page);
}

/** A day, from seconds since 1970. */
export function day(time: number): string {
  return time ? new Date(1000 * time).toISOString().slice(0, 10) : "unknown";
}
