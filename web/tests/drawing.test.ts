/** Pieces of drawings and screens that need no browser. */

import { describe, expect, test } from "vitest";
import type { DrawingResponse } from "../src/api/schemas";
import { bundleLinks } from "../src/draw/bundles";
import { mixColours, nameLanguages } from "../src/draw/style";
import { distinctLabels, wrapLabel } from "../src/draw/wrapLabel";
import { nextPeriod } from "../src/pieces/histogram";
import { directionRuns, spellLanguages } from "../src/pieces/format";
import { archiveTimestamp, PRESETS, replayUrl } from "../src/replay";
import { exampleQueries, labelRegions } from "../src/screens/home/collectionPicture";
import { FILTER_PARAMS, filterParams, periodName, toggleFilter } from "../src/screens/search/facets";

const width = (text: string) => 10 * text.length;
const route = (search: string) => ({ path: "/search", search: new URLSearchParams(search) });

describe("labels of regions", () => {
  test("are wrapped at spaces, without separators at the end of a line", () => {
    expect(wrapLabel("Cats · Panthera Onca", 130, 2, width)).toEqual(["Cats", "Panthera Onca"]);
  });
  test("keep what a no-break space holds together", () => {
    expect(wrapLabel("15\u00a0umich.edu of Michigan", 130, 2, width)).toEqual(["15\u00a0umich.edu", "of Michigan"]);
  });
  test("begin with what tells them apart", () => {
    const labels = ["Computer Science · Ithaca", "computer science · Texas", "Courses", "Computer Science"];
    expect(distinctLabels(labels)).toEqual(["Ithaca · Computer Science", "Texas · computer science", "Courses", "Computer Science"]);
  });
  test("are cut where lines run out", () => {
    expect(wrapLabel("one two three four", 70, 2, width)).toEqual(["one two", "three…"]);
  });
  test("are no wider than the lines, whatever the word", () => {
    expect(wrapLabel("Donaudampfschiff", 50, 2, width)).toEqual(["Donau…"]);
    expect(wrapLabel("blog.example.org · two", 80, 1, width)).toEqual(["blog.exa…"]);
    expect(wrapLabel("Understand it", 90, 2, width)).toEqual(["Understand", "it"]);
  });
});

describe("labels of the picture of a collection", () => {
  const circle = (x: number, radius: number) => ({ x, y: 0, radius });
  test("do not cover each other: that of a small region keeps within it", () => {
    const [large, small] = labelRegions(["Bird · Biology", "Washington streetcars"], [circle(0, 60), circle(79, 24)]);
    expect(large?.lines).toEqual(["Bird · Biology"]);
    expect(small?.lines).toEqual(["Washingt…", "streetca…"]);
    const [, alone] = labelRegions(["Bird · Biology", "Washington streetcars"], [circle(0, 60), circle(300, 24)]);
    expect(alone?.lines).toEqual(["Washington", "streetcars"]);
  });
  test("are left out where there is no room", () => {
    const [large, tiny] = labelRegions(["Bird · Biology", "Philately"], [circle(0, 60), circle(70, 10)]);
    expect(large?.lines).toHaveLength(1);
    expect(tiny?.lines).toEqual([]);
  });
});

describe("languages", () => {
  const node = (language: string) => ({ attributes: { language } }) as unknown as DrawingResponse["nodes"][number];
  const groups = ["de", "en"].map((group) => ({ group, label: group }) as DrawingResponse["groups"][number]);
  test("are regions with their names", () => {
    expect(nameLanguages({ groups, nodes: [node("en"), node("de")] }).map(({ label }) => label)).toEqual(["German", "English"]);
  });
  test("are not guessed from the names of other regions", () => {
    expect(nameLanguages({ groups, nodes: [node("en")] })).toBe(groups);
  });
  test("are spelt out among the facts", () => {
    expect(spellLanguages("en 1,450, zh-Hant 2, unknown 5")).toBe("English 1,450, Traditional Chinese 2, unknown 5");
    expect(spellLanguages("the pages are in en (1,450) and de (22)")).toBe("the pages are in English (1,450) and German (22)");
  });
});

describe("periods", () => {
  test.each([
    ["2004", "2005"],
    ["2004-12", "2005-01"],
    ["2004-02-28", "2004-02-29"],
    ["2003-12-31", "2004-01-01"],
  ])("%s is followed by %s", (period, next) => expect(nextPeriod(period)).toBe(next));
});

