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

// The words every local development chain funds its accounts from; they are public.
const MNEMONIC = "test test test test test test test test test test test junk";
// The last funded account does nothing else, so that the token is its first contract, at an address
// known before.
const DEPLOYER_INDEX = 9;

/** Those of this process: each takes a tenth of a second. */
const signers = new Map<number, HDAccount>();

function signerOf(index: number): HDAccount {
  const known = signers.get(index);
  if (known !== undefined) return known;
  // As BIP 39 makes a seed of words. viem's own takes 200 times as long.
  const seed = pbkdf2Sync(MNEMONIC, "mnemonic", 2_048, 64, "sha512");
  const signer = hdKeyToAccount(HDKey.fromMasterSeed(seed), { addressIndex: index });
  signers.set(index, signer);
  return signer;
}

/** The local chain's funded account of that index, 0 to 9. */
export function localAccount(index: number): Address {
  return signerOf(index).address;
}

/** Where the demo token is, or will be, on every local chain. */
export function demoTokenAddress(): Address {
  return getContractAddress({ from: localAccount(DEPLOYER_INDEX), nonce: 0n });
}

/**
 * Deploys the demo token, unless it is there already, and returns its address: always the same.
 * Resolves when it is mined. Safe to repeat. Fault `local_chain_failed` when something else took
 * that place.
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

/**
 * Sends native coins from a funded account of the local chain. Resolves with the hash when it is
 * mined.
 */
export async function sendNative(
  { rpcUrl }: OnChain,
  transfer: { fromIndex: number; to: Address; amountAtomic: bigint },
): Promise<Hash> {
  const account = signerOf(transfer.fromIndex);
  const { to, amountAtomic: value } = transfer;
  return mined(rpcUrl, (chain) => chain.sendTransaction({ account, to, value, chain: foundry }));
}

/** Mints demo tokens to anyone. Resolves with the hash when it is mined. */
export async function mintToken(
  { rpcUrl }: OnChain,
  transfer: { fromIndex: number; token: Address; to: Address; amountAtomic: bigint },
): Promise<Hash> {
  return callToken(rpcUrl, "mint", transfer);
}

/**
 * Sends demo tokens that the funded account of that index holds. Resolves with the hash when it is
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

// Compiled by scripts/compile-contracts.ts.
export function tokenArtifact(): { abi: Abi; bytecode: Hex } {
  const path = shippedFile("contracts/demo-token.artifact.json");
  return JSON.parse(readFileSync(path, "utf8")) as { abi: Abi; bytecode: Hex };
}
