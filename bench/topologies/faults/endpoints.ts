import { startRpcProxy } from "../../../test/support/chain/rpc-proxy.ts";
import type { Fault } from "../fault.ts";
import { usual } from "./usual.ts";

export const endpointFaults = {
  "rpc-down": endpoint("the only endpoint drops every connection", "drop", []),
  "rpc-hangs": endpoint(
    "the first of two endpoints answers nothing any more: its word is waited for",
    "hang",
    ["another"],
  ),
} satisfies Record<string, Fault>;

/**
 * The first endpoint misbehaves. Where there is another one, what both have to say is waited for.
 */
function endpoint(about: string, how: "drop" | "hang", others: readonly "another"[]): Fault {
  return {
    about,
    async open(world) {
      const { rpcUrl, ...ground } = await usual(world);
      const proxy = await world.open(startRpcProxy(rpcUrl), (one) => one.stop());
      return {
        ...ground,
        rpcUrl: proxy.url,
        otherRpcUrls: others.map(() => rpcUrl),
        holds: others.length > 0,
        begin: async () => proxy.misbehave(() => how),
        finish: async () => proxy.misbehave(null),
      };
    },
  };
}
