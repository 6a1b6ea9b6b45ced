import { expect, it, onTestFinished } from "vitest";
import { readWalletBalancesAt } from "../../../../src/ledger/evidence/balances-at.ts";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { startAnvil } from "../../../support/chain/anvil.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import { openWallet, watchChain } from "../../../support/chain/watched-chain.ts";
import { quiet } from "../../../support/quiet.ts";

async function startChain(tracing: "auto" | "off") {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 3, tracing });
  onTestFinished(watched.stop);
  return { anvil, watched };
}

it.each([
  ["read with traces", "auto"],
  ["read without traces", "off"],
] as const)(
  "a completed payment that a reorg moves above the confirmed height is no difference on a chain %s",
  async (_, tracing) => {
    const { anvil, watched } = await startChain(tracing);
    await watched.catchUp();
    const walletId = await openWallet(watched, anvil);
    const hash = await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await anvil.mine(2);
    await watched.catchUp();
    await anvil.rollback(3);
    await anvil.mine(2);
    await anvil.sendRaw(raw);
    await watched.catchUp();
    expect(await watched.history(walletId)).toMatchObject([{ status: "completed" }]);

    const { chain, ledger, oldBlocks, chainName } = watched;
    const ports = { chain, ledger, oldBlocks, log: quiet };
    const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
    expect(outcome).toMatchObject({ kind: "done", progress: { findings: [] } });
    expect(await watched.balances(walletId)).toEqual({ ETH: ether });
  },
);

it("a completed payment that a reorg has moved counts from its present block on", async () => {
  const { anvil, watched } = await startChain("off");
  const vault = await deploy(anvil, "Vault");
  await anvil.sendNative({ from: payer, to: vault.address, amountAtomic: 9n * ether });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  const hash = await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
  await anvil.mine(2);
  await watched.catchUp();
  const paidIn = BigInt(await anvil.blockNumber()) - 2n;
  await anvil.rollback(3);
  await anvil.mine(2);
  await anvil.sendRaw(raw);
  await anvil.mine(2);
  await vault.call(payer, "execute", [wallet, 5n, "0x"]);
  await anvil.mine(3);
  await watched.catchUp();

  const { chain, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, ledger, oldBlocks, log: quiet };
  const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
  expect(outcome).toMatchObject({ progress: { findings: [{ outcome: "unattributed" }] } });
  // Their order is that of the blocks' times, and the new branch may begin at an earlier time.
  const history = (await watched.history(walletId)).toSorted((a, b) => (a.type < b.type ? -1 : 1));
  expect(history).toMatchObject([
    { type: "deposit", amountAtomic: ether, status: "completed" },
    { type: "unattributed", amountAtomic: 5n, status: "completed" },
  ]);
  const of = { businessId: watched.businessId, walletId };
  const held = async (number: bigint) =>
    (await readWalletBalancesAt(watched.db, { ...of, at: { kind: "block", number } })).balances;
  expect(await held(paidIn + 1n)).toMatchObject([{ amountAtomic: 0n }]);
  expect(await held(paidIn + 2n)).toMatchObject([{ amountAtomic: ether }]);
  expect(await watched.balances(walletId)).toEqual({ ETH: ether + 5n });
});
