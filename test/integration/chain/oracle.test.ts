import { afterEach, beforeEach, expect, it } from "vitest";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { payer } from "../../support/chain/cast.ts";
import {
  type Contract,
  deploy,
  deployMoneyContracts,
} from "../../support/chain/money-contracts.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { createRandom, type Random } from "../../support/random.ts";
import { waitFor } from "../../support/wait-for.ts";

/** Replayed by CHAINBELL_SEED; each run says its own. */
const seed = Number(process.env["CHAINBELL_SEED"] ?? Date.now() % 1_000_000);

/** Thousands by CHAINBELL_ORACLE_TRANSACTIONS: each takes some milliseconds. */
const transactions = Number(process.env["CHAINBELL_ORACLE_TRANSACTIONS"] ?? "400");
const timeoutMs = 120_000 + transactions * 100;
const perBlock = 40;
const depth = 3;

type Contracts = Awaited<ReturnType<typeof deployMoneyContracts>>;
type World = {
  anvil: Anvil;
  contracts: Contracts;
  vaults: Contract[];
  wallets: string[];
  random: Random;
};

let anvil: Anvil;
let watched: WatchedChain | null = null;

beforeEach(async () => {
  anvil = await startAnvil({ args: ["--order", "fifo"] });
});

afterEach(async () => {
  await watched?.stop();
  await anvil.stop();
});

it(
  `agrees with the chain on every balance after ${transactions} transactions of every kind (seed ${seed})`,
  async () => {
    const contracts = await deployMoneyContracts(anvil);
    const vaults: Contract[] = [];
    // One after the other: equal transactions of one sender, sent at once, get one nonce.
    for (let count = 0; count < 3; count += 1) vaults.push(await deploy(anvil, "Vault"));
    const tokens = [
      ...contracts.tokens.map(({ decimals, contract }) => ({
        code: `T${decimals}`,
        contract,
        decimals,
      })),
      { code: "USDT", contract: contracts.silent, decimals: 6 },
      { code: "TAX", contract: contracts.taxed, decimals: 18 },
      { code: "WETH", contract: contracts.weth, decimals: 18, kind: "weth9" as const },
      { code: "LETH", contract: contracts.loud, decimals: 18, kind: "weth9" as const },
    ];
    watched = await watchChain({
      rpcUrl: anvil.rpcUrl,
      depth,
      tokens: tokens.map(({ contract, ...token }) => ({ ...token, address: contract.address })),
    });
    await watched.catchUp();

    // Three owners, each with two accounts that send for themselves and a contract wallet.
    const owned = new Map<string, string>();
    for (const [index, vault] of vaults.entries()) {
      const owner = index === 0 ? watched.businessId : await watched.addBusiness();
      const accounts = [ANVIL_ACCOUNTS[1 + index * 2] ?? "", ANVIL_ACCOUNTS[2 + index * 2] ?? ""];
      for (const address of [...accounts, vault.address]) {
        owned.set(address, await watched.addWallet(address, "deposit", owner));
      }
    }
    const wallets = [...owned.keys()];
    const random = createRandom(seed);
    const world = { anvil, contracts, vaults, wallets, random };
    await prepare(world);
    await run(world, watched);

    await anvil.mine(depth);
    await watched.catchUp();
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    const at = Number(confirmedNumber);
    for (const [address, walletId] of owned) {
      const balances = await watched.balances(walletId);
      const expected: Record<string, bigint> = { ETH: await anvil.balance(address, at) };
      for (const { code, contract } of tokens)
        expected[code] = await contract.balanceOf(address, at);
      expect(balances, `wallet ${address} at block ${at} (seed ${seed})`).toEqual(expected);
    }
    const kinds = await watched.db.transaction.groupBy({ by: ["type"], _count: true });
    expect(kinds.map(({ type }) => type).sort()).toEqual([
      "deposit",
      "fee",
      "income",
      "withdrawal",
    ]);
    expect(await watched.db.transaction.count()).toBeGreaterThan(transactions);
    expect(await watched.db.transaction.count({ where: { unproven: true } })).toBe(0);
  },
  timeoutMs,
);

