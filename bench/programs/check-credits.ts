// Compares a file of credits with what a business has received, as `credit check` does.
import { createReadStream } from "node:fs";
import { receiveCredits } from "../../src/ledger/credits/receive-credits.ts";
import { settleCredits } from "../../src/ledger/credits/settle-credits.ts";
import { openDatabase } from "../../src/ledger/postgres/database.ts";
import { givenTo, serveParent } from "../process/serve-parent.ts";

const { databaseUrl, businessId } = givenTo<"check-credits">();
const db = openDatabase({ databaseUrl, poolSize: 2, kind: "request" });

serveParent<"check-credits">(null, async ({ file }) => {
  const [startedMs, startedCpu] = [performance.now(), process.cpuUsage()];
  const bytes = createReadStream(file);
  const received = await receiveCredits(db, { businessId, format: "csv", bytes });
  const { counts } = await settleCredits(db, received, { from: null, to: null });
  const { user, system } = process.cpuUsage(startedCpu);
  return {
    seconds: (performance.now() - startedMs) / 1_000,
    cpuS: (user + system) / 1_000_000,
    peakMib: process.resourceUsage().maxRSS / 1024,
    counts,
  };
});
