import type { TracingHosts } from "../../../src/domain/watch/chain-source.ts";

/** For sources that are asked once: nothing is kept of which hosts trace. */
export const keepsNothing: TracingHosts = { read: async () => [], add: async () => {} };
