import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import { nextTurn } from "../../domain/in-slices.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import { type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import { readData, readQuantity } from "../rpc/rpc-value.ts";
import { readByMulticall } from "./multicall.ts";

/**
 * The balances asked for, at the state after one block, named by its hash (EIP-1898), in the order
 * asked, in atomic units. A token that is not deployed at that block is held by nobody.
 * @throws Fault `state_unavailable` where the endpoint no longer has that state (or refuses it);
 * `rpc_unavailable`
 */
export async function readBalances(
  endpoint: Endpoint,
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<bigint[]> {
  const together =
    questions.length < worthTogether ? null : await readByMulticall(endpoint, blockHash, questions);
  return together ?? readOneByOne(endpoint, blockHash, questions);
}

/** A batch. Over a websocket each is a message of its own. */
const askedInOneTurn = 100;

/** Fewer are as well asked for one by one, in a batch. */
const worthTogether = 20;

async function readOneByOne(
  endpoint: Endpoint,
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<bigint[]> {
  const at = { blockHash, requireCanonical: true };
  let turn: Promise<unknown> = Promise.resolve();
  return Promise.all(
    questions.map(async ({ walletAddress, assetAddress }, index) => {
      if (index > 0 && index % askedInOneTurn === 0) turn = nextTurn();
      await turn;
      const what = `balance of ${walletAddress}`;
      const ask = (method: string, target: unknown) =>
        endpoint.ask(what, { method, params: [target, at] }, "batched");
      try {
        if (assetAddress === nativeAddress) {
          return readQuantity(await ask("eth_getBalance", walletAddress), what);
        }
        const call = { to: assetAddress, data: balanceOfData(walletAddress) };
        const word = readData(await ask("eth_call", call), what);
        // A word, and nothing of what a broken token may append.
        return word === "0x" ? 0n : BigInt(word.slice(0, 2 + 64));
      } catch (error) {
        throw failureKindIn(error) === "refused" ? stateGone(blockHash, error) : error;
      }
    }),
  );
}

export function isEqual(a: readonly bigint[], b: readonly bigint[]): boolean {
  return a.length === b.length && a.every((amount, index) => amount === b[index]);
}

/** balanceOf(address), ERC-20. */
function balanceOfData(owner: Address): string {
  return `0x70a08231${owner.slice(2).padStart(64, "0")}`;
}

function stateGone(blockHash: Hash, cause: unknown): Fault {
  return new Fault(
    "state_unavailable",
    `The endpoint does not give balances at block ${blockHash}.`,
    { cause },
  );
}
