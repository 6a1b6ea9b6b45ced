import { z } from "zod";
import { maxWalletsPerCall } from "../../domain/watch/wallet.ts";
import { blockField } from "../../schema/fields.ts";

const text = z.string("expected a text");

const wallet = z
  .strictObject({
    blockchain: text,
    address: text,
    purpose: text.default("deposit"),
    from_block: blockField.nullable().default(null),
    reference: text.nullable().default(null),
    label: text.nullable().default(null),
  })
  .meta({ id: "NewWallet" });

/** How the description of the API refers to it. */
const reference = { $ref: "#/components/schemas/NewWalletInput" };

/** A wallet to be added, in the words of the API; what may be left out is as above. */
export type WalletInput = z.input<typeof wallet>;

const many = z.strictObject({
  wallets: z
    .array(wallet, "expected a list")
    .min(1, "expected at least one")
    .max(maxWalletsPerCall, `expected at most ${maxWalletsPerCall}`),
});

type Addition = { wallets: WalletInput[]; isList: boolean };

/**
 * One wallet, or a list of them. Its `wallets` decides, so that what is refused is refused in the
 * form that was meant.
 */
export const walletBody = z
  .unknown()
  .transform(parseAddition)
  .meta({
    oneOf: [
      reference,
      {
        type: "object",
        properties: {
          wallets: { type: "array", items: reference, minItems: 1, maxItems: maxWalletsPerCall },
        },
        required: ["wallets"],
        additionalProperties: false,
      },
    ],
  });

function parseAddition(body: unknown, context: z.core.$RefinementCtx): Addition {
  const isList = typeof body === "object" && body !== null && "wallets" in body;
  const parsed = isList ? many.safeParse(body) : wallet.safeParse(body);
  if (parsed.success) {
    const wallets = "wallets" in parsed.data ? parsed.data.wallets : [parsed.data];
    return { wallets, isList };
  }
  for (const issue of parsed.error.issues) {
    const keys = issue.code === "unrecognized_keys" ? issue.keys : [];
    const refuse = (path: PropertyKey[], message: string) =>
      context.issues.push({ code: "custom", path, message, input: body });
    for (const key of keys) refuse([...issue.path, key], "unknown field");
    if (keys.length === 0) refuse(issue.path, issue.message);
  }
  return z.NEVER;
}
