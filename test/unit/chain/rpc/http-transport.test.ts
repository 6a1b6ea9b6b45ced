import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureOf } from "../../../../src/chain/rpc/rpc-fault.ts";
import { createTransport, type RpcTransport } from "../../../../src/chain/rpc/rpc-transport.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

type Call = { id: number; params: [string] };

let server: Server;
let transport: RpcTransport;
let answer: (response: ServerResponse, asked: Call | Call[]) => void;

beforeEach(async () => {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    response.setHeader("content-type", "application/json");
    answer(response, JSON.parse(text));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  transport = createTransport(`http://127.0.0.1:${port}`, 1_000, systemClock);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const call = (name: string) => ({ method: "echo", params: [name] });
const reasonOf = (error: unknown) => failureOf(error, (text) => text).reason;

/** What each of some calls of the same moment came to: its result, or why there is none. */
async function together(...names: string[]): Promise<unknown[]> {
  const asked = names.map((name) => transport.requestBatched(call(name)));
  const settled = await Promise.allSettled(asked);
  return settled.map((one) => (one.status === "fulfilled" ? one.value : reasonOf(one.reason)));
}

describe("an answer over HTTP", () => {
  it("fails at its time limit, also if it has begun and does not end", async () => {
    answer = (response) => response.write('{"jsonrpc":"2.0","id":1,"result":"0x');
    await expect(transport.request(call("a")).catch(reasonOf)).resolves.toBe("it took too long");
    expect(await together("a", "b")).toEqual(["it took too long", "it took too long"]);
  });

  it("may be an error of any form, or none at all", async () => {
    answer = (response) => response.end('{"error":"slow down: too many requests"}');
    const error = await transport.request(call("a")).catch((one: unknown) => one);
    expect(failureOf(error, (text) => text)).toMatchObject({ kind: "throttled" });
    answer = (response) => response.end("null");
    await expect(transport.request(call("a")).catch(reasonOf)).resolves.toBe(
      "the connection failed",
    );
  });
});

describe("the answers of a batch", () => {
  /** Answers a batch with these answers to its calls, which echo their names. */
  const answering = (change: (answers: object[]) => unknown) => {
    answer = (response, asked) => {
      const calls = [asked].flat();
      const answers = calls.map(({ id, params: [result] }) => ({ jsonrpc: "2.0", id, result }));
      response.end(JSON.stringify(change(answers)));
    };
  };
  const none = "the connection failed";

  it.each<[string, (answers: object[]) => unknown, unknown[]]>([
    ["in order", (all) => all, ["a", "b", "c"]],
    ["in another order", (all) => all.toReversed(), ["a", "b", "c"]],
    ["with the first left out", (all) => all.slice(1), [none, "b", "c"]],
    ["with one left out between others", ([a, , c]) => [a, c], ["a", none, "c"]],
    [
      "with an error that names no call",
      ([, b, c]) => [{ id: null, error: { code: -32_700, message: "no" } }, b, c],
      [none, "b", "c"],
    ],
    [
      "with an error of one call",
      ([a, b, c]) => [a, { ...b, result: undefined, error: { code: 1, message: "no" } }, c],
      ["a", "error 1, no", "c"],
    ],
    [
      "with ids as text",
      (all) => all.map((one) => ({ ...one, id: `${Reflect.get(one, "id")}` })),
      ["a", "b", "c"],
    ],
    ["of nobody", () => [null, 7, {}], [none, none, none]],
    ["as one answer", ([a]) => a, [none, none, none]],
    [
      "as one error",
      () => ({ id: null, error: { code: -32_005, message: "no" } }),
      [none, none, none],
    ],
  ])("are given to the calls that asked for them: %s", async (_, change, results) => {
    answering(change);
    expect(await together("a", "b", "c")).toEqual(results);
  });

  it("are of a hundred calls at most", async () => {
    const sizes: number[] = [];
    answering((all) => {
      sizes.push(all.length);
      return all;
    });
    const names = Array.from({ length: 205 }, (_, index) => String(index));
    expect(await together(...names)).toEqual(names);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([5, 100, 100]);
  });
});
