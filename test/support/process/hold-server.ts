// A process that uses the data directory's server until it reads "close" on its standard input, or
// killed. Compiled into dist-tools, from where tests start it. Arguments: postgres or chain, the
// data directory.
import { createInterface } from "node:readline";
import { openLocalChain } from "../../../src/development/chain/local-chain.ts";
import { openEmbeddedPostgres } from "../../../src/development/postgres/embedded-postgres.ts";

const [, , kind, dataDir = ""] = process.argv;
const log = { info: () => undefined, warn: () => undefined };

async function open(): Promise<{ url: string; close: () => Promise<void> }> {
  if (kind === "chain") {
    const chain = await openLocalChain({ dataDir, stateful: true, settling: undefined, log });
    return { url: chain.rpcUrl, close: chain.close };
  }
  const postgres = await openEmbeddedPostgres({ dataDir, settings: { fsync: "off" }, log });
  return { url: postgres.databaseUrl, close: postgres.close };
}

const server = await open();
process.stdout.write(`${server.url}\n`);
createInterface(process.stdin).once("line", () => {
  void server.close().then(() => process.exit(0));
});
