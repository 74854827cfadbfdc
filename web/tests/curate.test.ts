import { expect, test, vi } from "vitest";
import { ApiError, localProblem } from "../src/api/client";
import { actionOf, isTakenBy, KEYS } from "../src/screens/curate/keys";
import * as rows from "../src/screens/curate/rows";
import { SaveQueue } from "../src/screens/curate/saving";
import { topicChanges } from "../src/screens/curate/topicChanges";

const PROPOSAL = { url: "http://a/", title: "", kind: "captured", value: "in", certainty: 0.934, words: [], neighbours: [], anchors: [] };
const row = (url: string, value = "", tags: rows.Row["tags"] = []): rows.Row => ({
  url,
  title: url,
  kind: "captured",
  scope: "page",
  target: url,
  inlinks: 0,
  value,
  tags,
  proposal: null,
});
const tag = (facet: string, value: string, why = "") => ({ scope: "page" as const, target: "a", facet, value, by: "ann", why, time: 1 });
const draft = (facet: string, value: string, why = "") => ({ facet, value, why });
const urls = (list: readonly rows.Row[]) => list.map(({ url }) => url);

test("a tag replaces the one of the same facet, and an empty one takes it away", () => {
  const tagged = rows.withTag(row("a", "out", [tag("decision", "out"), tag("topic", "x")]), "decision", draft("decision", "in"), "bob", 9);
  expect(tagged.value).toBe("in");
  expect(tagged.tags.map(({ facet, value, by }) => `${facet}=${value} by ${by}`)).toEqual(["topic=x by ann", "decision=in by bob"]);
  const cleared = rows.withTag(tagged, "decision", draft("decision", ""), "bob", 9);
  expect([cleared.value, cleared.tags.length]).toEqual(["", 1]);
});

test("a tag of another facet leaves the value that is shown", () => {
  expect(rows.withTag(row("a", "in"), "decision", draft("topic", "x"), "", 0).value).toBe("in");
});

test("what is undecided is still open", () => {
  expect(["", "undecided", "in"].map((value) => rows.isOpen(row("a", value)))).toEqual([true, true, false]);
});

test("a note belongs to the value, or to a decision, or makes a page undecided", () => {
  expect(rows.noteDraft(row("a", "x", [tag("topic", "x"), tag("decision", "in")]), "topic", "why")).toEqual(draft("topic", "x", "why"));
  expect(rows.noteDraft(row("a", "", [tag("decision", "in")]), "topic", "why")).toEqual(draft("decision", "in", "why"));
  expect(rows.noteDraft(row("a"), "topic", "why")).toEqual(draft("decision", "undecided", "why"));
});

test("a proposal is accepted with its certainty, or rejected in a facet of its own", () => {
  const proposal = { ...PROPOSAL, inlinks: 1, tags: [] };
  expect(rows.acceptDraft("topic", proposal, "auto")).toEqual(draft("topic", "in", "proposed by auto, certainty 0.93"));
  const rejected = rows.withTag(row("a"), "topic", rows.rejectDraft("topic", proposal, "auto"), "", 0);
  expect([rejected.value, rows.rejectedValue(rejected, "topic")]).toEqual(["", "in"]);
  expect([rows.isRejection("topic-rejected"), rows.isRejection("topic")]).toEqual([true, false]);
});

test("actions apply to what is selected, else to the current row", () => {
  const all = ["a", "b", "c"].map((url) => row(url));
  expect(urls(rows.targetRows(all, new Set(), 1))).toEqual(["b"]);
  const chosen = rows.targetRows(all, new Set(["c", "a"]), 1);
  expect(urls(chosen)).toEqual(["a", "c"]);
  expect(rows.targetRows([], new Set(), 0)).toEqual([]);
  expect([rows.rowAfter(all, all.slice(0, 1)), rows.rowAfter(all, chosen)]).toEqual([1, 3]);
});

