import { bloomOf } from "../../../../../src/chain/proof/hashing/logs-bloom.ts";
import {
  both,
  ether,
  type Frame,
  hex,
  nonsenseHash,
  ofBlock,
  ofFrames,
  ofHeader,
  ofReceipt,
  ofTransaction,
} from "../changing.ts";
import { type JsonObject, lie, type Scene } from "../lie.ts";

type Change = (transaction: JsonObject, scene: Scene) => JsonObject | JsonObject[];

const isOfSender = (one: JsonObject, scene: Scene) => one["from"] === scene.sender;
const isToWallet = (one: JsonObject, scene: Scene) => one["to"] === scene.wallet;
const isToStranger = (one: JsonObject, scene: Scene) => one["to"] === scene.stranger;
const ofSender = (change: Change) => lie(ofTransaction(isOfSender, change));
const ofDeposit = (change: Change) => lie(ofTransaction(isToWallet, change));
const ofStrangers = (change: Change) => lie(ofTransaction(isToStranger, change));

/**
 * A transaction together with its trace and its receipt, which name its sender and receiver too.
 */
function everywhere(
  isMeant: (one: JsonObject, scene: Scene) => boolean,
  change: (one: JsonObject, scene: Scene) => JsonObject,
) {
  const changeMeant = (one: JsonObject, scene: Scene) =>
    isMeant(one, scene) ? change(one, scene) : one;
  return lie(
    both(
      ofTransaction(isMeant, change),
      ofFrames((top, scene) => changeMeant(top, scene) as Frame),
      ofReceipt(changeMeant),
    ),
  );
}

const withdrawal = (address: string, gwei: bigint) => ({
  index: "0x99",
  validatorIndex: "0x7",
  address,
  amount: hex(gwei),
});

export const blockLies = {
  "sender changed": ofDeposit((one, { stranger }) => ({ ...one, from: stranger })),
  "sender changed to a watched wallet": ofStrangers((one, { sender }) => ({
    ...one,
    from: sender,
  })),
  "watched sender changed to a stranger": ofSender((one, { stranger }) => ({
    ...one,
    from: stranger,
  })),
  "sender changed everywhere": everywhere(isToWallet, (one, { stranger }) => ({
    ...one,
    from: stranger,
  })),
  "sender changed to a watched wallet everywhere": everywhere(isToStranger, (one, { sender }) => ({
    ...one,
    from: sender,
  })),
  "watched sender changed to a stranger everywhere": everywhere(
    isOfSender,
    (one, { stranger }) => ({
      ...one,
      from: stranger,
    }),
  ),
  "receiver changed to a wallet": ofStrangers((one, { wallet }) => ({ ...one, to: wallet })),
  "receiver changed to a stranger": ofDeposit((one, { stranger }) => ({ ...one, to: stranger })),
  "receiver of a call made none": ofDeposit((one) => ({ ...one, to: null })),
  "value times 1,000": ofDeposit((one) => ({
    ...one,
    value: hex(1_000n * BigInt(String(one["value"]))),
  })),
  "value zeroed": ofDeposit((one) => ({ ...one, value: "0x0" })),
  "transaction left out": ofDeposit(() => []),
  "transaction twice": ofDeposit((one) => [one, one]),
  "transaction invented": ofDeposit((one) => [one, { ...one, hash: nonsenseHash }]),
  "transactions all left out": lie(ofBlock((block) => ({ ...block, transactions: [] }))),
  "transaction's hash changed": ofDeposit((one) => ({ ...one, hash: nonsenseHash })),
  "transaction of an unknown type": ofDeposit((one) => ({ ...one, type: "0x64" })),
  "transaction made an L2 deposit": ofDeposit((one) => ({
    ...one,
    type: "0x7e",
    mint: hex(5n * ether),
    sourceHash: nonsenseHash,
  })),
  "coin minted beside an ordinary transaction": ofSender((one) => ({
    ...one,
    mint: hex(5n * ether),
  })),
  "fee said to be paid in a token": ofSender((one, { token }) => ({ ...one, feeCurrency: token })),
  "nonce changed": ofSender((one) => ({ ...one, nonce: "0x55" })),
  "calldata changed": ofSender((one) => ({ ...one, input: "0xdeadbeef" })),
  "signature zeroed": ofSender((one) => ({ ...one, r: "0x0", s: "0x0" })),
  "signature zeroed and sender changed": ofStrangers((one, { sender }) => ({
    ...one,

    r: "0x0",
    s: "0x0",
    from: sender,
  })),
  "chain id changed": ofSender((one) => ({ ...one, chainId: "0x1" })),
  "gas price of a transaction changed": ofSender((one) => ({ ...one, gasPrice: hex(10n ** 12n) })),
  "fee cap of a transaction changed": ofSender((one) => ({
    ...one,
    maxFeePerGas: hex(10n ** 13n),
  })),
  "fee recipient changed to a wallet": lie(
    ofHeader((block, { holder }) => ({ ...block, miner: holder })),
  ),
  "base fee left out": lie(
    ofHeader(({ baseFeePerGas: _, ...block }, { holder }) => ({ ...block, miner: holder })),
  ),
  "base fee changed": lie(ofHeader((block) => ({ ...block, baseFeePerGas: "0x1" }))),
  "withdrawal invented": lie(
    ofBlock((block, { holder }) => ({
      ...block,
      withdrawals: [withdrawal(holder, 32_000_000_000n)],
    })),
  ),
  "withdrawal invented without its root": lie(
    ofBlock(({ withdrawalsRoot: _, ...block }, { holder }) => ({
      ...block,
      withdrawals: [withdrawal(holder, 32_000_000_000n)],
    })),
  ),
  "withdrawals of many": lie(
    ofBlock((block, { holder, wallet, sender }) => ({
      ...block,
      withdrawals: [holder, wallet, sender].map((address, index) => ({
        ...withdrawal(address, 1_000_000_000n),
        index: hex(index),
      })),
    })),
  ),
  "time changed": lie(ofHeader((block) => ({ ...block, timestamp: "0x70000000" }))),
  "parent changed": lie(ofHeader((block) => ({ ...block, parentHash: nonsenseHash }))),
  "hash changed": lie(ofHeader((block) => ({ ...block, hash: nonsenseHash }))),
  "hash null": lie(ofHeader((block) => ({ ...block, hash: null }))),
  "state root changed": lie(ofHeader((block) => ({ ...block, stateRoot: nonsenseHash }))),
  "bloom emptied": lie(ofHeader((block) => ({ ...block, logsBloom: `0x${"0".repeat(512)}` }))),
  "bloom emptied where only it is asked for": lie(
    ofHeader((block) => ({ ...block, logsBloom: `0x${"0".repeat(512)}` })),
    { reading: { receipts: "bloom" } },
  ),
  "bloom widened where only it is asked for": lie(
    ofHeader((block, { keccak, token }) => ({
      ...block,
      logsBloom: `0x${Buffer.from(bloomOf(keccak, [{ address: token as `0x${string}`, topics: [] }])).toString("hex")}`,
    })),
    { reading: { receipts: "bloom" } },
  ),
  "height changed": lie(
    ofBlock((block) => ({ ...block, number: hex(BigInt(String(block["number"])) + 1n) })),
  ),
};
