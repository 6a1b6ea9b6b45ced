import { createConfig } from "ponder";
import { parseAbi } from "viem";

const chain = process.env["BENCH_CHAIN_URL"];
const announcing = process.env["BENCH_CHAIN_WS_URL"];
const last = process.env["BENCH_LAST"];
const address = process.env["BENCH_TOKEN"] as `0x${string}`;

// biome-ignore lint/style/noDefaultExport: this is where Ponder looks for its configuration.
export default createConfig({
  // Where nothing is announced it polls as often as it may: a second of a chain of twelve is less
  // than that here.
  chains: { anvil: { id: 31_337, rpc: chain, ws: announcing, pollingInterval: 100 } },
  contracts: {
    Token: {
      chain: "anvil",
      abi: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
      address,
      startBlock: Number(process.env["BENCH_FIRST"]),
      endBlock: last === undefined ? undefined : Number(last),
    },
  },
});
