import { ANVIL_ACCOUNTS, type Anvil } from "./anvil.ts";
import { compileSolidity } from "./contracts.ts";

const multicall3 = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** What is used of Multicall3, with its interface. */
const multicallSource = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Multicall {
  struct Call3 { address target; bool allowFailure; bytes callData; }
  struct Result { bool success; bytes returnData; }
  function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
    results = new Result[](calls.length);
    for (uint256 i = 0; i < calls.length; i++)
      (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
  }
  function getEthBalance(address owner) external view returns (uint256) { return owner.balance; }
}`;

/** Puts it where it is on nearly every chain. */
export async function installMulticall(anvil: Anvil): Promise<void> {
  const { Multicall } = await compileSolidity(multicallSource, { evmVersion: "paris" });
  const hash = await anvil.send({ from: ANVIL_ACCOUNTS[0], data: Multicall?.bytecode });
  const { contractAddress } = await anvil.receipt(hash);
  const code = await anvil.rpc("eth_getCode", contractAddress, "latest");
  await anvil.rpc("anvil_setCode", multicall3, code);
}
