// The daemon's own catch-up, as its command line runs it: from an empty ledger to the last
// confirmed block. One process for all runs, as a daemon is one: its code is compiled by then.
import { createCatchUpNow } from "../../src/app/catch-up-now.ts";
import { openLedger } from "../../src/app/environment/open-ledger.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { quiet } from "../../test/support/quiet.ts";
import { collectGarbage } from "../process/collect-garbage.ts";
import { serveParent } from "../process/serve-parent.ts";

serveParent<"catch-up">(null, async ({ chainName, environment, folder }) => {
  const config = await loadConfig(environment, folder);
  const ledger = await openLedger(config, quiet, { opener: "daemon", patience: null });
  try {
    collectGarbage();
    const startedMs = performance.now();
    await createCatchUpNow(ledger, quiet)(chainName, () => {});
    return { seconds: (performance.now() - startedMs) / 1_000 };
  } finally {
    await ledger.close();
  }
});
