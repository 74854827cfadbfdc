/** A word that is wider than its line by no more than this factor stays whole. */
const SLACK = 1.2;

/** Wrap a label into lines of a width, at its spaces other than no-break ones; what does not fit is cut off with an ellipsis. */
export function wrapLabel(text: string, width: number, maxLines: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const whole of text.split(/[ \t\n]+/)) {
    const word = cutToWidth(whole, SLACK * width, measure);
    const longer = line ? `${line} ${word}` : word;
    if (!line || measure(longer) <= width) {
      line = longer;
    } else if (lines.length + 1 < maxLines) {
      lines.push(line.replace(/\s*·$/, ""));
      line = word === "·" ? "" : word;
    } else {
      return [...lines, `${line.replace(/[\s·…]+$/, "")}…`];
    }
  }
  return [...lines, line].filter(Boolean);
}

/** A text, or as many of its letters as fit with an ellipsis. */
export function cutToWidth(word: string, width: number, measure: (text: string) => number): string {
  if (measure(word) <= width) return word;
  const letters = Array.from(word);
  let kept = letters.length - 1;
  while (kept > 1 && measure(`${letters.slice(0, kept).join("")}…`) > width) kept--;
  return `${letters.slice(0, kept).join("")}…`;
}

/** Labels for places where their ends are cut off: phrases that several of them share come last. */
export function distinctLabels(labels: readonly string[]): string[] {
  const phrases = labels.map((label) => label.split(" · "));
  const uses = new Map<string, number>();
  for (const phrase of phrases.flatMap((each) => [...new Set(each.map((text) => text.toLowerCase()))]))
    uses.set(phrase, (uses.get(phrase) ?? 0) + 1);
  const isShared = (phrase: string) => (uses.get(phrase.toLowerCase()) ?? 0) > 1;
  return phrases.map((each) => [...each.filter((phrase) => !isShared(phrase)), ...each.filter(isShared)].join(" · "));
}
