import { createConfig } from "ponder";
import { parseAbi } from "viem";

const chain = process.env["BENCH_CHAIN_URL"];
const address = process.env["BENCH_TOKEN"] as `0x${string}`;

// biome-ignore lint/style/noDefaultExport: this is where Ponder looks for its configuration.
export default createConfig({
  chains: { anvil: { id: 31_337, rpc: chain } },
  contracts: {
    Token: {
      chain: "anvil",
      abi: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
      address,
      startBlock: Number(process.env["BENCH_FIRST"]),
      endBlock: Number(process.env["BENCH_LAST"]),
    },
  },
});
