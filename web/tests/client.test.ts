import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ApiError } from "../src/api/client";

const JOB = { id: "j1", state: "running", steps: [], problem: null };
const fetchMock = vi.fn<typeof fetch>();
let client: typeof import("../src/api/client");

/** The URLs and methods of the requests that were sent. */
const sent = () => fetchMock.mock.calls.map(([url, init]) => `${init?.method ?? "GET"} ${String(url)}`);
const respond = (body: unknown, init: ResponseInit = {}) => fetchMock.mockResolvedValueOnce(Response.json(body, init));
const get = (url: string, onJob = () => {}) => client.fetchApi(url, new AbortController().signal, onJob);
const problemOf = (request: Promise<unknown>) =>
  request.then(
    () => expect.unreachable(),
    (error: ApiError) => error.problem,
  );

beforeEach(async () => {
  vi.resetModules();
  vi.stubGlobal("fetch", fetchMock.mockReset());
  client = await import("../src/api/client");
});
afterEach(() => vi.useRealTimers());

test("a URL has no empty parameters", () => {
  expect(client.apiUrl("search", { query: "a b", since: "", until: null, top: 0 })).toBe("/api/search?query=a+b&top=0");
  expect(client.apiUrl("compare", { method: ["hits", "salsa"] })).toBe("/api/compare?method=hits&method=salsa");
  expect(client.apiUrl("methods")).toBe("/api/methods");
});

describe("the cache", () => {
  test("keeps a response unless the server forbids it", async () => {
    respond({ snapshot: 1, total: 5 });
    await get("/api/a");
    respond({ snapshot: 1 }, { headers: { "Cache-Control": "no-store" } });
    await get("/api/b");
    expect(client.cachedResponse("/api/a")).toEqual({ snapshot: 1, total: 5 });
    expect(client.cachedResponse("/api/b")).toBeUndefined();
  });

  test("is emptied by a new snapshot, which is reported", async () => {
    const listener = vi.fn();
    const stop = client.onNewSnapshot(listener);
    respond({ snapshot: 1 });
    await get("/api/a");
    expect(listener).not.toHaveBeenCalled();
    respond({ snapshot: 2 });
    await get("/api/b");
    expect(listener).toHaveBeenCalledExactlyOnceWith(2);
    expect(client.cachedResponse("/api/a")).toBeUndefined();
    stop();
    respond({ snapshot: 3 });
    await get("/api/c");
    expect(listener).toHaveBeenCalledOnce();
  });

  test("forgets the oldest of more than 200 responses", async () => {
    for (let k = 0; k <= 200; k++) {
      respond({ snapshot: 1 });
      await get(`/api/${k}`);
    }
    expect(client.cachedResponse("/api/0")).toBeUndefined();
    expect(client.cachedResponse("/api/1")).toBeDefined();
  });
});

test("a job is polled until it is done", async () => {
  vi.useFakeTimers();
  const onJob = vi.fn();
  respond(JOB, { status: 202 });
  respond(JOB);
  respond({ ...JOB, state: "done" });
  respond({ snapshot: 1, total: 7 });
  const response = get("/api/topics/hits", onJob);
  await vi.runAllTimersAsync();
  expect(await response).toEqual({ snapshot: 1, total: 7 });
  expect(onJob.mock.calls.map(([job]) => job.state)).toEqual(["running", "running", "done"]);
  expect(sent()).toEqual(["GET /api/topics/hits", "GET /api/jobs/j1", "GET /api/jobs/j1", "GET /api/jobs/j1/result"]);
});

test("a request is sent again where the server has forgotten its job", async () => {
  vi.useFakeTimers();
  respond(JOB, { status: 202 });
  respond({ detail: "no job is called 'j1'" }, { status: 404 });
  respond({ ...JOB, id: "j2" }, { status: 202 });
  respond({ ...JOB, id: "j2", state: "done" });
  respond({ snapshot: 1, total: 7 });
  const response = get("/api/topics/hits");
  await vi.runAllTimersAsync();
  expect(await response).toEqual({ snapshot: 1, total: 7 });
  expect(sent()).toEqual([
    "GET /api/topics/hits",
    "GET /api/jobs/j1",
    "GET /api/topics/hits",
    "GET /api/jobs/j2",
    "GET /api/jobs/j2/result",
  ]);
});

test("a job is left by DELETE, also where no server responds", async () => {
  respond({});
  await client.leaveJob("j1");
  expect(sent()).toEqual(["DELETE /api/jobs/j1"]);
  fetchMock.mockRejectedValueOnce(new TypeError("failed to fetch"));
  await expect(client.leaveJob("j1")).resolves.toBeUndefined();
});

test("a picture is returned as text", async () => {
  fetchMock.mockResolvedValueOnce(new Response("<svg/>", { headers: { "Content-Type": "image/svg+xml" } }));
  expect(await get("/api/structure/degrees/picture")).toEqual({ snapshot: 0, svg: "<svg/>" });
});

describe("problems", () => {
  test("are those of the server", async () => {
    const problem = { type: "about:blank", title: "Not Found", status: 404, detail: "no such page", hint: "search for it" };
    respond(problem, { status: 404 });
    expect(await problemOf(get("/api/page"))).toEqual(problem);
  });

  test("name the status where the server gives no reason", async () => {
    fetchMock.mockResolvedValueOnce(new Response("<html>", { status: 502 }));
    expect(await problemOf(get("/api/page"))).toMatchObject({ status: 502, detail: "the server responded with 502" });
  });

  test("say that the server does not respond", async () => {
    fetchMock.mockRejectedValueOnce(new TypeError("failed to fetch"));
    expect(await problemOf(get("/api/page"))).toMatchObject({ status: 0, detail: "the server does not respond" });
  });

  test("do not hide that a request was aborted", async () => {
    const controller = new AbortController();
    controller.abort();
    fetchMock.mockRejectedValueOnce(controller.signal.reason);
    await expect(client.fetchApi("/api/page", controller.signal, () => {})).rejects.toBe(controller.signal.reason);
  });
});
