import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi } from "viem/utils";
import { ANVIL_ACCOUNTS, type Anvil } from "./anvil.ts";
import { compileSolidity } from "./contracts.ts";

const source = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
contract TestToken is ERC20 {
  constructor() ERC20("Test", "TST") {}
  function decimals() public pure override returns (uint8) { return 6; }
  function mint(address to, uint256 amount) external { _mint(to, amount); }
}`;

const abi = parseAbi([
  "function mint(address to, uint256 amount)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function balanceOf(address owner) view returns (uint256)",
]);

export type TestToken = Awaited<ReturnType<typeof deployToken>>;

/** An OpenZeppelin ERC-20 with 6 decimals that anyone may mint. */
export async function deployToken(anvil: Anvil) {
  const { TestToken } = await compileSolidity(source, { evmVersion: "paris" });
  if (TestToken === undefined) throw new Error("the token was not compiled");
  const deployer = ANVIL_ACCOUNTS[9];
  const hash = await anvil.send({ from: deployer, data: TestToken.bytecode });
  const { contractAddress: address } = await anvil.receipt(hash);
  if (address === null) throw new Error("the token was not deployed");
  const send = (from: string, data: string) => anvil.send({ from, to: address, data });
  const mined = async (hash: Promise<string>) => {
    await anvil.receipt(await hash);
    return hash;
  };
  const transferData = (to: string, amountAtomic: bigint) =>
    encodeFunctionData({
      abi,
      functionName: "transfer",
      args: [to as `0x${string}`, amountAtomic],
    });
  const mintData = (to: string, amountAtomic: bigint) =>
    encodeFunctionData({ abi, functionName: "mint", args: [to as `0x${string}`, amountAtomic] });
  return {
    address,
    /** The account from which `mint` sends. Anyone may. */
    minter: deployer,
    mintData,
    asset: { code: "TST", address, decimals: 6 },
    mint: (to: string, amountAtomic: bigint) => mined(send(deployer, mintData(to, amountAtomic))),
    /** Resolves with the hash when it is mined. */
    transfer: (from: string, to: string, amountAtomic: bigint) =>
      mined(send(from, transferData(to, amountAtomic))),
    /** Resolves with the hash when it is sent. */
    send: (from: string, to: string, amountAtomic: bigint) =>
      send(from, transferData(to, amountAtomic)),
    async balanceOf(owner: string, at: number | "latest" = "latest"): Promise<bigint> {
      const data = encodeFunctionData({
        abi,
        functionName: "balanceOf",
        args: [owner as `0x${string}`],
      });
      const tag = at === "latest" ? at : `0x${at.toString(16)}`;
      return BigInt(await anvil.rpc<string>("eth_call", { to: address, data }, tag));
    },
    /** Changes what the owner holds without a word: no Transfer event, no transaction. */
    async setBalance(owner: string, amountAtomic: bigint): Promise<void> {
      const slotOf = [{ type: "address" }, { type: "uint256" }] as const;
      const slot = keccak256(encodeAbiParameters(slotOf, [owner as `0x${string}`, 0n]));
      const value = `0x${amountAtomic.toString(16).padStart(64, "0")}`;
      await anvil.rpc("anvil_setStorageAt", address, slot, value);
    },
  };
}
