import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { hexToBytes, keccak256 } from "viem/utils";
import { z } from "zod";

// What an attestation says, held against its own proofs: nothing of Chainbell's, no network and no database.

const hex = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text as `0x${string}`);

const chain = z.object({
  blockchain: z.string(),
  block: z.object({ number: z.int(), hash: hex, time: z.string(), header_rlp: hex.nullable() }),
  balances: z.array(
    z.object({
      address: hex,
      asset: z.string(),
      asset_address: z.string(),
      amount_atomic: z.string().regex(/^-?\d+$/),
      proof: z.enum(["account"]).nullable(),
    }),
  ),
  accounts: z.array(z.object({ address: hex, proof: z.array(hex) })),
});

const attestation = z.object({ attestation: z.literal(1), chains: z.array(chain) });

type Chain = z.output<typeof chain>;

/** `proved`: balances that the state of their block shows. `unproved`: nothing but the ledger's word. */
export type Verdict = { proved: number; unproved: number; wrong: string[] };

/** What of an attestation is proved, and what in it cannot be true. @throws where it is not an attestation at all */
export async function verifyAttestation(document: unknown): Promise<Verdict> {
  const verdict: Verdict = { proved: 0, unproved: 0, wrong: [] };
  for (const one of attestation.parse(document).chains) await verifyChain(one, verdict);
  return verdict;
}

async function verifyChain(of: Chain, verdict: Verdict): Promise<void> {
  const { blockchain, block, balances, accounts } = of;
  const stateRoot = readStateRoot(block);
  if (typeof stateRoot === "string" && block.header_rlp !== null)
    verdict.wrong.push(`${blockchain}: ${stateRoot}`);
  const proofs = new Map(accounts.map(({ address, proof }) => [address.toLowerCase(), proof]));
  const coins = new Map<string, bigint | null>();
  for (const { address, asset, asset_address, amount_atomic, proof } of balances) {
    const name = `${blockchain}: ${address} ${asset}`;
    if (proof === null) {
      verdict.unproved += 1;
      continue;
    }
    if (asset_address !== "native" || typeof stateRoot === "string") {
      verdict.wrong.push(`${name}: nothing here can prove it`);
      continue;
    }
    const key = address.toLowerCase();
    if (!coins.has(key)) coins.set(key, await coinIn(stateRoot, address, proofs.get(key) ?? []));
    const coin = coins.get(key) ?? null;
    if (coin === null) verdict.wrong.push(`${name}: its proof does not lead to the state root`);
    else if (coin.toString() !== amount_atomic)
      verdict.wrong.push(`${name}: it says ${amount_atomic}, the chain's state says ${coin}`);
    else verdict.proved += 1;
  }
}

/** The state root out of a header that is this block's, or what is wrong with it. */
function readStateRoot({ number, hash, time, header_rlp }: Chain["block"]): Uint8Array | string {
  if (header_rlp === null) return "there is no header";
  if (keccak256(header_rlp) !== hash) return `the header is not that of block ${hash}`;
  const fields = RLP.decode(hexToBytes(header_rlp));
  // Yellow paper, 4.4.3: the state root is the fourth field, the number the ninth, the time the twelfth.
  const [root, height, seconds] = Array.isArray(fields) ? [fields[3], fields[8], fields[11]] : [];
  if (!(root instanceof Uint8Array && root.length === 32)) return "the header has no state root";
  if (numberIn(height) !== BigInt(number)) return `the header is not that of block ${number}`;
  if (numberIn(seconds) !== BigInt(Math.floor(Date.parse(time) / 1_000)))
    return `the header's time is not ${time}`;
  return root;
}

/** The coin of an account in a state; 0 where it is shown not to be there, null where the nodes do not lead there. */
async function coinIn(
  root: Uint8Array,
  address: `0x${string}`,
  proof: readonly `0x${string}`[],
): Promise<bigint | null> {
  try {
    const nodes = proof.map((node) => hexToBytes(node));
    const value = await verifyMerkleProof(hexToBytes(address), nodes, {
      root,
      useKeyHashing: true,
    });
    if (value === null) return 0n;
    const account = RLP.decode(value);
    return Array.isArray(account) ? numberIn(account[1]) : null;
  } catch {
    return null;
  }
}

function numberIn(bytes: unknown): bigint | null {
  if (!(bytes instanceof Uint8Array)) return null;
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}
