import { createSigning } from "../../../src/app/environment/signing.ts";
import { createAdministration } from "../../../src/app/operator.ts";
import { lineFiles } from "../../../src/bin/cli/line-files.ts";
import { createPrinter } from "../../../src/bin/cli/print-page.ts";
import { unshown } from "../../../src/operator/statement/progress.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { keyringOf } from "../keyring.ts";
import type { Database } from "./database.ts";

/** Signs as the installation of this ledger. */
export const signingOf = (db: Database) =>
  createSigning({ db, config: { encryptionKeys: keyringOf(7) } });

/** The ports of verbs that make and give statements. `chromium` null: the machine has none. */
export function statementPorts(db: Database, chromium: string | null = null) {
  const by = { name: "tester", via: "cli", address: null } as const;
  return {
    ...createAdministration(db, by, null),
    ...signingOf(db),
    lineFiles,
    printer: createPrinter(chromium),
    clock: systemClock,
    showProgress: unshown,
  };
}
