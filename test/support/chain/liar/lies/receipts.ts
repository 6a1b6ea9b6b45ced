import type { ReceiptsProof } from "../../../../../src/domain/chain/block-proof.ts";
import {
  ether,
  hex,
  type Log,
  nonsenseHash,
  ofLogs,
  ofReceipt,
  ofReceipts,
  transferTopic,
  word,
} from "../changing.ts";
import { type JsonObject, lie, type Scene } from "../lie.ts";

const isTransferTo = (log: Log, whom: string) =>
  log.topics[0] === transferTopic && log.topics[2] === word(whom);

/** Each Transfer log of the token to the wallet, and none of another. */
const ofDeposits = (change: (log: Log, scene: Scene) => Log[]) =>
  ofLogs((logs, _, scene) =>
    logs.flatMap((log) =>
      log.address === scene.token && isTransferTo(log, scene.wallet) ? change(log, scene) : [log],
    ),
  );

const invented = (like: Log, { token, payer, holder }: Scene): Log => ({
  ...like,
  address: token,
  topics: [transferTopic, word(payer), word(holder)],
  data: word(9_000_000n),
});

const logLies = {
  amount: ofDeposits((log) => [{ ...log, data: word(1_000n * BigInt(log.data)) }]),
  duplicated: ofDeposits((log) => [log, log]),
  /** One of the logs that are the same but for their place. */
  oneHidden: ofLogs((logs) => logs.filter((log, at) => !isSame(log, logs[at + 1]))),
  invented: ofLogs((logs, _, scene) =>
    logs.flatMap((log) => (log.address === scene.token ? [log, invented(log, scene)] : [log])),
  ),
  hidden: ofDeposits(() => []),
  redirected: ofLogs((logs, _, scene) =>
    logs.map((log) =>
      isTransferTo(log, scene.stranger)
        ? { ...log, topics: [...log.topics.slice(0, 2), word(scene.holder)] }
        : log,
    ),
  ),
  sender: ofDeposits((log, { stranger }) => [
    { ...log, topics: [transferTopic, word(stranger), log.topics[2] ?? ""] },
  ]),
  token: ofLogs((logs, _, scene) =>
    logs.map((log) => (log.address === scene.taxed ? { ...log, address: scene.token } : log)),
  ),
  /** The other way round: what moved of one token is said of another. */
  swapped: ofLogs((logs) => [...logs].reverse()),
};

function isSame(log: Log, next: Log | undefined): boolean {
  return next !== undefined && log.data === next.data && `${log.topics}` === `${next.topics}`;
}

const read = (receipts: ReceiptsProof) => ({ reading: { receipts } });

const isOfSender = (receipt: JsonObject, { sender }: Scene) => receipt["from"] === sender;
const ofSender = (change: (receipt: JsonObject, scene: Scene) => JsonObject) =>
  ofReceipt((one, scene) => (isOfSender(one, scene) ? change(one, scene) : one));

const times = (count: bigint, value: unknown) => hex(count * BigInt(String(value)));

const moreGas = ofSender((one) => ({ ...one, gasUsed: times(10n, one["gasUsed"]) }));
const higherPrice = ofSender((one) => ({
  ...one,
  effectiveGasPrice: times(10n, one["effectiveGasPrice"]),
}));
const revived = ofReceipt((one) => ({ ...one, status: "0x1" }));

export const receiptLies = {
  "log's amount times 1,000": lie(logLies.amount),
  "log twice": lie(logLies.duplicated),
  "log left out": lie(logLies.hidden),
  "log invented": lie(logLies.invented),
  "log's receiver changed": lie(logLies.redirected),
  "log's sender changed": lie(logLies.sender),
  "log's token changed": lie(logLies.token),
  "one of two equal logs left out": lie(logLies.oneHidden),
  "logs in another order": lie(logLies.swapped),
  "bloom: log's amount times 1,000": lie(logLies.amount, read("bloom")),
  "bloom: log twice": lie(logLies.duplicated, read("bloom")),
  "bloom: log left out": lie(logLies.hidden, read("bloom")),
  "bloom: log invented": lie(logLies.invented, read("bloom")),
  "bloom: log's receiver changed": lie(logLies.redirected, read("bloom")),
  "bloom: log's sender changed": lie(logLies.sender, read("bloom")),
  "bloom: log's token changed": lie(logLies.token, read("bloom")),
  "bloom: one of two equal logs left out": lie(logLies.oneHidden, read("bloom")),
  "bloom: gas used times 10": lie(moreGas, read("bloom")),
  "bloom: gas price times 10": lie(higherPrice, read("bloom")),
  "bloom: a failed send said to have succeeded": lie(revived, read("bloom")),
  "no proof: log's amount times 1,000": lie(logLies.amount, read("none")),
  "no proof: log twice": lie(logLies.duplicated, read("none")),
  "no proof: log left out": lie(logLies.hidden, read("none")),
  "no proof: log invented": lie(logLies.invented, read("none")),
  "no proof: log's receiver changed": lie(logLies.redirected, read("none")),
  "a failed send said to have succeeded": lie(revived),
  "a send said to have failed": lie(ofSender((one) => ({ ...one, status: "0x0" }))),
  "created address changed to a wallet": lie(
    ofReceipt((one, { holder }) =>
      one["contractAddress"] === null ? one : { ...one, contractAddress: holder },
    ),
  ),
  "created address left out": lie(ofReceipt((one) => ({ ...one, contractAddress: null }))),
  "created address of a call": lie(
    ofReceipt((one, { holder }) => ({ ...one, contractAddress: one["contractAddress"] ?? holder })),
  ),
  "gas used times 10": lie(moreGas),
  "gas used left at one": lie(ofSender((one) => ({ ...one, gasUsed: "0x1" }))),
  "gas price times 10": lie(higherPrice),
  "gas price left out": lie(ofSender(({ effectiveGasPrice: _, ...one }) => one)),
  "data fee of an L2 added": lie(ofSender((one) => ({ ...one, l1Fee: hex(ether) }))),
  "operator fee of an L2 added": lie(
    ofSender((one) => ({ ...one, operatorFeeConstant: hex(ether), operatorFeeScalar: "0x0" })),
  ),
  "blob fee added": lie(
    ofSender((one) => ({ ...one, blobGasUsed: "0x20000", blobGasPrice: hex(10n ** 12n) })),
  ),
  "cumulative gas changed": lie(
    ofReceipt((one) => ({ ...one, cumulativeGasUsed: times(2n, one["cumulativeGasUsed"]) })),
  ),
  "receipt's type changed": lie(ofReceipt((one) => ({ ...one, type: "0x0" }))),
  "receipt said to be of before Byzantium": lie(
    ofReceipt(({ status: _, ...one }) => ({ ...one, root: nonsenseHash })),
  ),
  "receipts in another order": lie(ofReceipts((receipts) => [...receipts].reverse())),
  "receipt left out": lie(ofReceipts((receipts) => receipts.slice(1))),
  "receipts empty": lie(ofReceipts(() => [])),
  "receipts of the block before": lie(() => async (call, ask) => {
    if (call.method !== "eth_getBlockReceipts") return ask();
    const params = [call.params[0], false];
    const block = (await ask({ method: "eth_getBlockByHash", params })) as JsonObject | null;
    return ask({ ...call, params: [block?.["parentHash"]] });
  }),
};
