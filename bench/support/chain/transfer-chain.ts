import { createHash } from "node:crypto";
import { encodeDeployData, encodeFunctionData, parseAbi } from "viem/utils";
import { type Anvil, startAnvil } from "../../../test/support/chain/anvil.ts";
import { compileSolidity } from "../../../test/support/chain/contracts.ts";

const source = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
/// A token that can be sent to many in one transaction.
contract BenchToken is ERC20 {
  constructor(address[] memory holders) ERC20("Bench", "BEN") {
    for (uint256 i = 0; i < holders.length; i++) _mint(holders[i], 1e30);
  }
  function transferMany(address[] calldata to, uint256 amount) external {
    for (uint256 i = 0; i < to.length; i++) _transfer(msg.sender, to[i], amount);
  }
  function transferEach(address[] calldata to, uint256[] calldata amounts) external {
    for (uint256 i = 0; i < to.length; i++) _transfer(msg.sender, to[i], amounts[i]);
  }
}`;

const abi = parseAbi([
  "constructor(address[] holders)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function transferMany(address[] to, uint256 amount)",
  "function transferEach(address[] to, uint256[] amounts)",
]);

const transfersPerBlock = 100;

/** To whom half of the transfers go, in turn; and the other half. */
export const watchedAddresses = addressesOf("watched");
const otherAddresses = addressesOf("other");

/**
 * Blocks `first` to `last` hold the transfers; as many empty ones follow as it takes to confirm the
 * last.
 */
export type TransferChain = {
  url: string;
  token: string;
  first: number;
  last: number;
  transfers: number;
  /** Of these, to watched addresses. */
  watched: number;
  end: () => Promise<void>;
};

type Shape = { blocks: number; transactionsPerBlock: 1 | 100 };

/**
 * A chain of blocks with 100 transfers of a token each, half of them to 1,000 addresses that are to
 * be watched: each in a transaction of its own, or all in one. Whoever starts it ends it.
 */
export async function startTransferChain({ blocks, transactionsPerBlock }: Shape) {
  // Without old states and with its order of arrival it mines as fast as it can; nobody asks for
  // balances.
  const anvil = await startAnvil({ args: ["--prune-history", "--order", "fifo"] });
  try {
    const token = await deployToken(anvil);
    await anvil.setAutomine(false);
    const first = (await anvil.blockNumber()) + 1;
    await fill(anvil, token, { blocks, transactionsPerBlock });
    const last = await anvil.blockNumber();
    await anvil.mine(8);
    const transfers = blocks * transfersPerBlock;
    const counts = { transfers, watched: transfers / 2 };
    const chain: TransferChain = {
      url: anvil.rpcUrl,
      token: token.address,
      first,
      last,
      ...counts,
      end: anvil.stop,
    };
    return chain;
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

function addressesOf(name: string): `0x${string}`[] {
  return Array.from({ length: 1_000 }, (_, index): `0x${string}` => {
    const digest = createHash("sha256").update(`${name}${index}`).digest("hex");
    return `0x${digest.slice(0, 40)}`;
  });
}

type Token = { address: string; holders: `0x${string}`[] };

/** The token, with the chain's accounts as holders. */
export async function deployToken(anvil: Anvil): Promise<Token> {
  const { BenchToken } = await compileSolidity(source);
  if (BenchToken === undefined) throw new Error("The token was not compiled.");
  const holders = await anvil.rpc<`0x${string}`[]>("eth_accounts");
  const data = encodeDeployData({ abi, bytecode: BenchToken.bytecode, args: [holders] });
  const hash = await anvil.send({ from: holders[0], data, gas: hex(5_000_000) });
  const { contractAddress: address } = await anvil.receipt(hash);
  if (address === null) throw new Error("The token was not deployed.");
  return { address, holders };
}

/** A call of a holder's that sends the token to several, to each another amount. */
export function transfersInOne(
  { address: to }: Token,
  transfers: readonly { to: string; amountAtomic: bigint }[],
) {
  const receivers = transfers.map((one) => one.to as `0x${string}`);
  const amounts = transfers.map(({ amountAtomic }) => amountAtomic);
  const data = encodeFunctionData({
    abi,
    functionName: "transferEach",
    args: [receivers, amounts],
  });
  return { to, data, gas: hex(100_000 * transfers.length), gasPrice: hex(10_000_000_000) };
}

const hex = (value: number) => `0x${value.toString(16)}`;

/** Mines the blocks. The chain must not mine by itself. */
export async function fill(anvil: Anvil, token: Token, { blocks, transactionsPerBlock }: Shape) {
  const { address: to, holders } = token;
  const count = (holder: string) =>
    anvil.rpc<string>("eth_getTransactionCount", holder, "latest").then(Number);
  const nonces = new Map<string, number>();
  for (const holder of holders) nonces.set(holder, await count(holder));
  const gasPrice = hex(10_000_000_000);
  const call = (from: string, data: string, gas: number) => {
    const nonce = nonces.get(from) ?? 0;
    nonces.set(from, nonce + 1);
    const params = [{ from, to, data, gas: hex(gas), gasPrice, nonce: hex(nonce) }];
    return { method: "eth_sendTransaction", params };
  };
  const holder = (index: number) => holders[index % holders.length] ?? "";
  for (let block = 0; block < blocks; block += 1) {
    const receivers = receiversIn(block);
    const amount = BigInt(block + 1);
    const calls =
      transactionsPerBlock === 1
        ? [call(holder(0), encode(receivers, amount), 10_000_000)]
        : receivers.map((one, at) => call(holder(at), encode(one, amount), 100_000));
    await anvil.batch(calls);
    await anvil.rpc("evm_mine");
  }
}

/** A transfer to one, or to many in one transaction. */
function encode(to: `0x${string}` | `0x${string}`[], amount: bigint): string {
  return typeof to === "string"
    ? encodeFunctionData({ abi, functionName: "transfer", args: [to, amount] })
    : encodeFunctionData({ abi, functionName: "transferMany", args: [to, amount] });
}

function receiversIn(block: number): `0x${string}`[] {
  const half = transfersPerBlock / 2;
  return Array.from({ length: half }, (_, index) => {
    const at = (block * half + index) % watchedAddresses.length;
    return [watchedAddresses[at], otherAddresses[at]];
  })
    .flat()
    .filter((one) => one !== undefined);
}
