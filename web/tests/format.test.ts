import { describe, expect, test } from "vitest";
import {
  displayName,
  displayUrl,
  formatCount,
  formatDate,
  formatPercent,
  formatRelevance,
  formatScore,
  hostOfUrl,
  languageName,
  stripControlChars,
  textDirection,
  toSentence,
  truncateText,
  withoutCommands,
  withoutOptionSyntax,
} from "../src/pieces/format";

describe("numbers", () => {
  test.each([
    [1, "page", "1 page"],
    [0, "page", "0 pages"],
    [1234, "community", "1,234 communities"],
  ])("%d %s", (value, unit, text) => expect(formatCount(value, unit)).toBe(text));

  test.each([
    [null, "unknown"],
    [0, "0"],
    [0.123456, "0.123"],
    [12345.6, "12,346"],
    [0.00032, "3.2×10⁻⁴"],
    [-0.00032, "-3.2×10⁻⁴"],
  ])("the score %s", (value, text) => expect(formatScore(value)).toBe(text));

  test.each([
    [null, "unknown"],
    [0.87, "0.87"],
    [0.8734, "0.87"],
    [1, "1.00"],
  ])("the relevance %s", (value, text) => expect(formatRelevance(value)).toBe(text));

  test.each([
    [null, "unknown"],
    [0, "0 %"],
    [0.0001, "< 0.1 %"],
    [0.015, "1.5 %"],
    [0.5, "50 %"],
  ])("the share %s", (value, text) => expect(formatPercent(value)).toBe(text));

  test("a date is that of UTC, and none is unknown", () => {
    expect(formatDate(86_399)).toBe("1970-01-01");
    expect(formatDate(0)).toBe("unknown");
  });
});

describe("texts", () => {
  test("control characters and lone surrogates become spaces", () => {
    expect(stripControlChars("\u001b[31mred\u0000\ud800")).toBe("[31mred");
    expect(stripControlChars("a\u2028b \u{1f406}")).toBe("a b \u{1f406}");
  });

  test("the direction is that of most letters", () => {
    expect(textDirection("יגואר in Hebrew")).toBe("ltr");
    expect(textDirection("A: היגואר הוא חתול")).toBe("rtl");
    expect(textDirection("")).toBe("ltr");
  });

  test("a text is cut at the end of a word", () => {
    expect(truncateText("short", 10)).toBe("short");
    expect(truncateText("one two three", 9)).toBe("one two…");
    expect(truncateText("one two, three", 8)).toBe("one two…");
    expect(truncateText("endlessword", 7)).toBe("endless…");
  });

  test("a sentence is capitalised and ends once", () => {
    expect(toSentence(" no page matches ")).toBe("No page matches.");
    expect(toSentence("Really?")).toBe("Really?");
    expect(toSentence("")).toBe("");
  });
});

describe("names of pages", () => {
  test("a URL is shown without scheme, www and the slash of a host", () => {
    expect(displayUrl("https://www.a.example/")).toBe("a.example");
    expect(displayUrl("http://a.example/b/")).toBe("a.example/b/");
    expect(hostOfUrl("http://www.a.example?b")).toBe("a.example");
  });

  test("a page without a title is named by its URL", () => {
    expect(displayName({ title: "\u0000 ", url: "http://a.example/" })).toBe("a.example");
    expect(displayName({ title: "A", url: "http://a.example/" })).toBe("A");
  });
});

describe("messages", () => {
  test("a hint loses what is about the command line", () => {
    expect(withoutCommands("tag pages with at least two values of decision, or give a CSV file with --train")).toBe(
      "tag pages with at least two values of decision",
    );
    expect(withoutCommands("check the seeds, or describe the topic (--topic)")).toBe("check the seeds, or describe the topic");
    expect(withoutCommands("--level host needs about 3 GB")).toBe("the level of hosts needs about 3 GB");
    expect(withoutCommands("`weft doctor COLLECTION` lists every damaged file")).toBe("");
    expect(withoutCommands("try fewer words; a well-known --name is not one")).toBe("try fewer words");
    expect(withoutCommands("did you mean 'hits'?")).toBe("did you mean 'hits'?");
  });

  test("a text about a method has the names that its options have in forms", () => {
    expect(withoutOptionSyntax("every row of `--max-size 50`, or with `--no-weigh-by-relevance`")).toBe(
      "every row of `max size: 50`, or with `weigh by relevance: no`",
    );
    expect(withoutOptionSyntax("[ + cosine, with --text ]; see `weft methods patterns`")).toBe("[ + cosine, with text ]; see `patterns`");
    expect(withoutOptionSyntax("`--no-boundaries --smoothing`; well--known, a -- b")).toBe(
      "`boundaries: no, smoothing`; well--known, a -- b",
    );
  });

  test("a language is called by its name", () => {
    expect(languageName("de")).toBe("German");
    expect(languageName("pt-BR")).toBe("Brazilian Portuguese");
    expect(languageName("<b>")).toBe("<b>");
  });
});
