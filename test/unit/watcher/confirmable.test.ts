import { expect, test } from "vitest";
import type { Position } from "../../../src/domain/chain/block.ts";
import { findConfirmable } from "../../../src/watcher/gate/confirmable.ts";

const tip = { number: 9n, hash: "0x09", timeMs: null } as const;

/** Every endpoint agrees to every height, so that the tag alone decides. */
const ports = {
  gate: {
    agreedUpTo: async ({ number }: { number: bigint }) => ({ kind: "agreed", number }) as const,
  },
  ledger: {
    readAgedHeight: async () => null,
    readHash: async (_: string, number: bigint) => (number === 7n ? "0x07" : null) as "0x07" | null,
  },
};

const confirm = (tag: Position) =>
  findConfirmable(ports, {
    chainName: "ethereum",
    tip,
    tag: { ...tag, saidBy: "one" },
    policy: { kind: "tag", tag: "finalized" },

    confirmedNumber: 3n,
    ballot: null,
    readFrom: "one",
  });

test("a tag confirms the block that it names, of the hash that is stored", async () => {
  expect(await confirm({ number: 7n, hash: "0x07" })).toMatchObject({
    kind: "confirmable",
    number: 7n,
  });
  expect(await confirm({ number: 9n, hash: "0x09" })).toMatchObject({
    kind: "confirmable",
    number: 9n,
  });
});

test("a tag with another hash than the stored one confirms nothing, whoever agrees to the height", async () => {
  expect(await confirm({ number: 7n, hash: "0x77" })).toMatchObject({
    kind: "disputed",
    stored: "0x07",
  });
  expect(await confirm({ number: 9n, hash: "0x99" })).toMatchObject({
    kind: "disputed",
    stored: "0x09",
  });
});

test("a tag for whose height no hash is stored confirms nothing", async () => {
  expect(await confirm({ number: 5n, hash: "0x05" })).toEqual({ kind: "wait" });
});
