import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { hexToBytes, keccak256 } from "viem/utils";
import { z } from "zod";

// What an attestation says, held against its own proofs: nothing of Chainbell's, no network and no
// database.

const hex = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text as `0x${string}`);

const nodes = z.array(hex);

const chain = z.object({
  blockchain: z.string(),
  block: z.object({ number: z.int(), hash: hex, time: z.string(), header_rlp: hex.nullable() }),
  balances: z.array(
    z.object({
      address: hex,
      asset: z.string(),
      asset_address: z.string(),
      decimals: z.int().nonnegative(),
      amount: z.string().regex(/^-?\d+(\.\d+)?$/),
      amount_atomic: z.string().regex(/^-?\d+$/),
      proof: z.enum(["account", "storage"]).nullable(),
    }),
  ),
  accounts: z.array(z.object({ address: hex, proof: nodes })),
  tokens: z.array(
    z.object({
      address: hex,
      layout: z.object({ kind: z.enum(["solidity", "vyper", "solady"]), place: hex }),
      proof: nodes,
      slots: z.array(z.object({ owner: hex, slot: hex, proof: nodes })),
    }),
  ),
});

const attestation = z.object({ attestation: z.literal(1), chains: z.array(chain) });

type Chain = z.output<typeof chain>;
type Balance = Chain["balances"][number];
type Token = Chain["tokens"][number];
type Hex = `0x${string}`;

/**
 * `proved`: balances that the state of their block shows. `unproved`: nothing but the ledger's
 * word.
 */
export type Verdict = { proved: number; unproved: number; wrong: string[] };

/**
 * What of an attestation is proved, and what in it cannot be true. @throws where it is not an
 * attestation at all
 */
export async function verifyAttestation(document: unknown): Promise<Verdict> {
  const verdict: Verdict = { proved: 0, unproved: 0, wrong: [] };
  for (const one of attestation.parse(document).chains) await verifyChain(one, verdict);
  return verdict;
}

async function verifyChain(of: Chain, verdict: Verdict): Promise<void> {
  const { blockchain, block, balances } = of;
  const stateRoot = readStateRoot(block);
  if (typeof stateRoot === "string" && block.header_rlp !== null)
    verdict.wrong.push(`${blockchain}: ${stateRoot}`);
  const read = typeof stateRoot === "string" ? null : createStateReader(stateRoot, of);
  for (const one of balances) {
    const { address, asset, amount_atomic, proof } = one;
    const name = `${blockchain}: ${address} ${asset}`;
    const misread = isSameAmount(one)
      ? null
      : `${name}: ${one.amount} is not ${amount_atomic} with ${one.decimals} decimals`;
    if (proof === null) {
      if (misread === null) verdict.unproved += 1;
      else verdict.wrong.push(misread);
      continue;
    }
    const isOfCoin = one.asset_address === "native";
    if (read === null || isOfCoin !== (proof === "account")) {
      verdict.wrong.push(`${name}: nothing here can prove it`);
      continue;
    }
    const amount = await (isOfCoin ? read.coinOf(one) : read.tokenOf(one));
    if (amount === null) verdict.wrong.push(`${name}: its proof does not lead to the state root`);
    else if (amount.toString() !== amount_atomic)
      verdict.wrong.push(`${name}: it says ${amount_atomic}, the chain's state says ${amount}`);
    else if (misread !== null) verdict.wrong.push(misread);
    else verdict.proved += 1;
  }
}

/**
 * Whether the amount that people read is the one that is proved. How many decimals an asset has is
 * a convention, and in no proof.
 */
function isSameAmount({ amount, amount_atomic, decimals }: Balance): boolean {
  const [whole = "", fraction = ""] = amount.split(".");
  return (
    fraction.length <= decimals &&
    BigInt(`${whole}${fraction.padEnd(decimals, "0")}`) === BigInt(amount_atomic)
  );
}

type Account = { coin: bigint; storageRoot: Uint8Array };

/**
 * Reads balances out of a state by the proofs of a statement, each account and token once. Null:
 * they do not lead there.
 */
