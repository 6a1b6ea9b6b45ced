import { type Address, zeroAddress } from "../../domain/chain/address.ts";
import { expectedProof } from "../../domain/chain/expected-proof.ts";
import { profileOf } from "../../domain/chain/profiles/known-profiles.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type { Clock } from "../../runtime/clock.ts";
import { readBalances } from "../balances/asking/read-balances.ts";
import { type BlockParts, readBlock } from "../blocks/asking/load-block.ts";
import { requireChain } from "../endpoints/chain-id.ts";
import { createEndpoint, type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import { endpointNames } from "../endpoints/endpoint-names.ts";
import { hideKeys } from "../endpoints/hide-keys.ts";
import { loadCryptography } from "../proof/hashing/cryptography.ts";
import { createTransport } from "../rpc/rpc-transport.ts";
import { readData, readList, readObject, toQuantity } from "../rpc/rpc-value.ts";
import type { RecordedBalance, Recording } from "./recording.ts";
import { decodeRecording } from "./verify-recording.ts";

/** The time limit of a request, in ms. The trace of a full block takes long. */
const timeoutMs = 60_000;

/**
 * The balances of at most this many accounts are recorded, which is enough to check a block's
 * movements.
 */
const maxAccounts = 48;

/**
 * Records one block as an endpoint answers it: the block, its receipts, and its traces if the
 * endpoint has them. It also records, with proofs, the balances of accounts whose coin the block
 * moves.
 * @throws Fault `wrong_chain_id`, `rpc_unavailable`, `rpc_inconsistent`
 */
export async function recordBlock(
  { clock }: { clock: Clock },
  { url, chainId, number }: { url: string; chainId: number; number: bigint },
): Promise<Recording> {
  const transport = createTransport(url, timeoutMs, clock);
  const [name = "endpoint"] = endpointNames([url]);
  const { host } = new URL(url);
  const redact = hideKeys([url]);
  const endpoint = createEndpoint({ name, host, transport, redact, isAlone: true }, clock);
  try {
    await requireChain(endpoint, chainId);
    const parts = await askParts(endpoint, chainId, number);
    const recording = recordingOf(chainId, parts);
    return { ...recording, balances: await recordBalances(endpoint, recording, parts) };
  } finally {
    transport.close();
  }
}

/** Asks for all parts. It asks for traces even if logs show every move. */
function askParts(endpoint: Endpoint, chainId: number, number: bigint): Promise<BlockParts> {
  const profile = profileOf(chainId);
  const proof = expectedProof(profile, null);
  return readBlock(endpoint, number, { proof, tracing: "auto", aliases: new Map(), profile });
}

function recordingOf(chainId: number, parts: BlockParts): Recording {
  const { block, receipts, tracing, traces } = parts;
  return {
    chainId,
    block: block.raw,
    receipts: receipts.map(({ raw }) => raw),
    traces:
      tracing === "off" || traces === null
        ? null
        : { kind: tracing, answer: readList(traces, "traces") },
    balances: [],
  };
}

/** Empty if the endpoint has no state of that block any more. */
async function recordBalances(
  endpoint: Endpoint,
  recording: Recording,
  { block }: BlockParts,
): Promise<RecordedBalance[]> {
  if (block.number === 0n) return [];
  const accounts = (await accountsOf(recording)).slice(0, maxAccounts);
  const questions = accounts.map(
    (walletAddress): BalanceQuestion => ({ walletAddress, assetAddress: nativeAddress }),
  );
  try {
    const before = await readBalances(endpoint, block.parentHash, questions);
    const after = await readBalances(endpoint, block.hash, questions);
    const proofs = await Promise.all(accounts.map((one) => askProof(endpoint, block, one)));
    return accounts.map((address, index) => ({
      address,
      transaction: null,
      beforeAtomic: before[index] ?? 0n,
      afterAtomic: after[index] ?? 0n,
      proof: proofs[index] ?? null,
    }));
  } catch (error) {
    if (faultIn(error)?.code !== "state_unavailable") throw error;
    return [];
  }
}

/** The accounts whose coin the block moves, as far as the block can be decoded. */
async function accountsOf(recording: Recording): Promise<Address[]> {
  const cryptography = await loadCryptography();
  const profile = profileOf(recording.chainId);
  const judged = { cryptography, recording, profile };
  const decoded = decodeRecording(judged, recording.traces?.kind ?? "off");
  if (decoded?.kind !== "done") return [];
  const moving = decoded.value.movements.filter(({ asset }) => asset === nativeAddress);
  // The zero address is no account: it stands for coin that is made or burned.
  const accounts = new Set(moving.flatMap(({ from, to }) => [from, to]));
  accounts.delete(zeroAddress);
  return [...accounts];
}

/** Null: the endpoint does not prove that state. */
async function askProof(
  endpoint: Endpoint,
  { number }: BlockParts["block"],
  account: Address,
): Promise<RecordedBalance["proof"]> {
  const params = [account, [], toQuantity(number)];
  try {
    const answer = await endpoint.ask("proof", { method: "eth_getProof", params }, "batched");
    const nodes = readList(readObject(answer, "proof")["accountProof"], "accountProof");
    return nodes.map((node) => readData(node, "proof"));
  } catch (error) {
    const kind = failureKindIn(error);
    if (kind === "unsupported" || kind === "refused") return null;
    throw error;
  }
}
