import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTransport, type RpcTransport } from "../../../src/chain/rpc/rpc-transport.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { startTcpProxy, type TcpProxy } from "../../support/process/tcp-proxy.ts";
import { waitFor } from "../../support/wait-for.ts";

const chainId = "0x7a69";

describe("requests made at the same time over a websocket", () => {
  let anvil: Anvil;
  let proxy: TcpProxy;
  let transport: RpcTransport;

  beforeEach(async () => {
    anvil = await startAnvil({});
    proxy = await startTcpProxy(anvil.port);
    transport = createTransport(`ws://127.0.0.1:${proxy.port}`, 5_000, systemClock);
  });

  afterEach(async () => {
    transport.close();
    await proxy.stop();
    await anvil.stop();
  });

  const askAtOnce = async (count: number) => {
    const call = { method: "eth_chainId", params: [] };
    const answers = await Promise.all(Array.from({ length: count }, () => transport.request(call)));
    expect(answers).toEqual(answers.map(() => chainId));
  };

  // One that is closed while it is being opened is not opened again: so it must have answered
  // something.
  const untilUsed = (count: number) =>
    waitFor(
      async () => {
        await askAtOnce(8);
        return proxy.used() >= count;
      },
      { what: `${count} connections in use`, timeoutMs: 5_000 },
    );

  it("go over two further sockets, and never more", async () => {
    await untilUsed(3);
    for (let times = 0; times < 5; times += 1) await askAtOnce(8);
    expect(proxy.accepted()).toBe(3);
  });

  it("one after another need only one", async () => {
    for (let times = 0; times < 5; times += 1) await askAtOnce(1);
    expect(proxy.accepted()).toBe(1);
  });

  it("leave the sockets of another user of the same URL alone, and close their own", async () => {
    await askAtOnce(1);
    const other = createTransport(`ws://127.0.0.1:${proxy.port}`, 5_000, systemClock);
    await other.request({ method: "eth_chainId", params: [] });
    expect(proxy.accepted()).toBe(2);
    other.close();
    await waitFor(() => proxy.connected() === 1, { what: "one connection", timeoutMs: 5_000 });
    await askAtOnce(1);
    expect(proxy.accepted()).toBe(2);
  });

  it("are answered where the node allows one connection", async () => {
    proxy.allow(1);
    for (let times = 0; times < 5; times += 1) await askAtOnce(8);
    expect(proxy.accepted()).toBe(1);
  });

  it("are answered when the further sockets have been closed meanwhile, and have them again", async () => {
    await untilUsed(3);
    proxy.allow(1);
    proxy.allow(3);
    await untilUsed(5);
  });
});
