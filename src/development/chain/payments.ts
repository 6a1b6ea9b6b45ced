import { BaseError, erc20Abi, type Hash, type TransactionReceipt } from "viem";
import { foundry } from "viem/chains";
import type { Address } from "../../domain/chain/address.ts";
import { Fault } from "../../domain/fault.ts";
import { connect, pollMs, tokenArtifact } from "./demo-token.ts";

type Chain = ReturnType<typeof connect>;

/** A payment by hand. `token` null: the coin. */
type Payment = { token: Address | null; from: Address; to: Address; amountAtomic: bigint };

/**
 * Pays on a development chain, which can act for any account. If `payer` lacks tokens, they are
 * minted first. Resolves when the payment is in a block. Not safe to repeat.
 * @throws Fault `local_chain_failed`: the account has too little, or the chain does not answer
 */
export async function pay(
  { rpcUrl, payer }: { rpcUrl: string; payer: Address },
  { token, from, to, amountAtomic }: Payment,
): Promise<{ txHash: Hash; blockNumber: bigint }> {
  const chain = connect(rpcUrl);
  return answering(async () => {
    if (token !== null && from === payer)
      await mintMissing(chain, { token, to: from, amountAtomic });
    await chain.impersonateAccount({ address: from });
    const hash =
      token === null
        ? await chain.sendTransaction({ account: from, to, value: amountAtomic, chain: foundry })
        : await chain.writeContract({
            account: from,
            address: token,
            chain: foundry,

            abi: erc20Abi,
            functionName: "transfer",
            args: [to, amountAtomic],
          });
    const { blockNumber } = await mined(chain, hash);
    return { txHash: hash, blockNumber };
  });
}

/** The number of tries if the chain mines a block during a replacement. */
const maxReplaceTries = 10;

/** The number of blocks below the head that are searched for the newest transaction. */
const searchedBlocks = 1_000n;

/**
 * Replaces the newest `depth` blocks of a development chain by as many empty ones. Null: all blocks
 * since the newest transaction, including its own. Returns the first and the last of them, and the
 * hashes of the transactions in them.
 * @throws Fault `local_chain_failed`: the chain has fewer blocks, none of the newest has a
 *   transaction, or the chain does not answer
 */
export async function replaceBlocks(
  { rpcUrl }: { rpcUrl: string },
  given: number | null,
): Promise<{ from: bigint; to: bigint; undone: Hash[] }> {
  const chain = connect(rpcUrl);
  return answering(async () => {
    const head = await chain.getBlockNumber({ cacheTime: 0 });
    const depth = given ?? Number(head - (await newestPaid(chain, head)) + 1n);
    if (BigInt(depth) > head)
      throw new Fault(
        "local_chain_failed",
        `The local chain has only ${head} blocks to replace: name fewer.`,
      );
    return replaceFrom(chain, head - BigInt(depth) + 1n);
  });
}

/**
 * Replaces all blocks from a height on. anvil counts them from its head, and may mine a block
 * before it gets the request. Then the lowest one is still there, and this tries again.
 */
async function replaceFrom(chain: Chain, from: bigint) {
  const lowest = async () => (await chain.getBlock({ blockNumber: from })).hash;
  const old = await lowest();
  for (let tries = 0; tries < maxReplaceTries; tries += 1) {
    const head = await chain.getBlockNumber({ cacheTime: 0 });
    const undone = await hashesBetween(chain, from, head);
    // viem has no action for this method of anvil.
    await chain.request<{ Method: "anvil_reorg"; Parameters: [number, []]; ReturnType: null }>({
      method: "anvil_reorg",
      params: [Number(head - from) + 1, []],
    });
    if ((await lowest()) !== old) return { from, to: head, undone };
  }
  throw new Fault(
    "local_chain_failed",
    `The local chain mines faster than its blocks can be replaced: block ${from} is still there.`,
  );
}

/** Finds the newest block with a transaction. */
async function newestPaid(chain: Chain, head: bigint): Promise<bigint> {
  for (let number = head; number > 0n && number > head - searchedBlocks; number -= 1n) {
    if ((await hashesBetween(chain, number, number)).length > 0) return number;
  }
  throw new Fault(
    "local_chain_failed",
    "The newest 1,000 blocks of the local chain hold no payment: there is nothing to undo.",
  );
}

async function hashesBetween(chain: Chain, from: bigint, to: bigint): Promise<Hash[]> {
  const hashes: Hash[] = [];
  for (let blockNumber = from; blockNumber <= to; blockNumber += 1n) {
    hashes.push(...(await chain.getBlock({ blockNumber })).transactions);
  }
  return hashes;
}

async function mintMissing(
  chain: Chain,
  { token, to, amountAtomic }: { token: Address; to: Address; amountAtomic: bigint },
): Promise<void> {
  const call = { address: token, abi: erc20Abi, functionName: "balanceOf", args: [to] } as const;
  const missing = amountAtomic - (await chain.readContract(call));
  if (missing <= 0n) return;
  const { abi } = tokenArtifact();
  await chain.impersonateAccount({ address: to });
  const hash = await chain.writeContract({
    account: to,
    address: token,
    chain: foundry,

    abi,
    functionName: "mint",
    args: [to, missing],
  });
  await mined(chain, hash);
}

async function mined(chain: Chain, hash: Hash): Promise<TransactionReceipt> {
  const receipt = await chain.waitForTransactionReceipt({ hash, pollingInterval: pollMs });
  if (receipt.status === "success") return receipt;
  throw new Fault("local_chain_failed", `The transaction ${hash} failed on the local chain.`);
}

/** Turns a refusal of the chain into a Fault with one sentence. */
async function answering<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const [sentence = error.message] = error.shortMessage.split("\n");
    throw new Fault("local_chain_failed", `The local chain refused: ${sentence}`, { cause: error });
  }
}
