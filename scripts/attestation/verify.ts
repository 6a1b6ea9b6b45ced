import { createHash, createPublicKey, verify } from "node:crypto";
import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { hexToBytes, keccak256 } from "viem/utils";
import { z } from "zod";

// An attestation, held against its own proofs, its digest and a public key: nothing of Chainbell's,
// no network and no database.

const hex = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text as `0x${string}`);

const nodes = z.array(hex);

const chain = z.object({
  blockchain: z.string(),
  seal: z.object({ number: z.int(), hash: z.string() }).nullable(),
  unknown: z.int().nonnegative(),
  differing: z.int().nonnegative(),
  block: z.object({ number: z.int(), hash: hex, time: z.string(), header_rlp: hex.nullable() }),
  balances: z.array(
    z.object({
      business_id: z.string(),
      wallet_id: z.string(),
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

const attestation = z.object({
  attestation: z.union([z.literal(1), z.literal(2)]),
  chains: z.array(chain),
  totals: z.record(z.string(), z.int()).optional(),
  digest: z.string().optional(),
  signature: z
    .object({ key_id: z.string(), algorithm: z.literal("ed25519"), value: z.string() })
    .optional(),
});

type Attestation = z.output<typeof attestation>;
type Chain = z.output<typeof chain>;
type Balance = Chain["balances"][number];
type Token = Chain["tokens"][number];
type Hex = `0x${string}`;

/**
 * `proved`: balances that the state of their block shows. `unproved`: nothing but the ledger's
 * word. `missing`: parts that are not there, and what follows from that.
 */
export type Verdict = { proved: number; unproved: number; wrong: string[]; missing: string[] };

/**
 * Judges an attestation as a whole: each balance, their order and number, the totals, the digest
 * and the signature.
 * @param publicKey the base64 of the 32 bytes of a key that comes from elsewhere; null: none does
 * @throws where it is not an attestation at all
 */
export async function verifyAttestation(
  document: unknown,
  publicKey: string | null,
): Promise<Verdict> {
  const verdict: Verdict = { proved: 0, unproved: 0, wrong: [], missing: [] };
  const parsed = attestation.parse(document);
  for (const one of parsed.chains) {
    await verifyChain(one, verdict);
    verifyOrder(one, verdict);
  }
  const names = parsed.chains.map(({ blockchain }) => blockchain);
  if (new Set(names).size < names.length) verdict.wrong.push("a chain stands twice");
  verifyTotals(parsed, verdict);
  verifySignature({ document, parsed, publicKey }, verdict);
  return verdict;
}

/** Each balance stands after those that are less. So none stands twice. */
function verifyOrder({ blockchain, balances, seal, unknown }: Chain, { wrong, missing }: Verdict) {
  const places = balances.map(
    ({ business_id, wallet_id, asset_address }) =>
      `${business_id}/${wallet_id}/${asset_address === "native" ? "" : asset_address}`,
  );
  const at = places.findIndex((place, index) => index > 0 && place <= (places[index - 1] ?? ""));
  if (at !== -1) {
    const { address, asset } = balances[at] ?? { address: "", asset: "" };
    wrong.push(`${blockchain}: ${address} ${asset} stands twice, or out of order`);
  }
  if (seal === null) missing.push(`${blockchain}: no seal, so no place in the journal`);
  if (unknown > 0) missing.push(`${blockchain}: ${unknown} balances, unknown at that block`);
}

function verifyTotals({ chains, totals }: Attestation, { wrong, missing }: Verdict): void {
  if (totals === undefined) {
    missing.push("the totals");
    return;
  }
  const balances = chains.flatMap((one) => one.balances);
  const proved = balances.filter(({ proof }) => proof !== null).length;
  const counted = {
    chains: chains.length,
    balances: balances.length,
    proved,
    unproved: balances.length - proved,
    unknown: chains.reduce((sum, { unknown }) => sum + unknown, 0),
    differing: chains.reduce((sum, { differing }) => sum + differing, 0),
  };
  for (const [name, amount] of Object.entries(counted))
    if (totals[name] !== amount) wrong.push(`totals: ${name} is ${totals[name]}, not ${amount}`);
}

function verifySignature(
  {
    document,
    parsed,
    publicKey,
  }: {
    document: unknown;
    parsed: Attestation;
    publicKey: string | null;
  },
  { wrong, missing }: Verdict,
): void {
  const { digest: _, signature: __, ...covered } = document as Record<string, unknown>;
  const digest = createHash("sha256").update(canonical(covered)).digest("hex");
  const { digest: stated, signature } = parsed;
  if (stated === undefined) missing.push("the digest: nothing shows that it is whole");
  else if (stated !== digest) wrong.push(`the digest is ${stated}, not ${digest}`);
  if (signature === undefined) missing.push("the signature: nothing shows who made it");
  if (publicKey === null) missing.push("a public key from elsewhere (--key)");
  if (signature === undefined || publicKey === null) return;
  const keyId = createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex");
  if (signature.key_id !== keyId.slice(0, 16)) {
    wrong.push(`it is signed by key ${signature.key_id}, not by ${keyId.slice(0, 16)}`);
    return;
  }
  const text = Buffer.from(`chainbell attestation sha256:${digest}`);
  const value = Buffer.from(signature.value, "base64");
  if (!verify(null, text, keyOf(publicKey), value))
    wrong.push(`key ${signature.key_id} has not signed this`);
}

/** RFC 8410, 4: the fixed beginning of an ed25519 key, and the key as it is. */
function keyOf(publicKey: string) {
  const bytes = Buffer.from(publicKey, "base64");
  const key = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), bytes]);
  return createPublicKey({ key, format: "der", type: "spki" });
}

/** RFC 8785. Numbers and texts are as ECMAScript writes them, which the RFC asks for. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  const members = names.map(
    (name) => `${JSON.stringify(name)}:${canonical(Reflect.get(value, name))}`,
  );
  return `{${members.join(",")}}`;
}

async function verifyChain(of: Chain, verdict: Verdict): Promise<void> {
  const { blockchain, block, balances } = of;
  const stateRoot = readStateRoot(block);
  if (typeof stateRoot === "string" && block.header_rlp !== null)
    verdict.wrong.push(`${blockchain}: ${stateRoot}`);
  if (block.header_rlp === null)
    verdict.missing.push(`${blockchain}: a header that gives the hash, so nothing of it is proved`);
  const read = typeof stateRoot === "string" ? null : createStateReader(stateRoot, of);
  const owners = new Set(of.accounts.map(({ address }) => address.toLowerCase()));
  let differing = 0;
  let unproved = 0;
  for (const one of balances) {
    const { address, asset, amount_atomic, proof } = one;
    const name = `${blockchain}: ${address} ${asset}`;
    const misread = isSameAmount(one)
      ? null
      : `${name}: ${one.amount} is not ${amount_atomic} with ${one.decimals} decimals`;
    const isOfCoin = one.asset_address === "native";
    if (proof === null) {
      if (isOfCoin && owners.has(address.toLowerCase()))
        verdict.wrong.push(`${name}: its account's proof is there, and it names none`);
      else if (misread === null) unproved += 1;
      else verdict.wrong.push(misread);
      continue;
    }
    if (read === null || isOfCoin !== (proof === "account")) {
      verdict.wrong.push(`${name}: nothing here can prove it`);
      continue;
    }
    const amount = await (isOfCoin ? read.coinOf(one) : read.tokenOf(one));
    if (amount === null) verdict.wrong.push(`${name}: its proof does not lead to the state root`);
    else if (amount.toString() !== amount_atomic) {
      differing += 1;
      verdict.wrong.push(`${name}: it says ${amount_atomic}, the chain's state says ${amount}`);
    } else if (misread !== null) verdict.wrong.push(misread);
    else verdict.proved += 1;
  }
  verdict.unproved += unproved;
  if (unproved > 0)
    verdict.missing.push(`${blockchain}: the proofs of ${unproved} of ${balances.length} balances`);
  if (differing !== of.differing)
    verdict.wrong.push(`${blockchain}: differing is ${of.differing}, not ${differing}`);
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
