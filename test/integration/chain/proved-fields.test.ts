import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LoadedBlock } from "../../../src/domain/money/movement.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { wallet } from "../../support/chain/cast.ts";
import { lieAbout } from "../../support/chain/fields/lie-about.ts";
import { provedFields } from "../../support/chain/fields/proved-fields.ts";
import { type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { deployToken } from "../../support/chain/token.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";

const [payer, sender, other] = ANVIL_ACCOUNTS;

let anvil: Anvil;
let liar: RpcProxy;
let honest: RpcProxy;
let number: bigint;

/** How a chain is proved, and how many endpoints that takes. */
const kinds = {
  rooted: { receipts: "root", hosts: 1 },
  bloom: { receipts: "bloom", hosts: 2 },
  unproved: { receipts: "none", hosts: 2 },
  alone: { receipts: "none", hosts: 1 },
} as const;

const chains = new Map<string, WatchedChain>();

/**
 * One block with coin of two types of transaction, a token, and a contract that is made with coin.
 */
beforeAll(async () => {
  anvil = await startAnvil({});
  const token = await deployToken(anvil);
  await token.mint(payer, 1_000n);
  await anvil.setAutomine(false);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
  await anvil.send({ from: other, to: wallet, value: "0x9", gasPrice: "0x77359400" });
  await anvil.send({ from: sender, value: "0x5", data: "0x00" });
  await token.send(payer, wallet, 11n);
  await token.send(payer, wallet, 11n);
  await anvil.mine(1);
  const mined = await anvil.block("latest");
  number = BigInt(mined.number);
  expect(mined.transactions).toHaveLength(5);
  liar = await startRpcProxy(anvil.rpcUrl);
  honest = await startRpcProxy(anvil.rpcUrl);
  for (const [name, { receipts, hosts }] of Object.entries(kinds)) {
    const rpcUrls = [liar.url, honest.url].slice(0, hosts);
    const how = { receipts, tracing: "off", timeoutMs: 2_000 } as const;
    chains.set(name, await watchChain({ rpcUrl: liar.url, rpcUrls, depth: 1, ...how }));
  }
});

afterEach(() => liar.misbehave(null));

afterAll(async () => {
  for (const watched of chains.values()) await watched.stop();
  await liar.stop();
  await honest.stop();
  await anvil.stop();
});

const textOf = ({ header, movements }: LoadedBlock) =>
  JSON.stringify({ header, movements }, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );

async function loadFrom(kind: keyof typeof kinds): Promise<string> {
  const watched = chains.get(kind);
  if (watched === undefined) throw new Error(kind);
  return textOf(await watched.chain.loadBlock(number));
}

it("a lie is believed where nothing proves the field and nobody else is asked", async () => {
  const truth = await loadFrom("alone");
  for (const field of ["log: amount", "transaction: value", "fee: gas used", "block: time"]) {
    const lie = provedFields.find((one) => one.field === field)?.lie ?? {};
    liar.misbehave(lieAbout(lie, () => undefined));
    expect(await loadFrom("alone")).not.toBe(truth);
  }
});

describe.each(["rooted", "bloom", "unproved"] as const)("on a chain that is %s", (kind) => {
  const load = () => loadFrom(kind);

  it.each(provedFields)("a lie about $field is not believed", async ({ lie }) => {
    const truth = await load();
    let changes = 0;
    liar.misbehave(
      lieAbout(lie, () => {
        changes += 1;
      }),
    );
    const believed = await load().catch(() => "refused");
    expect(["refused", truth]).toContain(believed);
    expect(changes).toBeGreaterThan(0);
  });
});