function createStateReader(stateRoot: Uint8Array, { accounts, tokens }: Chain) {
  const proofs = new Map(accounts.map(({ address, proof }) => [address.toLowerCase(), proof]));
  const byAddress = new Map(tokens.map((one) => [one.address.toLowerCase(), one]));
  const read = new Map<string, Promise<Account | "absent" | null>>();
  const accountOf = (address: Hex, proof: readonly Hex[]) => {
    const key = `${address.toLowerCase()} ${proof.length}`;
    const known = read.get(key) ?? accountIn(stateRoot, address, proof);
    read.set(key, known);
    return known;
  };
  return {
    async coinOf({ address }: Balance): Promise<bigint | null> {
      const account = await accountOf(address, proofs.get(address.toLowerCase()) ?? []);
      return account === "absent" ? 0n : (account?.coin ?? null);
    },
    async tokenOf({ address, asset_address }: Balance): Promise<bigint | null> {
      const token = byAddress.get(asset_address.toLowerCase());
      const slot = token?.slots.find(({ owner }) => owner.toLowerCase() === address.toLowerCase());
      if (token === undefined || slot === undefined) return null;
      // Nothing but the owner's own slot, by the layout that is stated, says what the owner has.
      if (slotOf(token.layout, address) !== slot.slot.toLowerCase()) return null;
      const account = await accountOf(token.address, token.proof);
      if (account === "absent" || account === null) return null;
      const value = await valueIn(account.storageRoot, slot.slot, slot.proof);
      if (value === null || value === "absent") return value === null ? null : 0n;
      return numberIn(RLP.decode(value));
    },
  };
}

/** Where a token keeps the balance of an owner, by what its layout hashes together. */
function slotOf({ kind, place }: Token["layout"], owner: Hex): Hex {
  const bare = owner.slice(2).toLowerCase();
  const [key, at] = [bare.padStart(64, "0"), place.slice(2)];
  const hashed = { solidity: key + at, vyper: at + key, solady: bare + at }[kind];
  return keccak256(`0x${hashed}`);
}

/** The state root out of a header that is this block's, or what is wrong with it. */
function readStateRoot({ number, hash, time, header_rlp }: Chain["block"]): Uint8Array | string {
  if (header_rlp === null) return "there is no header";
  if (keccak256(header_rlp) !== hash) return `the header is not that of block ${hash}`;
  const fields = RLP.decode(hexToBytes(header_rlp));
  // Yellow paper, 4.4.3: the state root is the fourth field, the number the ninth, the time the
  // twelfth.
  const [root, height, seconds] = Array.isArray(fields) ? [fields[3], fields[8], fields[11]] : [];
  if (!(root instanceof Uint8Array && root.length === 32)) return "the header has no state root";
  if (numberIn(height) !== BigInt(number)) return `the header is not that of block ${number}`;
  if (numberIn(seconds) !== BigInt(Math.floor(Date.parse(time) / 1_000)))
    return `the header's time is not ${time}`;
  return root;
}

/**
 * An account in a state; `absent` where it is shown not to be there, null where the nodes do not
 * lead there.
 */
async function accountIn(
  root: Uint8Array,
  address: Hex,
  proof: readonly Hex[],
): Promise<Account | "absent" | null> {
  const value = await valueIn(root, address, proof);
  if (value === null || value === "absent") return value;
  const account = RLP.decode(value);
  if (!Array.isArray(account)) return null;
  // Yellow paper, 4.1: nonce, balance, root of the storage, hash of the code.
  const [, balance, storageRoot] = account;
  const coin = numberIn(balance);
  return coin === null || !(storageRoot instanceof Uint8Array) ? null : { coin, storageRoot };
}

/**
 * What a trie has under the hash of a key; `absent` where it is shown to have nothing, null where
 * the nodes do not lead there.
 */
async function valueIn(
  root: Uint8Array,
  key: Hex,
  proof: readonly Hex[],
): Promise<Uint8Array | "absent" | null> {
  try {
    const value = await verifyMerkleProof(
      hexToBytes(key),
      proof.map((node) => hexToBytes(node)),
      { root, useKeyHashing: true },
    );
    return value ?? "absent";
  } catch {
    return null;
  }
}

function numberIn(bytes: unknown): bigint | null {
  if (!(bytes instanceof Uint8Array)) return null;
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}
