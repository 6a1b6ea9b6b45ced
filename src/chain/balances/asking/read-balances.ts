import type { Hash } from "../../../domain/chain/block.ts";
import { Fault } from "../../../domain/fault.ts";
import { nextTurn } from "../../../domain/in-slices.ts";
import type { BalanceQuestion } from "../../../domain/money/balance.ts";
import { nativeAddress } from "../../../domain/money/movement.ts";
import {
  type Endpoint,
  failureKindIn,
  isAbsentIn,
  isGoneIn,
  isRevertedIn,
} from "../../endpoints/endpoint.ts";
import { readData, readQuantity } from "../../rpc/rpc-value.ts";
import { balanceOfData, readByMulticall, wordIn } from "./multicall.ts";

/**
 * Reads balances after one block, which is named by its hash (EIP-1898), in the order asked, in
 * atomic units. A token that does not exist at that block is held by nobody. Null: the token's
 * contract fails. The other balances are still answered.
 * @throws Fault `state_unavailable` if the endpoint has no state of that block any more, or refuses
 *   it; `rpc_unavailable`
 */
export async function readBalances(
  endpoint: Endpoint,
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<(bigint | null)[]> {
  const together =
    questions.length < worthTogether ? null : await readByMulticall(endpoint, blockHash, questions);
  if (together === null)
    return readOneByOne(endpoint, blockHash, { questions, isStateThere: false });
  const failed = [...together.keys()].filter((place) => together[place] === null);
  if (failed.length === 0) return together;
  const asked = questions.filter((_, place) => together[place] === null);
  const alone = await readOneByOne(endpoint, blockHash, { questions: asked, isStateThere: true });
  for (const [index, place] of failed.entries()) together[place] = alone[index] ?? null;
  return together;
}

/** The most questions of one batch. Over a websocket each is a message of its own. */
const askedInOneTurn = 100;

/** With fewer balances Multicall saves nothing: a batch asks for them one by one. */
const worthTogether = 20;

/**
 * `isStateThere`: the endpoint has just answered from that state, so it has it. Another host behind
 * the same URL may not have it.
 */
async function readOneByOne(
  endpoint: Endpoint,
  blockHash: Hash,
  of: { questions: readonly BalanceQuestion[]; isStateThere: boolean },
): Promise<(bigint | null)[]> {
  const { questions, isStateThere } = of;
  const isOfToken = (error: unknown) =>
    isRevertedIn(error) || (isStateThere && !isGoneIn(error) && !isAbsentIn(error));
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
        return wordIn(readData(await ask("eth_call", call), what));
      } catch (error) {
        if (failureKindIn(error) !== "refused") throw error;
        if (assetAddress !== nativeAddress && isOfToken(error)) return null;
        throw stateGone(blockHash, error);
      }
    }),
  );
}

function stateGone(blockHash: Hash, cause: unknown): Fault {
  return new Fault(
    "state_unavailable",
    `The endpoint does not give balances at block ${blockHash}.`,
    { cause },
  );
}
