import { z } from "zod";
import { fieldProblems } from "../domain/field-problem.ts";
import { type Sliced, sliceItems } from "../domain/in-slices.ts";
import { unknownField } from "../domain/text.ts";
import { maxOwnWalletsPerCall, maxWalletsPerCall } from "../domain/watch/wallet.ts";
import { blockField } from "./fields.ts";
import { type Issue, namedIssues, type ReadBody, slicedBody } from "./sliced-body.ts";

const text = z.string(fieldProblems.text.rule);

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

/** A wallet to add, in the words of the API. The fields optional there are optional here too. */
export type WalletInput = z.input<typeof wallet>;

type Addition = { wallets: WalletInput[]; isList: boolean };

/** One wallet in an operator's request, or a list of them. */
export const walletBody = bodyOf(wallet, "NewWalletInput", maxWalletsPerCall);

/** The same in a business's request, which cannot ask for a history. */
export const ownWalletBody = bodyOf(own, "OwnWalletInput", maxOwnWalletsPerCall);

/**
 * One wallet, or a list of them. If the body has `wallets`, it is validated as a list, so that
 * refusals fit what was meant.
 * @param name the name of the schema in the OpenAPI document
 */
function bodyOf(one: z.ZodType<WalletInput>, name: string, most: number) {
  const list = z.array(z.unknown(), "expected a list").min(1, "must have at least one entry");
  const many = z.strictObject({ wallets: list.max(most, `must have at most ${most} entries`) });

  /** Reads no wallet of a list that is too long. */
  function* read(body: unknown): Sliced<ReadBody<Addition>> {
    if (typeof body !== "object" || body === null || !("wallets" in body)) {
      const parsed = one.safeParse(body);
      if (!parsed.success) return refused(parsed.error.issues, []);
      return { kind: "read", value: { wallets: [parsed.data], isList: false } };
    }
    const parsed = many.safeParse(body);
    if (!parsed.success) return refused(parsed.error.issues, []);
    const wallets: WalletInput[] = [];
    const issues: Issue[] = [];
    for (const [index, wallet] of parsed.data.wallets.entries()) {
      if (index > 0 && index % sliceItems === 0) yield;
      const { success, data, error } = one.safeParse(wallet);
      if (success) wallets.push(data);
      else issues.push(...refused(error.issues, ["wallets", index]).issues);
      if (issues.length >= namedIssues) break;
    }
    if (issues.length > 0) return { kind: "refused", issues };
    return { kind: "read", value: { wallets, isList: true } };
  }

  const reference = { $ref: `#/components/schemas/${name}` };
  return slicedBody(read).meta({
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

function refused(issues: readonly z.core.$ZodIssue[], at: PropertyKey[]) {
  const named = issues.flatMap((issue): Issue[] => {
    const keys = issue.code === "unrecognized_keys" ? issue.keys : [];
    const path = [...at, ...issue.path];
    if (keys.length === 0) return [{ path, message: issue.message }];
    return keys.map((key) => ({ path: [...path, key], message: unknownField }));
  });
  return { kind: "refused" as const, issues: named };
}
