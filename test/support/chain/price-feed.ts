import { encodeFunctionData, parseAbi } from "viem/utils";
import type { Address } from "../../../src/domain/chain/address.ts";
import { ANVIL_ACCOUNTS, type Anvil } from "./anvil.ts";
import { compileSolidity } from "./contracts.ts";

const source = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract TestFeed {
  uint8 public decimals;
  int256 answer;
  uint256 startedAt;
  uint256 updatedAt;
  uint80 round;
  function set(uint8 decimals_, int256 answer_, uint256 startedAt_, uint256 updatedAt_) external {
    (decimals, answer, startedAt, updatedAt) = (decimals_, answer_, startedAt_, updatedAt_);
    round += 1;
  }
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return (round, answer, startedAt, updatedAt, round);
  }
}`;

const abi = parseAbi(["function set(uint8, int256, uint256, uint256)"]);

/**
 * A contract that answers as a Chainlink aggregator does, with what the test says. Times in
 * seconds.
 */
export async function deployFeed(anvil: Anvil, decimals = 8) {
  const { TestFeed } = await compileSolidity(source, { evmVersion: "paris" });
  if (TestFeed === undefined) throw new Error("the feed was not compiled");
  const from = ANVIL_ACCOUNTS[8];
  const { contractAddress } = await anvil.receipt(
    await anvil.send({ from, data: TestFeed.bytecode }),
  );
  if (contractAddress === null) throw new Error("the feed was not deployed");
  const address = contractAddress.toLowerCase() as Address;
  return {
    address,
    async set(answer: bigint, updatedAtMs = Date.now(), startedAtMs = updatedAtMs): Promise<void> {
      const seconds = (ms: number) => BigInt(Math.floor(ms / 1_000));
      const args = [decimals, answer, seconds(startedAtMs), seconds(updatedAtMs)] as const;
      const data = encodeFunctionData({ abi, functionName: "set", args });
      await anvil.receipt(await anvil.send({ from, to: address, data }));
    },
  };
}