test("rows are appended once, and replaced by URL", () => {
  const all = rows.appendRows([row("a", "in")], [row("a"), row("b")]);
  expect(all.map(({ url, value }) => url + value)).toEqual(["ain", "b"]);
  expect(rows.replaceRows(all, [row("b", "out")]).map(({ value }) => value)).toEqual(["in", "out"]);
});

test("each key has one action, and modifiers have none", () => {
  const keys = KEYS.flatMap((key) => key.keys);
  expect(new Set(keys).size).toBe(keys.length);
  const press = (key: string, more: Partial<KeyboardEvent> = {}) =>
    actionOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more });
  expect(press("i")?.action).toBe("in");
  expect(press("7")).toEqual({ action: "value", digit: 7 });
  expect(press("ArrowDown", { shiftKey: true })?.action).toBe("extend");
  expect(press("?", { shiftKey: true })?.action).toBe("help");
  expect([press("i", { ctrlKey: true }), press("q")]).toEqual([null, null]);
  expect(isTakenBy(null, "i")).toBe(false);
});

/** A server that answers as it is told, and what it was sent. */
function server(...answers: (number | ApiError)[]) {
  const sent: string[] = [];
  let batch = 0;
  const post = async (path: string, body: unknown) => {
    sent.push(`${path.replace("curate/", "")} ${JSON.stringify(body)}`);
    const answer = answers.shift();
    if (answer instanceof ApiError) throw answer;
    batch += 1;
    return { batch, tags: 1 };
  };
  return { sent, post, queue: new SaveQueue(post, () => Promise.resolve()) };
}
const problem = (status: number) => new ApiError({ ...localProblem("", "failed", ""), status });
const words = (target: string) => [{ target, scope: "page" as const, ...draft("decision", "in") }];
const settle = (queue: SaveQueue) => vi.waitFor(() => expect(queue.state.pending).toBe(0));

test("decisions are sent one by one, in order", async () => {
  const { sent, queue } = server();
  const decisions = ["a", "b", "c"].map((target) => queue.set(words(target), "ann", () => {}));
  expect(queue.state.pending).toBe(3);
  await settle(queue);
  expect(sent.map((line) => /"target":"(.)"/.exec(line)?.[1])).toEqual(["a", "b", "c"]);
  expect(decisions.map(({ batch }) => batch)).toEqual([1, 2, 3]);
  expect(queue.state.saved).toBe(3);
});

test("a decision waits while the server does not respond", async () => {
  const { sent, queue } = server(problem(0), problem(503), 1);
  queue.set(words("a"), "", () => expect.unreachable());
  await settle(queue);
  expect(sent.length).toBe(3);
  expect(queue.state).toEqual({ pending: 0, saved: 1, problem: null });
});

test("what the server refuses is reported and not sent again", async () => {
  const { sent, queue } = server(problem(422));
  const refused = vi.fn();
  queue.set(words("a"), "", refused);
  await settle(queue);
  expect(refused).toHaveBeenCalledOnce();
  expect([sent.length, queue.state.problem?.detail]).toEqual([1, "failed"]);
  expect(queue.undo()).toBeNull();
  queue.dismiss();
  expect(queue.state.problem).toBeNull();
});

test("a saved decision is undone by its number, an unsent one is not sent", async () => {
  const { sent, queue } = server();
  const first = queue.set(words("a"), "", () => {});
  const second = queue.set(words("b"), "", () => {});
  expect([queue.undo(), queue.undo(), queue.undo()]).toEqual([second, first, null]);
  await settle(queue);
  expect(sent.map((line) => line.split(" ")[0])).toEqual(["tags", "tags/undo"]);
  expect(sent[1]).toContain('{"batch":1}');
  expect(queue.state.saved).toBe(0);
});

test("topics are matched by label, those that are gone come last", () => {
  const before = [
    { label: "cars", pages: 9 },
    { label: "ads", pages: 4 },
  ];
  const after = [
    { label: "cats", pages: 5 },
    { label: "cars", pages: 8 },
  ];
  expect(topicChanges(before, after).map(({ label, before, after }) => [label, before, after])).toEqual([
    ["cats", null, 5],
    ["cars", 9, 8],
    ["ads", 4, null],
  ]);
});