/** Everybody has something of everything to send. */
async function prepare({ contracts, wallets, anvil }: World): Promise<void> {
  await anvil.rpc("anvil_setCoinbase", wallets[0]);
  for (const wallet of wallets) {
    for (const { contract } of contracts.tokens) {
      await contract.call(payer, "mint", [wallet, 1_000_000n]);
    }
    await contracts.silent.call(payer, "mint", [wallet, 1_000_000n]);
    await contracts.taxed.call(payer, "mint", [wallet, 1_000_000n]);
  }
}

async function run(world: World, watching: WatchedChain): Promise<void> {
  const { anvil } = world;
  await anvil.setAutomine(false);
  for (let sent = 0; sent < transactions; sent += perBlock) {
    const hashes: string[] = [];
    for (let count = 0; count < perBlock; count += 1) hashes.push(await act(world));
    await anvil.mine(1);
    await waitFor(() => anvil.rpc("eth_getTransactionReceipt", hashes.at(-1)), {
      what: "the block's last receipt",
      timeoutMs: 20_000,
    });
    // Sometimes after each block, sometimes after several at once.
    if (world.random.isOneIn(3)) await watching.catchUp();
  }
  await anvil.setAutomine(true);
}

/** One transaction of any kind, from a wallet or from a stranger; some fail. */
function act(world: World): Promise<string> {
  const { anvil, contracts, vaults, wallets, random } = world;
  const account = random.pick(wallets.filter((_, index) => index % 3 !== 2));
  const from = random.isOneIn(3) ? payer : account;
  const to = random.pick([...wallets, payer, account]);
  const vault = random.pick(vaults);
  const amount = BigInt(random.upTo(1_000_000_000));
  const few = BigInt(random.upTo(1_000));
  const token = random.pick([...contracts.tokens.map((one) => one.contract), contracts.taxed]);
  const loudOrNot = random.pick([contracts.weth, contracts.loud]);
  const salt = `0x${random
    .upTo(2 ** 31)
    .toString(16)
    .padStart(64, "0")}`;
  const { router, disperse, catcher, factory, silent, spoofer } = contracts;
  return random.pick([
    () => anvil.send({ from, to, value: `0x${amount.toString(16)}`, gas: "0x186a0" }),
    () =>
      anvil.send({ from, to, value: `0x${amount.toString(16)}`, data: "0x1234", gas: "0x186a0" }),
    () => token.send(from, "transfer", [to, few]),
    () => silent.send(from, "transfer", [to, few]),
    () => token.send(from, "mint", [to, few]),
    // More than there is: fails, and costs its gas.
    () => token.send(from, "transfer", [to, 10n ** 30n]),
    () => router.send(from, "route", [to, BigInt(random.upTo(6))], amount),
    () =>
      disperse.send(
        from,
        "disperse",
        [
          [to, to, random.pick(wallets)],
          [few, few, 1n],
        ],
        few * 2n + 1n,
      ),
    () => catcher.send(from, "tryThenPay", [to], amount),
    () => catcher.send(from, "payThenFail", [to], amount),
    () => factory.send(from, "flash", [to], amount),
    () => factory.send(from, "create2", [salt], amount),
    () => vault.sendData(from, "0x", amount),
    () => vault.send(from, "execute", [to, few, "0x"]),
    () => vault.send(from, "execute", [token.address, 0n, token.encode("transfer", [to, few])]),
    () => vault.send(from, "execute", [loudOrNot.address, few, loudOrNot.encode("deposit")]),
    () => vault.send(from, "execute", [loudOrNot.address, 0n, loudOrNot.encode("withdraw", [few])]),
    () => loudOrNot.send(from, "deposit", [], amount),
    () => loudOrNot.send(from, "withdraw", [few]),
    () => loudOrNot.send(from, "transfer", [to, few]),
    () => spoofer.send(from, "spoof", [to, account, amount]),
  ])();
}
