import { createEndpoint } from "../../../src/chain/endpoints/endpoint.ts";
import { createTransport } from "../../../src/chain/rpc/rpc-transport.ts";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { collectGarbage } from "../../process/collect-garbage.ts";
import type { TransferChain } from "./transfer-chain.ts";

/** Blocks at once: with more it is no faster. */
const atOnce = 32;

/**
 * The same blocks and receipts by the daemon's own client, and nothing done with them; in seconds.
 */
export async function download(chain: TransferChain): Promise<number> {
  const transport = createTransport(chain.url, 10_000, clock);
  const redact = (text: string) => text;
  const options = { name: "anvil", host: "anvil", transport, redact, isAlone: true };
  const endpoint = createEndpoint(options, clock);
  collectGarbage();
  const startedMs = performance.now();
  let next = chain.first;
  const work = async () => {
    while (next <= chain.last) {
      const params = [`0x${next.toString(16)}`, true];
      next += 1;
      const block = await endpoint.ask("block", { method: "eth_getBlockByNumber", params });
      const { hash } = block as { hash: string };
      await endpoint.ask("receipts", { method: "eth_getBlockReceipts", params: [hash] });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const seconds = (performance.now() - startedMs) / 1_000;
  transport.close();
  return seconds;
}
