import { createMerkleProof, createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadKeccak256 } from "../../../../src/chain/proof/hashing/keccak.ts";
import { readProvenAccount } from "../../../../src/chain/proof/prove-state.ts";
import { followProof } from "../../../../src/chain/proof/trie-proof.ts";
import type { Address } from "../../../../src/domain/chain/address.ts";
import type { Hash } from "../../../../src/domain/chain/block.ts";

const keccak = await loadKeccak256();
const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`;

describe("a proof of what a trie holds", () => {
  it("shows a value, or that there is none, as another implementation wrote it", async () => {
    const key = fc.uint8Array({ minLength: 4, maxLength: 4 });
    const value = fc.uint8Array({ minLength: 1, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, value), { maxLength: 60 }),
        key,
        async (all, other) => {
          const trie = await createMPT();
          for (const [at, what] of all) await trie.put(at, what);
          const held = new Map(all.map(([at, what]) => [hex(at), hex(what)]));
          for (const at of [other, ...all.map(([one]) => one)]) {
            const nodes = (await createMerkleProof(trie, at)).map(hex);
            const found = followProof(keccak, trie.root(), { key: at, nodes });
            const expected = held.get(hex(at));
            expect(found.kind === "value" ? hex(found.value) : found.kind).toBe(
              expected ?? "absent",
            );
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("shows nothing once any byte of it is another", async () => {
    const trie = await createMPT();
    for (let index = 0; index < 40; index += 1)
      await trie.put(keccak(Uint8Array.of(index)), new Uint8Array(40).fill(index + 1));
    const key = keccak(Uint8Array.of(7));
    const nodes = (await createMerkleProof(trie, key)).map(hex);
    expect(followProof(keccak, trie.root(), { key, nodes }).kind).toBe("value");
    for (const [index, node] of nodes.entries()) {
      for (let at = 2; at < node.length; at += 31) {
        const other = node[at] === "0" ? "1" : "0";
        const forged = nodes.with(index, `0x${node.slice(2, at)}${other}${node.slice(at + 1)}`);
        expect(followProof(keccak, trie.root(), { key, nodes: forged }).kind).toBe("invalid");
      }
      const cut = nodes.filter((_, place) => place !== index);
      expect(followProof(keccak, trie.root(), { key, nodes: cut }).kind).toBe("invalid");
    }
  });
});

it("a trie with nothing in it has nothing, and no nodes but the one that says so", () => {
  const root = keccak(Uint8Array.of(0x80));
  const key = keccak(root);
  for (const nodes of [[], ["0x80"]])
    expect(followProof(keccak, root, { key, nodes })).toEqual({ kind: "absent" });
  expect(followProof(keccak, root, { key, nodes: ["0xc0"] })).toEqual({ kind: "invalid" });
});

describe("an account that a state has", () => {
  const account: Address = `0x${"a1".repeat(20)}`;
  const slot: Hash = `0x${"0".repeat(63)}5`;
  const toBytes = (text: string) => Buffer.from(text.slice(2), "hex");

  async function stateWith(balance: number, held: number) {
    const storage = await createMPT({ useKeyHashing: true });
    for (let index = 0; index < 20; index += 1)
      await storage.put(Buffer.alloc(32, index + 1), RLP.encode(index + 9));
    if (held > 0) await storage.put(toBytes(slot), RLP.encode(held));
    const state = await createMPT({ useKeyHashing: true });
    const code = keccak(new Uint8Array(0));
    for (let index = 0; index < 20; index += 1)
      await state.put(Buffer.alloc(20, index + 1), RLP.encode([1, 2, storage.root(), code]));
    await state.put(toBytes(account), RLP.encode([3, balance, storage.root(), code]));
    const proof = (await createMerkleProof(storage, toBytes(slot))).map(hex);
    return {
      stateRoot: hex(state.root()),
      prove: async (one: string) => ({
        accountProof: (await createMerkleProof(state, toBytes(one))).map(hex),
        storageProof: [{ key: slot, value: "0x0", proof }],
      }),
    };
  }

  it("has the coin and the slots that its nodes show, whatever is said beside them", async () => {
    const { stateRoot, prove } = await stateWith(1_000_000, 77);
    const answer = { ...(await prove(account)), balance: "0x5", storageHash: slot };
    const read = readProvenAccount(keccak, { stateRoot, account, slots: [slot] }, answer);
    expect(read).toEqual({ coinAtomic: 1_000_000n, slots: [77n] });
  });

  it("holds nothing where it is not there, and a slot that is not there holds nothing", async () => {
    const { stateRoot, prove } = await stateWith(5, 0);
    const nobody: Address = `0x${"b0".repeat(20)}`;
    const asked = { stateRoot, slots: [slot] };
    const none = readProvenAccount(keccak, { ...asked, account: nobody }, await prove(nobody));
    expect(none).toEqual({ coinAtomic: 0n, slots: [0n] });
    const empty = readProvenAccount(keccak, { ...asked, account }, await prove(account));
    expect(empty).toEqual({ coinAtomic: 5n, slots: [0n] });
  });

  it("is not shown by the proof of another account, of another state, or cut short", async () => {
    const { stateRoot, prove } = await stateWith(5, 77);
    const other: Address = `0x${"05".repeat(20)}`;
    const asked = { stateRoot, account, slots: [slot] };
    const proof = await prove(account);
    const shorter = { ...proof, accountProof: proof.accountProof.slice(0, -1) };
    const [storage] = proof.storageProof;
    const noSlot = { ...proof, storageProof: [{ ...storage, proof: [] }] };
    for (const forged of [await prove(other), shorter, { ...proof, accountProof: [] }, noSlot])
      expect(readProvenAccount(keccak, asked, forged)).toBeNull();
    const later = await stateWith(6, 77);
    expect(readProvenAccount(keccak, asked, await later.prove(account))).toBeNull();
  });
});
