import type { Address } from "../../domain/chain/address.ts";
import { type LoadedBlock, type Movement, nativeAddress } from "../../domain/money/movement.ts";
import type { PartFinding } from "../../domain/setup/recorded-block.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { readProvenAccount } from "../proof/prove-state.ts";
import { readHash } from "../rpc/rpc-value.ts";
import { type Attempt, attempt, finding } from "./part-finding.ts";
import type { RecordedBalance, Recording } from "./recording.ts";

type Decoded = { traced: Attempt<LoadedBlock> | null; plain: Attempt<LoadedBlock> | null };

/**
 * Judges the recorded balances of the coin. The state's root must prove them, and the block's
 * movements must explain their changes.
 */
export function judgeState(
  { cryptography, recording }: { cryptography: Cryptography; recording: Recording },
  header: PartFinding,
  { traced, plain }: Decoded,
): PartFinding {
  const balances = recording.balances.filter(({ transaction }) => transaction === null);
  if (balances.length === 0) return finding("open", "no balances were recorded");
  const wrong = balances.find((one) => !isShown(cryptography, recording, one));
  if (wrong !== undefined)
    return finding("refused", `the proof of ${wrong.address} does not show its balance`);
  const proofs = balances.filter(({ proof }) => proof !== null).length;
  const isProved = header.state === "proved" && proofs === balances.length;
  const shown = `${balances.length} balances, ${proofs} of them by the state's root`;
  const decoded = traced ?? plain;
  if (decoded?.kind !== "done") return finding(isProved ? "proved" : "fits", shown);
  const moved = movedBy(decoded.value.movements);
  const other = balances.filter((one) => changeOf(one) !== (moved.get(one.address) ?? 0n));
  const [first] = other;
  if (first === undefined)
    return finding(isProved ? "proved" : "fits", `${shown}; the movements make up every change`);
  const says = `${shown}; ${other.length} changed by another amount than moved, such as ${first.address}`;
  return finding(traced === null ? "open" : "refused", says);
}

/** True if a proof shows the balance. A balance without a proof is accepted. */
function isShown(
  { keccak }: Cryptography,
  { block }: Recording,
  { address, afterAtomic, proof }: RecordedBalance,
): boolean {
  if (proof === null) return true;
  const outcome = attempt(() => {
    const stateRoot = readHash(block["stateRoot"], "stateRoot");
    const asked = { stateRoot, account: address, slots: [] };
    return readProvenAccount(keccak, asked, { accountProof: proof })?.coinAtomic === afterAtomic;
  });
  return outcome.kind === "done" && outcome.value;
}

function changeOf({ beforeAtomic, afterAtomic }: RecordedBalance): bigint {
  return afterAtomic - beforeAtomic;
}

/** The coin that each account gained or lost. */
export function movedBy(movements: readonly Movement[]): ReadonlyMap<Address, bigint> {
  const changes = new Map<Address, bigint>();
  const add = (address: Address, amount: bigint) =>
    changes.set(address, (changes.get(address) ?? 0n) + amount);
  for (const { kind, asset, from, to, amountAtomic } of movements) {
    if (asset !== nativeAddress) continue;
    if (kind !== "income") add(from, -amountAtomic);
    if (kind !== "fee") add(to, amountAtomic);
  }
  return changes;
}
