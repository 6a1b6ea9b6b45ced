import { defineCommand } from "../define-command.ts";
import { argument, optional, publicKey, required, text } from "../parameter.ts";

type Verified = {
  entries: number;
  holdings: number;
  wrong: readonly string[];
  missing: readonly string[];
};

export type StatementVerifyPorts = {
  /**
   * Adds a statement up again, and compares it with its digest and the key.
   * @throws Fault `invalid_request` if a file cannot be read
   */
  verifyStatementFile: (asked: {
    file: string;
    /** The file of the signed JSON Lines to compare with. Null: none. */
    against: string | null;
    key: string;
  }) => Promise<Verified>;
};

type Input = { file: string; key: string; against: string | undefined };

/**
 * Verifies a statement in any of its forms, and names each thing that differs or is missing. Needs
 * no configuration, no database and no network.
 * @throws Fault `invalid_request` if a file cannot be read
 */
export const statementVerify = defineCommand({
  noun: "statement",
  name: "verify",
  alias: "verify-statement",
  help: "Verify a statement offline: it adds up, its digest is that of its lines, and the key has signed them. A page, a PDF and Parquet need the JSON Lines (--against); a table is then compared field by field. Status 3 where something is wrong or missing.",
  examples: [
    "statement verify october.jsonl --key $KEY",
    "statement verify october.csv --against october.jsonl --key $KEY",
    "statement verify october.pdf --against october.jsonl --key $KEY --json",
  ],
  takes: {
    file: argument("<file>", "the statement"),
    key: required("--key <key>", publicKey, "the installation's public key, from elsewhere"),
    against: optional("--against <file>", text, "the JSON Lines that were signed"),
  },
  async run({ verifyStatementFile }: StatementVerifyPorts, { file, key, against }: Input) {
    const { entries, holdings, wrong, missing } = await verifyStatementFile({
      file,
      against: against ?? null,
      key,
    });
    return {
      file,
      verdict: wrong.length > 0 ? "wrong" : missing.length > 0 ? "incomplete" : "right",
      entries,
      balances: holdings,
      findings: [
        ...wrong.map((what) => ({ finding: "wrong", what })),
        ...missing.map((what) => ({ finding: "missing", what })),
      ],
    };
  },
  hasFindings: ({ findings }) => findings.length > 0,
});
