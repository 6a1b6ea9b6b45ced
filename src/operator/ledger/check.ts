import { z } from "zod";
import type { LedgerCheck, LedgerFinding, SealHead } from "../../domain/evidence/ledger-check.ts";
import { Fault } from "../../domain/fault.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { count } from "../../schema/answers.ts";
import { defineCommand } from "../define-command.ts";
import { defineReading } from "../define-verb.ts";
import type { LineFiles } from "../line-files.ts";
import { optional, text } from "../parameter.ts";
import { presentFinding, shownFinding } from "./finding.ts";
import { readHeads } from "./published-heads.ts";

type Ports = { ledger: { checkLedger: () => Promise<LedgerCheck> } };

type FilePorts = Ports & {
  ledger: { findLostHeads: (heads: readonly SealHead[]) => Promise<LedgerFinding[]> };
  lineFiles: Pick<LineFiles, "read">;
};

const checkHere = defineReading({
  noun: "ledger",
  http: {
    method: "GET",
    path: "/ledger/check",
    summary: "Check the ledger against itself",
    description:
      "Checks that all accounts add up to zero, and that balances and transactions agree with their entries. Checks that no entry was changed since it was sealed. It reads the whole ledger. `findings` is empty where all is well. Keep `heads` elsewhere: with them you can tell later that nothing before them was rewritten.",
    input: () => ({}),
  },
  cli: null,
  check: (input: object) => input,
  call: ({ ledger }: Ports) => ledger.checkLedger(),
  answer: z.object({
    entries: count,
    accounts: z.array(
      z.object({
        blockchain: z.string(),
        asset: z.string(),
        account: z.string(),
        amount: z.string(),
      }),
    ),
    heads: z.array(z.object({ blockchain: z.string(), number: count, hash: z.string() })),
    findings: z.array(shownFinding),
  }),
  present: ({ entries, accounts, heads, findings }) => ({
    entries: Number(entries),
    accounts: accounts.map(({ chainName, assetCode, assetDecimals, account, amountAtomic }) => ({
      blockchain: chainName,
      asset: assetCode,
      account,
      amount: toDecimal(amountAtomic, assetDecimals),
    })),
    heads: heads.map(({ chainName, number, hash }) => ({
      blockchain: chainName,
      number: Number(number),
      hash,
    })),
    findings: findings.map(presentFinding),
  }),
});

const checkAgainst = defineCommand({
  noun: "ledger",
  name: "check",
  help: "Check the ledger against itself: accounts add up to zero, and balances, transactions and notifications agree with their entries. No entry may have changed since it was sealed. Status 3 where something is wrong.",
  examples: ["ledger check", "ledger check --against /mnt/elsewhere/heads.jsonl --json"],
  takes: {
    against: optional("--against <file>", text, "the heads that attest --publish has published"),
  },
  async run(ports: FilePorts, { against }: { against: string | undefined }) {
    const heads = against === undefined ? [] : await readPublished(ports, against);
    const checked = await checkHere.perform(ports, {});
    const lost = await ports.ledger.findLostHeads(heads);
    return { ...checked, findings: [...checked.findings, ...lost.map(presentFinding)] };
  },
  hasFindings: ({ findings }) => findings.length > 0,
});

async function readPublished({ lineFiles }: FilePorts, path: string): Promise<SealHead[]> {
  const lines = await lineFiles.read(path);
  if (lines === null) throw new Fault("invalid_request", `There is no file ${path}.`);
  return readHeads(lines);
}

/**
 * Checks the ledger against itself: every sum, the accounts' total of zero, and the chain of seals.
 * On the command line it can also compare with published heads. Reads everything. Safe to repeat,
 * and while a daemon runs.
 * @throws Fault `invalid_request` for a file without heads
 */
export const ledgerCheck = { ...checkHere, cli: checkAgainst.cli };
