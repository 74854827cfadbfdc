/** Formatting of numbers, dates and names. */

const SUPERSCRIPTS: Record<string, string> = Object.fromEntries(Array.from("-0123456789", (sign, k) => [sign, "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"[k] ?? ""]));
const integerFormat = new Intl.NumberFormat("en");

/** An integer with thousands separators. */
export function formatNumber(value: number): string {
  return integerFormat.format(value);
}

/** "1 page", "2 pages", "3 authorities". */
export function formatCount(value: number, unit: string): string {
  const plural = unit.endsWith("y") ? `${unit.slice(0, -1)}ies` : `${unit}s`;
  return `${formatNumber(value)} ${value === 1 ? unit : plural}`;
}

/** A score to three digits. */
export function formatScore(value: number | null): string {
  if (value === null) return "unknown";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1000) return formatNumber(Math.round(value));
  if (size >= 0.001) return String(Number(value.toPrecision(3)));
  const [digits = "", power = ""] = value.toExponential(1).split("e");
  return `${digits}×10${Array.from(power, (sign) => SUPERSCRIPTS[sign] ?? "").join("")}`;
}

/** A score between 0 and 1, with as many digits as the others of its column. */
export function formatUnitScore(value: number): string {
  return value < 0.001 || value > 1 ? formatScore(value) : value.toFixed(3);
}

/** A relevance between 0 and 1, or a mean of some, to the two digits that a column needs. */
export function formatRelevance(value: number | null): string {
  return value === null ? "unknown" : value.toFixed(2);
}

/** A share as a percentage. */
export function formatPercent(value: number | null): string {
  if (value === null) return "unknown";
  const hundred = 100 * value;
  if (hundred > 0 && hundred < 0.05) return "< 0.1 %";
  return `${hundred !== 0 && Math.abs(hundred) < 10 ? hundred.toFixed(1) : hundred.toFixed(0)} %`;
}

/** Text from pages without control characters. */
export function stripControlChars(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]|\p{Surrogate}/gu, " ").trim();
}

const RTL_SCRIPTS = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

/** The reading direction of a text: that of most of its letters, not of the first one. */
export function textDirection(text: string): "ltr" | "rtl" {
  const letters = text.match(/\p{L}/gu) ?? [];
  return 2 * letters.filter((letter) => RTL_SCRIPTS.test(letter)).length > letters.length ? "rtl" : "ltr";
}

export interface DirectionRun {
  text: string;
  direction: "ltr" | "rtl";
}

/** The parts of a text that are written in one direction; spaces, digits and marks belong to the letters before them. */
export function directionRuns(text: string): DirectionRun[] {
  const runs: DirectionRun[] = [];
  for (const word of text.split(/(?<=\s)/)) {
    const last = runs.at(-1);
    const direction = /\p{L}/u.test(word) ? textDirection(word) : (last?.direction ?? textDirection(text));
    if (last && last.direction === direction) last.text += word;
    else runs.push({ text: word, direction });
  }
  return runs;
}

/** A text up to some length, cut at the end of a word. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  const ended = /\s/.test(text[maxLength] ?? "") ? cut : cut.replace(/\s+\S*$/, "");
  return `${(ended || cut).replace(/[\s·|,;:–—-]+$/, "")}…`;
}

/** A URL without scheme and www. */
export function displayUrl(url: string): string {
  return stripControlChars(url)
    .replace(/^https?:\/\/(www\.)?/, "")
    .replace(/^([^/]+)\/$/, "$1");
}

/** The host of a URL. */
export function hostOfUrl(url: string): string {
  return displayUrl(url).replace(/[/?#].*$/s, "");
}

/** The title of a page, or else its address. */
export function displayName(pageRef: { title: string; url: string }): string {
  return stripControlChars(pageRef.title) || displayUrl(pageRef.url);
}

/** A date, from seconds since 1970. */
export function formatDate(time: number): string {
  return time ? new Date(1000 * time).toISOString().slice(0, 10) : "unknown";
}

/** A date and time of day in UTC, from seconds since 1970. */
export function formatTime(time: number): string {
  return time ? new Date(1000 * time).toISOString().slice(0, 16).replace("T", " ") : "unknown";
}

/** A text as a sentence: capitalised, with a full stop. */
export function toSentence(text: string): string {
  const trimmed = text.trim();
  return trimmed && `${trimmed[0]?.toUpperCase()}${trimmed.slice(1)}${/[.!?…]$/.test(trimmed) ? "" : "."}`;
}

const COMMAND = /`weft |(?<![\w-])--[a-z]/;

/** A hint without the parts that are about the command line, which has other words for what the workbench offers. */
export function withoutCommands(hint: string): string {
  const plain = hint
    .replace(/ \(--[\w-]+\)/g, "")
    .replace(/--level (\w+)/g, "the level of $1s")
    .replace(/\b(an?) --(\w+)/g, "$1 $2");
  if (!COMMAND.test(plain)) return plain;
  const parts = plain.split(/(?<=[.;]) |, or |(?<=,) /).filter((part) => !COMMAND.test(part));
  return parts.join(" ").replace(/[\s,;:]+$/, "");
}

/** A text about a method in the words of the workbench: options and commands without the syntax of the command line. */
export function withoutOptionSyntax(text: string): string {
  const words = (_: string, no: string | undefined, name: string, value: string | undefined) =>
    `${name.replaceAll("-", " ")}${no ? ": no" : value ? `: ${value}` : ""}`;
  return text
    .replace(/(?<=`--[\w-]+)(?= --)/g, ",")
    .replace(/`weft (?:[a-z-]+ )?([a-z-]+)`/g, "`$1`")
    .replace(/(?<![\w-])--(no-)?([a-z][\w-]*)(?: ([\w.]+)(?=`))?/g, words);
}

/** "en 1,450, de 22" or "en (1,450)" with the names of the languages. */
export function spellLanguages(text: string): string {
  return text.replace(/(?<![\w-])([a-z]{2,3}(?:-\w+)?)(?= \(?\d)/g, (code) => languageName(code));
}

const languageNames = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });

/** The name of a language in English, or its code where there is none. */
export function languageName(code: string): string {
  try {
    return languageNames.of(code) ?? code;
  } catch {
    return code; // not a language tag
  }
}
