import { type Address, isVirtualAddress } from "../../domain/chain/address.ts";
import type { Movement } from "../../domain/money/movement.ts";
import type { RpcLog } from "../rpc/rpc-block.ts";
import { addressIn } from "./decode-logs.ts";

/**
 * keccak-256 of `TransferWithMemo(address,address,uint256,bytes32)` (TIP-20). The memo is the last
 * topic.
 */
const memoTopic = "0x57bc7354aa85aed339e000bccffabbc529466af35f0772c8f8ee1145927de7f0";

/**
 * Reads the transfers of one transaction as Tempo defines them. A payment to a virtual address
 * (TIP-1022) is logged as two transfers. One is to that address, the other on to its master wallet.
 * They become one transfer to the wallet, which names the virtual address. A memo (TIP-20) is
 * logged after its transfer, and is added to it.
 */
export function readTip20(transfers: readonly Movement[], logs: readonly RpcLog[]): Movement[] {
  const read = joinForwarded(transfers);
  for (const log of logs) {
    const place = log.logIndex;
    const [topic, from, to, memo] = log.topics;
    if (topic !== memoTopic || from === undefined || to === undefined || memo === undefined)
      continue;
    const said = { asset: log.address, from: addressIn(from), to: addressIn(to), data: log.data };
    const at = read.findLastIndex((one) => (one.logIndex ?? place) < place && isSaid(one, said));
    const transfer = read[at];
    if (transfer !== undefined)
      read[at] = { ...transfer, tag: { virtualAddress: null, ...transfer.tag, memo } };
  }
  return read;
}

function isSaid(
  transfer: Movement,
  said: { asset: Address; from: Address; to: Address; data: string },
): boolean {
  const { asset, from, to, amountAtomic, tag } = transfer;
  if ((tag?.memo ?? null) !== null || asset !== said.asset || from !== said.from) return false;
  const isTo = to === said.to || tag?.virtualAddress === said.to;
  return isTo && said.data.length === 2 + 64 && BigInt(said.data) === amountAtomic;
}

/**
 * Joins a transfer with the one that forwards it. Other transfers stay as they are, and so do those
 * of tokens that the chain does not forward.
 */
function joinForwarded(transfers: readonly Movement[]): Movement[] {
  const joined: Movement[] = [];
  const forwards = new Set<Movement>();
  for (const [index, transfer] of transfers.entries()) {
    if (forwards.has(transfer)) continue;
    const forward = isVirtualAddress(transfer.to)
      ? transfers.slice(index + 1).find((one) => !forwards.has(one) && isForward(transfer, one))
      : undefined;
    if (forward !== undefined) forwards.add(forward);
    joined.push(
      forward === undefined
        ? transfer
        : { ...transfer, to: forward.to, tag: { memo: null, virtualAddress: transfer.to } },
    );
  }
  return joined;
}

function isForward(transfer: Movement, next: Movement): boolean {
  const { asset, to, amountAtomic } = transfer;
  return next.asset === asset && next.from === to && next.amountAtomic === amountAtomic;
}
