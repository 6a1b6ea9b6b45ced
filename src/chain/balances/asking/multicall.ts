import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { Address } from "../../../domain/chain/address.ts";
import type { Hash } from "../../../domain/chain/block.ts";
import type { BalanceQuestion } from "../../../domain/money/balance.ts";
import { nativeAddress } from "../../../domain/money/movement.ts";
import { type Endpoint, failureKindIn } from "../../endpoints/endpoint.ts";
import { readData } from "../../rpc/rpc-value.ts";

/** Multicall3, deployed at this address on nearly every chain (github.com/mds1/multicall3). */
const multicall3 = "0xcA11bde05977b3631167028862bE2a173976CA11";

const abi = parseAbi([
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) view returns ((bool success, bytes returnData)[])",
]);

/**
 * Balances in one call. That needs far less gas than nodes allow: they allow about a large block's.
 */
const balancesPerCall = 250;

/**
 * Reads balances at a block, many in one call. Null: the contract does not exist at that block, or
 * the endpoint refuses. Then the caller asks for each balance by itself. A null element is asked
 * for by itself too: its token failed, or another one used up the gas.
 */
export async function readByMulticall(
  endpoint: Endpoint,
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<(bigint | null)[] | null> {
  const balances: (bigint | null)[] = [];
  for (let first = 0; first < questions.length; first += balancesPerCall) {
    const read = await readChunk(
      endpoint,
      blockHash,
      questions.slice(first, first + balancesPerCall),
    );
    if (read === null) return null;
    balances.push(...read);
  }
  return balances;
}

async function readChunk(
  endpoint: Endpoint,
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<(bigint | null)[] | null> {
  const calls = questions.map((question) => ({ ...callOf(question), allowFailure: true }));
  const data = encodeFunctionData({ abi, functionName: "aggregate3", args: [calls] });
  const at = { blockHash, requireCanonical: true };
  const what = `${questions.length} balances`;
  try {
    const call = { method: "eth_call", params: [{ to: multicall3, data }, at] };
    const answer = readData(await endpoint.ask(what, call), what);
    const results = decode(answer);
    endpoint.capabilities.hasMulticall = results !== null;
    if (results === null) return null;
    if (results.length !== questions.length) return null;
    return results.map(({ success, returnData }) => (success ? wordIn(returnData) : null));
  } catch (error) {
    if (failureKindIn(error) === "refused") return null;
    throw error;
  }
}

/**
 * Reads the first word, and ignores what a broken token appends. Zero for an empty answer, which
 * means that there is no contract.
 */
export function wordIn(data: `0x${string}`): bigint {
  return data === "0x" ? 0n : BigInt(data.slice(0, 2 + 64));
}

/** Null: the contract does not exist there, or is another one. */
function decode(data: `0x${string}`) {
  if (data === "0x") return null;
  try {
    return decodeFunctionResult({ abi, functionName: "aggregate3", data });
  } catch {
    return null;
  }
}

function callOf({ walletAddress, assetAddress }: BalanceQuestion) {
  return assetAddress === nativeAddress
    ? {
        target: multicall3 as `0x${string}`,
        callData: callData(getEthBalanceSelector, walletAddress),
      }
    : { target: assetAddress, callData: balanceOfData(walletAddress) };
}

/** getEthBalance(address) of Multicall3. */
const getEthBalanceSelector = "0x4d2301cc";

/** balanceOf(address), ERC-20. */
export function balanceOfData(owner: Address): `0x${string}` {
  return callData("0x70a08231", owner);
}

/** By hand, since viem hashes the function's signature for each of thousands of calls. */
function callData(selector: `0x${string}`, owner: Address): `0x${string}` {
  return `${selector}${owner.slice(2).padStart(64, "0")}`;
}
