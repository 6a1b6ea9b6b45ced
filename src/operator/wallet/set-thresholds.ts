import { z } from "zod";
import type { NewThreshold, Threshold } from "../../domain/money/threshold.ts";
import { requireId } from "../../domain/not-found.ts";
import {
  auditOfThresholds,
  newThresholdOf,
  presentThreshold,
  shownThreshold,
  type ThresholdInput,
  thresholdsBody,
} from "../../schema/threshold.ts";
import { defineChange } from "../define-verb.ts";
import { argument, type Reader, required } from "../parameter.ts";

type Ledger = {
  setThresholds: (setting: {
    businessId: null;
    walletId: string;
    thresholds: readonly NewThreshold[];
  }) => Promise<{ businessId: string; thresholds: Threshold[] }>;
};

type Input = { id: string; thresholds: readonly ThresholdInput[] };

/** Reads ASSET:BELOW or ASSET:BELOW:RESTORED_FROM, separated by commas; or `none`. */
const limits: Reader<readonly ThresholdInput[]> = {
  expected: "Expected thresholds such as USDC:100:150,ETH:0.5, or none.",
  read: (given) => {
    if (given === "none") return [];
    const read = given.split(",").map((one) => {
      const [asset = "", below = "", restoredFrom, ...more] = one.trim().split(":");
      const isWhole = asset !== "" && below !== "" && restoredFrom !== "" && more.length === 0;
      return isWhole ? { asset, below, restored_from: restoredFrom } : undefined;
    });
    const whole = read.filter((one) => one !== undefined);
    return whole.length === read.length ? whole : undefined;
  },
};

/**
 * Replaces the thresholds of a watched wallet, and compares its balances with them at once. Safe to
 * repeat.
 * @throws Fault `wallet_not_found`, `invalid_request`
 */
export const walletSetThresholds = defineChange({
  noun: "wallet",
  http: {
    method: "PUT",
    path: "/wallets/:id/thresholds",
    summary: "Replace the thresholds of a wallet, of which its business is notified",
    description: "The same list again changes nothing; an empty one ends them.",
    body: thresholdsBody,
    input: ({ params, body }) => ({ id: params.id, thresholds: body.thresholds }),
  },
  cli: {
    name: "set-thresholds",
    help: "Replace the thresholds of a wallet. Its business is notified when a confirmed balance falls below a threshold, and when it is restored.",
    examples: [
      "wallet set-thresholds 018f… --thresholds USDC:100:150,ETH:0.5",
      "wallet set-thresholds 018f… --thresholds none",
    ],
    takes: {
      id: argument("<id>", "the id of the wallet"),
      thresholds: required(
        "--thresholds <list>",
        limits,
        "ASSET:BELOW or ASSET:BELOW:RESTORED_FROM of each, separated by commas, or `none`",
      ),
    },
  },
  check: ({ id, thresholds }: Input) => ({
    walletId: requireId(id, "wallet_not_found").toLowerCase(),
    thresholds: thresholds.map(newThresholdOf),
  }),
  call: (ledger: Ledger, asked) => ledger.setThresholds({ businessId: null, ...asked }),
  audit: {
    action: "wallet.set_thresholds",
    describe: ({ businessId }, { walletId, thresholds }) => ({
      subject: walletId,
      details: { businessId, thresholds: auditOfThresholds(thresholds) },
    }),
  },
  answer: z.array(shownThreshold),
  present: ({ thresholds }) => thresholds.map(presentThreshold),
});
