import type { ChainReading } from "../../../src/domain/chain/chain-status.ts";
import { recorded } from "../../../src/domain/chain/profile.ts";

/** How a chain is read of which nothing in particular is said. */
export const plainReading: ChainReading = {
  tracing: "debug",
  reading: "full",
  givenUp: [],
  verification: { header: true, transactions: true, receipts: "root" },
  evidence: recorded("some blocks"),
  upgrade: null,
  head: null,
  balances: "state",
  agreed: null,
  discovered: null,
  endpoints: [],
};
