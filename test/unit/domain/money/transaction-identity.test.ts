import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Movement } from "../../../../src/domain/money/movement.ts";
import { transactionIdentity } from "../../../../src/domain/money/transaction-identity.ts";

const txHash = `0x${"ab".repeat(32)}` as const;
const [from, to, token] = [
  `0x${"01".repeat(20)}`,
  `0x${"02".repeat(20)}`,
  `0x${"03".repeat(20)}`,
] as const;
const walletId = "018f3c5e-7a10-7c3e-9b1d-2f4a6c8e0b12";
const place = { logIndex: 3, tracePath: null };

function digestOf(parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

// Ledgers hold them: the hashed bytes are those of a JSON list of strings, for ever.
describe("the identity of a transaction", () => {
  for (const chainName of ["ethereum", 'a "quoted" \\ name', "Kette-ä"]) {
    for (const kind of ["transfer", "wrap"] as const) {
      it(`of a ${kind} on the chain ${chainName} is the SHA-256 of its parts as JSON`, () => {
        const amountAtomic = 2n ** 255n + 1n;
        const movement: Movement = { ...place, kind, asset: token, txHash, from, to, amountAtomic };
        const identity = transactionIdentity({
          chainName,
          walletId,
          direction: "out",
          movement,
          n: 12,
        });
        const amount = amountAtomic.toString();
        const parts = [kind, chainName, txHash, walletId, "out", token, from, to, amount, "12"];
        expect(identity).toBe(digestOf(parts));
      });
    }
  }

  it("of the chain's own coin has a name of its own", () => {
    const movement: Movement = {
      ...place,
      kind: "transfer",
      asset: "native",
      txHash,
      from,
      to,
      amountAtomic: 5n,
    };
    const of = { chainName: "ethereum", walletId, direction: "in", movement, n: 0 } as const;
    const parts = ["transfer", "ethereum", txHash, walletId, "in", "native", from, to, "5", "0"];
    expect(transactionIdentity(of)).toBe(digestOf(parts));
  });

  it("of a fee counts once for its payer", () => {
    const movement: Movement = {
      ...place,
      kind: "fee",
      asset: "native",
      txHash,
      from,
      to,
      amountAtomic: 5n,
    };
    const of = { chainName: "ethereum", walletId, direction: "out", movement, n: 0 } as const;
    expect(transactionIdentity(of)).toBe(digestOf(["fee", "ethereum", txHash, walletId]));
  });
});
