import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import type {
  AccountProof,
  AttestedBlock,
  TokenLayout,
  TokenProof,
} from "../../domain/evidence/attestation.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import { type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { readProvenAccount } from "../proof/prove-state.ts";
import { readData, readList, readObject, toQuantity } from "../rpc/rpc-value.ts";
import { readBalances } from "./asking/read-balances.ts";
import { knownLayouts, slotOf } from "./token-layouts.ts";

// Proofs with their nodes, which somebody else can store and verify. Each one is verified here
// first.

/** One request asks for this many slots. Nodes allow far more (1,024 in go-ethereum). */
const slotsPerRequest = 50;

type Nodes = readonly `0x${string}`[];

/** An answer of eth_getProof. Its nodes lead from the block's state root to these values. */
type Shown = { nodes: Nodes; coinAtomic: bigint; slots: { nodes: Nodes; amountAtomic: bigint }[] };

type Asked = { block: AttestedBlock; account: Address; slots: readonly Hash[] };

/**
 * Proves an account's coin and slots. Null: the endpoint does not prove that state, or its proof
 * does not hold.
 */
export async function attestAccount(
  endpoint: Endpoint,
  keccak: Keccak,
  { block, address }: { block: AttestedBlock; address: Address },
): Promise<AccountProof | null> {
  const shown = await askShown(endpoint, keccak, { block, account: address, slots: [] });
  return shown && { address, nodes: shown.nodes, coinAtomic: shown.coinAtomic };
}

/**
 * Proves the balances of a token by the slots that hold them. It finds the layout by an owner with
 * a balance. Exactly one known layout must have, proved, the amount that balanceOf answers. Null:
 * there is no such layout, or nothing can be proved.
 */
export async function attestToken(
  endpoint: Endpoint,
  keccak: Keccak,
  of: { block: AttestedBlock; token: Address; owners: readonly Address[] },
): Promise<TokenProof | null> {
  const { block, token, owners } = of;
  const layout = await findLayout(endpoint, keccak, of);
  if (layout === null) return null;
  const slots = owners.map((owner) => slotOf(keccak, layout, owner));
  const shown: Shown[] = [];
  for (let first = 0; first < slots.length; first += slotsPerRequest) {
    const some = slots.slice(first, first + slotsPerRequest);
    const part = await askShown(endpoint, keccak, { block, account: token, slots: some });
    if (part === null) return null;
    shown.push(part);
  }
  const found = shown.flatMap((part) => part.slots);
  return {
    token,
    layout,
    nodes: shown[0]?.nodes ?? [],
    slots: owners.flatMap((owner, index) => {
      const [slot, one] = [slots[index], found[index]];
      return slot === undefined || one === undefined ? [] : [{ owner, slot, ...one }];
    }),
  };
}

async function findLayout(
  endpoint: Endpoint,
  keccak: Keccak,
  { block, token, owners }: { block: AttestedBlock; token: Address; owners: readonly Address[] },
): Promise<TokenLayout | null> {
  const said = await askToken(endpoint, block, { token, owners });
  const at = said?.findIndex((amount) => (amount ?? 0n) > 0n) ?? -1;
  const [owner, amount] = [owners[at], said?.[at]];
  if (owner === undefined) return null;
  const slots = knownLayouts.map((layout) => slotOf(keccak, layout, owner));
  const shown = await askShown(endpoint, keccak, { block, account: token, slots });
  const fitting = knownLayouts.filter((_, index) => shown?.slots[index]?.amountAtomic === amount);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/**
 * Asks balanceOf. Null: the endpoint has no state of that block any more. A null element: the token
 * fails.
 */
async function askToken(
  endpoint: Endpoint,
  block: AttestedBlock,
  { token, owners }: { token: Address; owners: readonly Address[] },
): Promise<(bigint | null)[] | null> {
  const questions = owners.map(
    (walletAddress): BalanceQuestion => ({ walletAddress, assetAddress: token }),
  );
  try {
    return await readBalances(endpoint, block.hash, questions);
  } catch (error) {
    if (faultIn(error)?.code === "state_unavailable") return null;
    throw error;
  }
}

async function askShown(
  endpoint: Endpoint,
  keccak: Keccak,
  { block, account, slots }: Asked,
): Promise<Shown | null> {
  if (block.header === null) return null;
  const { stateRoot } = block.header;
  const params = [account, slots, toQuantity(block.number)];
  try {
    const answer = await endpoint.ask("proof", { method: "eth_getProof", params }, "batched");
    const proven = readProvenAccount(keccak, { stateRoot, account, slots }, answer);
    if (proven === null) return null;
    const raw = readObject(answer, "proof");
    const storage = readList(raw["storageProof"] ?? [], "storageProof");
    return {
      nodes: nodesIn(raw["accountProof"]),
      coinAtomic: proven.coinAtomic,
      slots: proven.slots.map((amountAtomic, index) => ({
        nodes: nodesIn(readObject(storage[index], "storageProof")["proof"]),
        amountAtomic,
      })),
    };
  } catch (error) {
    const kind = failureKindIn(error);
    if (kind === "unsupported" || kind === "refused") return null;
    throw error;
  }
}

function nodesIn(value: unknown): Nodes {
  return readList(value, "proof").map((node) => readData(node, "proof"));
}