test.each([
  ["2004-04", "2004-05", "2004-04"],
  ["2004-04", "2004-06", "from 2004-04 to before 2004-06"],
  ["2004-04", null, "since 2004-04"],
  [null, "2004", "before 2004"],
])("captures between %s and %s are those of %s", (since, until, name) => expect(periodName(since, until)).toBe(name));

describe("replay links", () => {
  const day = Date.UTC(2004, 4, 31, 12, 30, 5) / 1000;
  test("have the time as archives write it", () => {
    expect(archiveTimestamp(day)).toBe("20040531123005");
    expect(archiveTimestamp(0)).toBe("");
  });
  test("of the Wayback Machine", () => {
    expect(replayUrl(PRESETS[0]!.template, "http://a.example/?q=1", day)).toBe(
      "https://web.archive.org/web/20040531123005/http://a.example/?q=1",
    );
  });
  test("encode the address where it is part of a query", () => {
    expect(replayUrl("https://replayweb.page/?url={url-encoded}", "http://a.example/?q=1&r=$&", day)).toBe(
      "https://replayweb.page/?url=http%3A%2F%2Fa.example%2F%3Fq%3D1%26r%3D%24%26",
    );
  });
  test.each(["javascript:alert(1)//{url}", "data:text/html,{url}", "{url}", "https://{url}", "https://a.example/", ""])(
    "are none for the template %s",
    (template) => expect(replayUrl(template, "javascript:alert(1)", day)).toBe(""),
  );
});

describe("filters", () => {
  test("are added and taken away", () => {
    const added = toggleFilter(route("query=x&language=de&offset=20"), { param: "language", value: "fr" });
    expect(added).toBe("/search?query=x&language=de&language=fr");
    expect(toggleFilter(route("language=de&language=fr"), { param: "language", value: "de" })).toBe("/search?language=fr");
  });
  test("are read from the address", () => {
    expect(filterParams(new URLSearchParams("query=x&tag=a=b&tag=c=d&since=2004"))).toEqual({ tag: ["a=b", "c=d"], since: ["2004"] });
    expect(FILTER_PARAMS).not.toContain("query");
  });
});

test("example queries are words, not addresses, and differ", () => {
  const labels = ["Cars · Owners", "cars · Parts", "www.a.example · x", "42", "Rain gauge readings"];
  expect(exampleQueries(labels)).toEqual(["Cars", "Rain gauge readings"]);
});

test("runs of text have one direction each; numbers stay with the letters before", () => {
  expect(directionRuns("jaguar يغور 12 car")).toEqual([
    { text: "jaguar ", direction: "ltr" },
    { text: "يغور 12 ", direction: "rtl" },
    { text: "car", direction: "ltr" },
  ]);
  expect(directionRuns("plain words")).toHaveLength(1);
});

test("colours are mixed by channel", () => {
  expect(mixColours("#ffffff", "#000", 0.5)).toBe("#808080");
});

describe("links between regions", () => {
  const groups = ["a", "b", "c"].map((group) => ({ group, label: group, nodes: 1, pages: 1, x: 0, y: 0, radius: 1 }));
  const nodes = groups.map(({ group }) => ({ group }));
  const links = (count: number, source: number, target: number) => Array.from({ length: count }, () => ({ source, target, weight: 1 }));
  const drawing = (...all: { source: number; target: number; weight: number }[][]) =>
    ({ groups, nodes, links: all.flat() }) as unknown as DrawingResponse;

  test("are drawn one by one where they are few", () => {
    expect(bundleLinks(drawing(links(60, 0, 1)))).toEqual([]);
    expect(bundleLinks(drawing(links(900, 0, 0)))).toEqual([]);
  });
  test("are one line for a pair where they are many, the widest last", () => {
    const bundles = bundleLinks(drawing(links(200, 0, 1), links(200, 1, 0), links(100, 1, 2)));
    expect(bundles.map(({ source, target, links }) => [source, target, links])).toEqual([
      ["b", "c", 100],
      ["a", "b", 400],
    ]);
    expect(bundles[1]!.width).toBeGreaterThan(bundles[0]!.width);
  });
  test("leave out hidden nodes and light links", () => {
    const both = drawing(links(300, 0, 1), links(300, 1, 2));
    expect(bundleLinks(both, (node) => node.group !== "a")).toHaveLength(1);
    expect(bundleLinks(both, undefined, 2)).toEqual([]);
  });
});
