import { pbkdf2Sync } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  type Abi,
  type Address,
  createTestClient,
  getContractAddress,
  type Hash,
  type Hex,
  http,
  publicActions,
  walletActions,
} from "viem";
import { type HDAccount, HDKey, hdKeyToAccount } from "viem/accounts";
import { foundry } from "viem/chains";
import { Fault } from "../../domain/fault.ts";
import { shippedFile } from "../../runtime/shipped-file.ts";

/** The name, the symbol and the number of decimals of the local chain's demo token. */
export const DEMO_TOKEN = { name: "Demo Dollar", symbol: "DUSD", decimals: 6 } as const;

type OnChain = { rpcUrl: string };

// The public words from which every local development chain makes its funded accounts.
const MNEMONIC = "test test test test test test test test test test test junk";
// The last funded account makes only this token. So the token is its first contract, at a known
// address.
const DEPLOYER_INDEX = 9;

/** Signers that this process has made: each takes a tenth of a second. */
const signers = new Map<number, HDAccount>();

function signerOf(index: number): HDAccount {
  const known = signers.get(index);
  if (known !== undefined) return known;
  // Makes the seed as BIP 39 does. viem's own function takes 200 times as long.
  const seed = pbkdf2Sync(MNEMONIC, "mnemonic", 2_048, 64, "sha512");
  const signer = hdKeyToAccount(HDKey.fromMasterSeed(seed), { addressIndex: index });
  signers.set(index, signer);
  return signer;
}

/** The address of a funded account of the local chain, by its index from 0 to 9. */
export function localAccount(index: number): Address {
  return signerOf(index).address;
}

/** The address of the demo token on every local chain, deployed or not. */
export function demoTokenAddress(): Address {
  return getContractAddress({ from: localAccount(DEPLOYER_INDEX), nonce: 0n });
}

/**
 * Deploys the demo token if it is missing, and returns its address, which is always the same.
 * Resolves when it is mined. Safe to repeat.
 * @throws Fault `local_chain_failed` if another contract has that address
 */
export async function deployDemoToken({ rpcUrl }: OnChain): Promise<Address> {
  const deployer = localAccount(DEPLOYER_INDEX);
  const address = demoTokenAddress();
  const chain = connect(rpcUrl);
  if ((await chain.getCode({ address })) !== undefined) return address;
  const { abi, bytecode } = tokenArtifact();
  const account = signerOf(DEPLOYER_INDEX);
  const hash = await chain.deployContract({ account, abi, bytecode, chain: foundry });
  const receipt = await chain.waitForTransactionReceipt({ hash, pollingInterval: pollMs });
  if (receipt.contractAddress?.toLowerCase() === address.toLowerCase()) return address;
  throw new Fault(
    "local_chain_failed",
    `The demo token could not be put at ${address}: account ${deployer} of the local chain was used for something else. Remove the chain's state to begin anew.`,
    { facts: { address, deployer, contractAddress: receipt.contractAddress } },
  );
}

/** Sends coin from a funded account of the local chain. Resolves with the hash when it is mined. */
export async function sendNative(
  { rpcUrl }: OnChain,
  transfer: { fromIndex: number; to: Address; amountAtomic: bigint },
): Promise<Hash> {
  const account = signerOf(transfer.fromIndex);
  const { to, amountAtomic: value } = transfer;
  return mined(rpcUrl, (chain) => chain.sendTransaction({ account, to, value, chain: foundry }));
}

/** Mints demo tokens for any address. Resolves with the hash when it is mined. */
export async function mintToken(
  { rpcUrl }: OnChain,
  transfer: { fromIndex: number; token: Address; to: Address; amountAtomic: bigint },
): Promise<Hash> {
  return callToken(rpcUrl, "mint", transfer);
}

/**
 * Sends demo tokens from the funded account with this index. Resolves with the hash when it is
 * mined.
 */
export async function transferToken(
  { rpcUrl }: OnChain,
  transfer: { fromIndex: number; token: Address; to: Address; amountAtomic: bigint },
): Promise<Hash> {
  return callToken(rpcUrl, "transfer", transfer);
}

export const pollMs = 50;

function callToken(
  rpcUrl: string,
  functionName: "mint" | "transfer",
  transfer: { fromIndex: number; token: Address; to: Address; amountAtomic: bigint },
): Promise<Hash> {
  const account = signerOf(transfer.fromIndex);
  const { abi } = tokenArtifact();
  return mined(rpcUrl, (chain) =>
    chain.writeContract({
      account,
      abi,
      address: transfer.token,
      functionName,
      args: [transfer.to, transfer.amountAtomic],
      chain: foundry,
    }),
  );
}

async function mined(
  rpcUrl: string,
  send: (chain: ReturnType<typeof connect>) => Promise<Hash>,
): Promise<Hash> {
  const chain = connect(rpcUrl);
  const hash = await send(chain);
  const receipt = await chain.waitForTransactionReceipt({ hash, pollingInterval: pollMs });
  if (receipt.status === "success") return hash;
  throw new Fault("local_chain_failed", `The transaction ${hash} failed on the local chain.`, {
    facts: { hash },
  });
}

export function connect(rpcUrl: string) {
  return createTestClient({ mode: "anvil", chain: foundry, transport: http(rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
}

// scripts/compile-contracts.ts makes this file.
export function tokenArtifact(): { abi: Abi; bytecode: Hex } {
  const path = shippedFile("contracts/demo-token.artifact.json");
  return JSON.parse(readFileSync(path, "utf8")) as { abi: Abi; bytecode: Hex };
}
