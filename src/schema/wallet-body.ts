import { z } from "zod";
import { maxOwnWalletsPerCall, maxWalletsPerCall } from "../domain/watch/wallet.ts";
import { blockField } from "./fields.ts";

const text = z.string("expected a text");

const own = z
  .strictObject({
    blockchain: text,
    address: text,
    purpose: text.default("deposit"),
    reference: text.nullable().default(null),
    label: text.nullable().default(null),
  })
  .meta({ id: "OwnWallet" });

const wallet = z
  .strictObject({ ...own.shape, from_block: blockField.nullable().default(null) })
  .meta({ id: "NewWallet" });

/** A wallet to be added, in the words of the API; what may be left out is as above. */
export type WalletInput = z.input<typeof wallet>;

type Addition = { wallets: WalletInput[]; isList: boolean };

/** One wallet of an operator's, or a list of them. */
export const walletBody = bodyOf(wallet, "NewWalletInput", maxWalletsPerCall);

/** The same of a business's own: it does not ask for a history. */
export const ownWalletBody = bodyOf(own, "OwnWalletInput", maxOwnWalletsPerCall);

/**
 * One wallet, or a list of them. Its `wallets` decides, so that what is refused is refused in the
 * form that was meant. `name` is the schema's in the description of the API.
 */
function bodyOf(one: z.ZodType<WalletInput>, name: string, most: number) {
  const list = z.array(one, "expected a list").min(1, "expected at least one");
  const many = z.strictObject({ wallets: list.max(most, `expected at most ${most}`) });

  function parseAddition(body: unknown, context: z.core.$RefinementCtx): Addition {
    const isList = typeof body === "object" && body !== null && "wallets" in body;
    const parsed = isList ? many.safeParse(body) : one.safeParse(body);
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

  const reference = { $ref: `#/components/schemas/${name}` };
  return z
    .unknown()
    .transform(parseAddition)
    .meta({
      oneOf: [
        reference,
        {
          type: "object",
          properties: {
            wallets: { type: "array", items: reference, minItems: 1, maxItems: most },
          },
          required: ["wallets"],
          additionalProperties: false,
        },
      ],
    });
}
