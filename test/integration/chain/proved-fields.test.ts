import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
let number: bigint;

/** How a chain is proved, and how many endpoints that takes. */
const kinds = {
  rooted: { receipts: "root", hosts: 1 },
  bloom: { receipts: "bloom", hosts: 2 },
  unproved: { receipts: "none", hosts: 2 },
  alone: { receipts: "none", hosts: 1 },
} as const;

type Kind = keyof typeof kinds;

/** A chain that is proved in one way, between a host that may lie and honest ones. */
type Stand = { liar: RpcProxy; watched: WatchedChain; stop: () => Promise<void> };

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
});

afterAll(() => anvil.stop());

async function openStand(kind: Kind): Promise<Stand> {
  const { receipts, hosts } = kinds[kind];
  const liar = await startRpcProxy(anvil.rpcUrl);
  const honest = await startRpcProxy(anvil.rpcUrl);
  const rpcUrls = [liar.url, honest.url].slice(0, hosts);
  const how = { receipts, tracing: "off" } as const;
  const watched = await watchChain({ rpcUrl: liar.url, rpcUrls, depth: 1, ...how });
  const stop = async () => {
    await watched.stop();
    await liar.stop();
    await honest.stop();
  };
  return { liar, watched, stop };
}

/**
 * Stands of one kind for the tests of a describe. Each test has one to itself while it runs, as
 * several wait at the same time for a host that does not agree.
 */
function standsOf(kind: Kind): (use: (stand: Stand) => Promise<void>) => Promise<void> {
  const opened: Stand[] = [];
  const free: Stand[] = [];
  afterAll(async () => {
    for (const stand of opened) await stand.stop();
  });
  return async (use) => {
    let stand = free.pop();
    if (stand === undefined) {
      stand = await openStand(kind);
      opened.push(stand);
    }
    await use(stand);
    stand.liar.misbehave(null);
    free.push(stand);
  };
}

const textOf = ({ header, movements }: LoadedBlock) =>
  JSON.stringify({ header, movements }, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );

const loadFrom = async ({ watched }: Stand) => textOf(await watched.chain.loadBlock(number));

describe("on a chain that is alone", () => {
  const onStand = standsOf("alone");

  it("a lie is believed where nothing proves the field and nobody else is asked", () =>
    onStand(async (stand) => {
      const truth = await loadFrom(stand);
      for (const field of ["log: amount", "transaction: value", "fee: gas used", "block: time"]) {
        const lie = provedFields.find((one) => one.field === field)?.lie ?? {};
        stand.liar.misbehave(lieAbout(lie, () => undefined));
        expect(await loadFrom(stand)).not.toBe(truth);
      }
    }));
});

describe.each(["rooted", "bloom", "unproved"] as const)("on a chain that is %s", (kind) => {
  const onStand = standsOf(kind);

  it.concurrent.each(provedFields)("a lie about $field is not believed", ({ lie }) =>
    onStand(async (stand) => {
      const truth = await loadFrom(stand);
      let changes = 0;
      stand.liar.misbehave(
        lieAbout(lie, () => {
          changes += 1;
        }),
      );
      const believed = await loadFrom(stand).catch(() => "refused");
      expect(["refused", truth]).toContain(believed);
      expect(changes).toBeGreaterThan(0);
    }),
  );
});
