import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { forkAt, unknownField } from "../support/chain/fork-of-tomorrow.ts";
import { type RpcProxy, startRpcProxy } from "../support/chain/rpc-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../support/ledger/postgres.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { waitFor } from "../support/wait-for.ts";

const timeoutMs = 30_000;

type Shown = Record<"position" | "head" | "lag_blocks" | "lag_seconds", number> & {
  agreed_blocks: { count: number; last: number; why: string } | null;
  stopped: { code: string; reason: string; remedy: string; since: string } | null;
};

describe("a daemon whose chain is stuck", () => {
  let anvil: Anvil;
  let proxy: RpcProxy;
  let database: TestDatabase;
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let ends: (() => Promise<unknown>)[];

  beforeEach(async () => {
    anvil = await startAnvil({});
    proxy = await startRpcProxy(anvil.rpcUrl);
    database = await createTestDatabase();
    ends = [anvil.stop, proxy.stop, database.drop];
  });

  /** At block 2 of a chain of two. */
  async function start(chain: { otherRpcUrls?: string[]; proof?: "agreed" } = {}) {
    const chains = [{ name: "anvil", rpcUrl: proxy.url, confirmations: 2, ...chain }];
    const redisUrl = inject("redisUrl");
    const settings = { databaseUrl: database.url, redisUrl, chains, receiverPorts: [] };
    daemon = await startDaemon(deploymentOf(settings));
    ends.push(daemon.stop);
    await anvil.mine(2);
    await untilShown("block 2", ({ position, head }) => position === 2 && head === 2);
  }

  afterEach(async () => {
    for (const end of ends.toReversed()) await end();
  });

  const shown = async (): Promise<Shown> => (await daemon.admin.get("/admin/status")).chains[0];
  const untilShown = (what: string, holds: (chain: Shown) => boolean) =>
    waitFor(
      async () => {
        const chain = await shown();
        return holds(chain) ? chain : null;
      },
      { what, timeoutMs },
    );
  const metrics = async () => (await fetch(`${daemon.url}/metrics`)).text();
  const readiness = async () => {
    const response = await fetch(`${daemon.url}/health/ready`);
    const { services } = (await response.json()) as {
      services: { name: string; trouble: string | null }[];
    };
    const troubles = services.flatMap(({ trouble }) => trouble ?? []);
    return { status: response.status, troubles };
  };
  const timeOf = async (number: number) => {
    const at = `0x${number.toString(16)}`;
    const block = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", at, false);
    return Number(block.timestamp);
  };

  it("at a fork says so by name everywhere, with the true lag, and goes on by itself", async () => {
    await start();
    proxy.misbehave(forkAt(3n));
    await anvil.rpc("evm_increaseTime", 120);
    await anvil.mine(5);
    const stuck = await untilShown("a stop, and the head", (chain) => {
      return chain.stopped !== null && chain.head === 7;
    });
    const lagSeconds = (await timeOf(7)) - (await timeOf(2));
    expect(stuck).toMatchObject({ position: 2, lag_blocks: 5, lag_seconds: lagSeconds });
    expect(lagSeconds).toBeGreaterThanOrEqual(120);
    expect(stuck.stopped).toMatchObject({
      code: "block_unreadable",
      reason: expect.stringMatching(new RegExp(`^Block 3 .*${unknownField}`)),
      remedy: expect.stringContaining("Install a version of Chainbell"),
    });
    const text = await metrics();
    expect(text).toContain('chainbell_chain_stopped{chain="anvil",reason="block_unreadable"} 1');
    expect(text).toContain('chainbell_chain_lag_blocks{chain="anvil"} 5');
    expect(text).toContain(`chainbell_chain_lag_seconds{chain="anvil"} ${lagSeconds}`);
    const { status, troubles } = await readiness();
    expect(status).toBe(503);
    expect(troubles).toEqual([expect.stringContaining(unknownField)]);

    proxy.misbehave(null);
    await untilShown("all blocks", ({ position, stopped }) => position === 7 && stopped === null);
    expect(await metrics()).toContain('chainbell_chain_stopped{chain="anvil",reason="none"} 0');
    expect((await readiness()).status).toBe(200);
  });

  it("at a fork goes on where two endpoints agree, and says so", async () => {
    const second = await startRpcProxy(anvil.rpcUrl);
    ends.push(second.stop);
    const otherRpcUrls = [second.url.replace("127.0.0.1", "localhost")];
    await start({ proof: "agreed", otherRpcUrls });
    for (const one of [proxy, second]) one.misbehave(forkAt(3n));
    await anvil.mine(5);
    const shownAt = await untilShown(
      "all blocks",
      (chain) => chain.position === 7 && chain.agreed_blocks?.count === 5,
    );
    expect(shownAt).toMatchObject({
      stopped: null,
      agreed_blocks: { last: 7, why: expect.stringContaining(unknownField) },
    });
  });

  it("at a fork stays stuck where one endpoint alone would have to be believed", async () => {
    await start({ proof: "agreed" });
    proxy.misbehave(forkAt(3n));
    await anvil.mine(5);
    const stuck = await untilShown("a stop", ({ stopped }) => stopped !== null);
    expect(stuck).toMatchObject({ position: 2, stopped: { code: "block_unreadable" } });
  });

  it("by blocks that do not hold together says so, with the true lag", async () => {
    await start();
    proxy.misbehave(async ({ method, params }, forward) => {
      if (method !== "eth_getBlockByNumber" || params[0] === "latest") return null;
      const block = (await forward()) as Record<string, string>;
      return { result: { ...block, gasUsed: "0x1" } };
    });
    await anvil.mine(3);
    const stuck = await untilShown(
      "a stop, and the head",
      (chain) => chain.stopped !== null && chain.head === 5,
    );
    expect(stuck.stopped).toMatchObject({
      code: "rpc_inconsistent",
      reason: expect.stringMatching(/^Block 3 /),
      remedy: expect.stringContaining("another provider"),
    });
    expect(stuck).toMatchObject({ position: 2, lag_blocks: 3 });
  });

  it("shows a lag, and no stop, while its endpoint answers for heads alone", async () => {
    await start();
    proxy.misbehave(({ method, params }) =>
      method === "eth_getBlockByNumber" && params[0] !== "latest" && params[0] !== "0x0"
        ? { status: 503 }
        : null,
    );
    await anvil.mine(4);
    const behind = await untilShown("the head", ({ head }) => head === 6);
    expect(behind).toMatchObject({ position: 2, lag_blocks: 4, stopped: null });
  });
});
