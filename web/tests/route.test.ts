import { describe, expect, test } from "vitest";
import { buildUrl, type Route, withParams } from "../src/route";

const route: Route = { path: "/topics", search: new URLSearchParams("query=jaguar&exclude=a.example&exclude=b.example") };

describe("buildUrl", () => {
  test("leaves out empty parameters, and keeps zero and false", () => {
    expect(buildUrl("/map", { query: "", level: null, around: undefined, topic: 0, all: false })).toBe("/map?topic=0&all=false");
  });

  test("repeats the items of a list", () => {
    expect(buildUrl("/topics", { exclude: ["a", "b"] })).toBe("/topics?exclude=a&exclude=b");
    expect(buildUrl("/topics", { exclude: [] })).toBe("/topics");
  });

  test("escapes values", () => {
    expect(buildUrl("/page", { url: "http://a.example/?b=c&d#e" })).toBe("/page?url=http%3A%2F%2Fa.example%2F%3Fb%3Dc%26d%23e");
  });
});

describe("withParams", () => {
  test("keeps other parameters, all their values too", () => {
    expect(withParams(route, { topic: 2 })).toBe("/topics?query=jaguar&exclude=a.example&exclude=b.example&topic=2");
  });

  test("removes a parameter by null and replaces one by a value", () => {
    expect(withParams(route, { exclude: null, query: "puma" })).toBe("/topics?query=puma");
  });

  test("does not change the route", () => {
    withParams(route, { query: null });
    expect(route.search.get("query")).toBe("jaguar");
  });
});
