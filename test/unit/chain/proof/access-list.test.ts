import { describe, expect, it } from "vitest";
import { accessListItem } from "../../../../src/chain/proof/encoding/access-list.ts";
import { encodeRlp } from "../../../../src/chain/proof/encoding/rlp.ts";
import { loadKeccak256 } from "../../../../src/chain/proof/hashing/keccak.ts";
import { accessListHash, hex, type Json } from "../../../support/chain/amsterdam/seal-block.ts";

const keccak = await loadKeccak256();
const hashOf = (list: Json[]) => hex(keccak(encodeRlp(accessListItem(list))));

const nothing = {
  storageChanges: [],
  storageReads: [],
  balanceChanges: [],
  nonceChanges: [],
  codeChanges: [],
};
const account = {
  address: `0x${"a1".repeat(20)}`,
  storageChanges: [
    { key: "0x1e29", changes: [{ index: "0x0", value: `0x${"6f".repeat(32)}` }] },
    {
      key: "0x0",
      changes: [
        { index: "0x1", value: "0x0" },
        { index: "0x2a", value: "0x80" },
      ],
    },
  ],
  storageReads: ["0x0", "0x37", `0x${"9f".repeat(32)}`],
  balanceChanges: [
    { index: "0x2a", value: "0x684cd9e8eae0f0e" },
    { index: "0x3b", value: "0x0" },
  ],
  nonceChanges: [{ index: "0x2a", value: "0x1809" }],
  codeChanges: [{ index: "0x2a", code: `0x${"5b".repeat(300)}` }],
};

describe("an access list as its hash covers it (EIP-7928)", () => {
  it("is what another implementation of RLP makes of it", () => {
    for (const list of [[], [{ address: account.address, ...nothing }], [account, account]])
      expect(hashOf(list)).toBe(accessListHash(list));
  });

  it("without anything in it has the hash that the specification gives", () => {
    expect(hashOf([])).toBe("0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347");
  });

  it("is the same however many digits a node writes for a key or a value of storage", () => {
    const padded = (digits: string) => `0x${digits.slice(2).padStart(64, "0")}`;
    const written = {
      ...account,
      storageReads: account.storageReads.map(padded),
      storageChanges: account.storageChanges.map(({ key, changes }) => ({
        key: padded(key),
        changes: changes.map(({ index, value }) => ({ index, value: padded(value) })),
      })),
    };
    expect(hashOf([written])).toBe(hashOf([account]));
  });

  it("is another one once any part of it is changed or left out", () => {
    const of = hashOf([account]);
    for (const key of Object.keys(nothing) as (keyof typeof nothing)[])
      expect(hashOf([{ ...account, [key]: account[key].slice(1) }])).not.toBe(of);
    const balanceChanges = [{ index: "0x2a", value: "0x684cd9e8eae0f0f" }];
    expect(hashOf([{ ...account, balanceChanges }])).not.toBe(of);
  });

  it("with a part that is missing or damaged is refused", () => {
    for (const key of ["address", ...Object.keys(nothing)])
      expect(() => hashOf([{ ...account, [key]: undefined }])).toThrow("malformed");
    expect(() => hashOf([{ ...account, balanceChanges: [{ index: "0x1" }] }])).toThrow("malformed");
  });
});
