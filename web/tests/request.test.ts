import { expect, test } from "vitest";
import { parseGroupsRequest } from "../src/screens/groups/request";

const parse = (kind: "topics" | "communities", search: string) =>
  parseGroupsRequest(kind, { path: `/${kind}`, search: new URLSearchParams(search) }, "auto");

test("what the screen does not know is an option of the analysis", () => {
  const request = parse("topics", "query=jaguar&topic=3&node=http://a.example/&show=table&exclude=a&exclude=b");
  expect(request.params).toEqual({ query: "jaguar", level: "page", exclude: ["a", "b"] });
  expect(request.number).toBe(3);
  expect(request.from).toBe("query=jaguar&exclude=a&exclude=b");
});

test("the chosen group is that of the screen", () => {
  expect(parse("communities", "community=4&topic=3").number).toBe(4);
  expect(parse("topics", "topic=none").number).toBe(1);
});

test("another group keeps the options and forgets the place in lists", () => {
  const request = parse("communities", "resolution=2&community=4&members=20&with=3&links=20&view=matrix");
  expect(request.groupUrl(2)).toBe("/communities?resolution=2&community=2&view=matrix");
  expect(request.groupUrl(1)).toBe("/communities?resolution=2&view=matrix");
});

test("a changed option of topics is compared with the run before", () => {
  expect(parse("topics", "query=jaguar").withOptions({ root_size: ["50"] })).toBe("/topics?query=jaguar&was=default&root_size=50");
  const changed = parse("topics", "query=jaguar&root_size=50&was=method%3Dhits%26steps%3D2");
  expect(changed.previous).toEqual({
    method: "hits",
    params: { query: "jaguar", level: "page", steps: ["2"] },
    description: "method hits, steps 2",
  });
  expect(changed.withMethod("salsa")).toBe("/topics?query=jaguar&was=root_size%3D50&method=salsa");
  expect(changed.defaultsUrl).toBe("/topics?query=jaguar");
});

test("communities are not compared", () => {
  expect(parse("communities", "query=jaguar").withOptions({ resolution: ["2"] })).toBe("/communities?query=jaguar&resolution=2");
});
