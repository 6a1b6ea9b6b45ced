import { getContractAddress } from "viem/utils";
import { loadKeccak256 } from "../../src/chain/proof/hashing/keccak.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { ether } from "../support/chain/liar/changing.ts";
import type { Scene } from "../support/chain/liar/lie.ts";
import { type Contract, deploy } from "../support/chain/money-contracts.ts";
import { createRandom } from "../support/random.ts";

const [payer, sender, maker, , , , stranger] = ANVIL_ACCOUNTS.map((one) => one.toLowerCase()) as [
  ...string[],
] as Record<number, string> & string[];

/** Longer than the window of hashes that a ledger keeps. */
const longBlocks = 580;

export type Stage = Awaited<ReturnType<typeof buildStage>>;

/**
 * One chain on which every run's money moves. Each act is played once, and all runs follow it.
 * Anvil keeps the balances and traces of every block, so that runs may be asked about it at any
 * time.
 */
export async function buildStage(seed: number) {
  const anvil = await startAnvil({ args: ["--timestamp", "1700000000"] });
  const contracts = {
    token: await deploy(anvil, "Token", { args: [6] }),
    taxed: await deploy(anvil, "Taxed"),
    vault: await deploy(anvil, "Vault"),
    disperse: await deploy(anvil, "Disperse"),
    catcher: await deploy(anvil, "Catcher"),
  };
  const { token, taxed, vault, disperse } = contracts;
  const made = getContractAddress({ from: maker as `0x${string}`, nonce: 0n });
  const scene: Scene = {
    rpc: anvil.rpc,
    random: createRandom(seed),
    keccak: await loadKeccak256(),
    wallet: "0x00000000000000000000000000000000000a11ce",
    holder: "0x0000000000000000000000000000000000000b0b",
    sender: String(sender),
    created: made.toLowerCase(),
    payer: String(payer),
    stranger: String(stranger),
    token: token.address.toLowerCase(),
    taxed: taxed.address.toLowerCase(),
  };
  await anvil.sendNative({ from: scene.payer, to: scene.holder, amountAtomic: 10n * ether });
  await anvil.sendNative({ from: scene.payer, to: vault.address, amountAtomic: 50n * ether });
  for (const owner of [scene.payer, scene.sender, scene.holder]) {
    await token.call(scene.payer, "mint", [owner, 5_000_000_000n]);
    await taxed.call(scene.payer, "mint", [owner, 5_000_000_000n]);
  }
  await token.call(scene.payer, "approve", [disperse.address, 10n ** 18n]);
  return { anvil, scene, acts: actsOf(anvil, scene, contracts), end: anvil.stop };
}

type Contracts = Record<"token" | "taxed" | "vault" | "disperse" | "catcher", Contract>;

function actsOf(anvil: Anvil, scene: Scene, contracts: Contracts) {
  const { token, taxed, vault, disperse, catcher } = contracts;
  const { wallet, payer, sender, stranger } = scene;
  /** Several transactions in one block. */
  const inOneBlock = async (send: () => Promise<unknown>) => {
    await anvil.setAutomine(false);
    await send();
    await anvil.mine(1);
    await anvil.setAutomine(true);
  };
  return {
    mine: (blocks: number) => anvil.mine(blocks),
    /** A stretch in which nothing happens. */
    longTime: () => anvil.mine(longBlocks),

    /**
     * Money in: at top level, from a contract, by tokens, twice the same, and as the endowment of a
     * contract.
     */
    deposits: () =>
      inOneBlock(async () => {
        await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 2n * ether });
        await vault.send(payer, "execute", [wallet, ether, "0x"]);
        await token.send(payer, "transfer", [wallet, 1_000n]);
        await disperse.send(payer, "disperseToken", [token.address, [wallet, wallet], [50n, 50n]]);
        await taxed.send(payer, "transfer", [wallet, 10_000n]);
        await anvil.send({ from: String(maker), data: "0x00", value: hexOf(3n * ether) });
      }),

    /** Money out, what failed and what a frame that failed seemed to pay. */
    withdrawals: () =>
      inOneBlock(async () => {
        await anvil.sendNative({ from: sender, to: stranger, amountAtomic: ether });
        await token.send(sender, "transfer", [wallet, 70n]);
        await token.send(sender, "transfer", [wallet, 10n ** 30n]);
        await catcher.send(sender, "payThenFail", [stranger], ether / 2n);
        await catcher.send(payer, "tryThenPay", [wallet], 2n * ether);
      }),

    /** Of nobody who is watched. */
    strangers: () =>
      inOneBlock(async () => {
        await anvil.sendNative({ from: payer, to: stranger, amountAtomic: 4n * ether });
        await vault.send(payer, "execute", [stranger, ether, "0x"]);
        await token.send(payer, "transfer", [stranger, 500n]);
      }),

    /** A deposit that a reorg takes back while it is pending. */
    async takenBack(): Promise<void> {
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 9n * ether });
    },
    reorg: () => anvil.reorg(1),
  };
}

const hexOf = (value: bigint) => `0x${value.toString(16)}`;
