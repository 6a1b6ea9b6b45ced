import { txTypes } from "../../../domain/chain/tx-types.ts";
import type { RpcObject } from "../../rpc/rpc-value.ts";
import { callFields, receiver } from "./call-fields.ts";
import { data, isThere, optional, quantity } from "./fields.ts";
import type { RlpItem } from "./rlp.ts";

/**
 * The fields of Nitro's own transactions (OffchainLabs/go-ethereum, core/types/arb_types.go); null:
 * another type. They have no signature: the parent chain orders them, or the node makes them.
 */
export function arbitrumFields(type: number, raw: RpcObject): RlpItem[] | null {
  const chain = () => quantity(raw, "chainId");
  const gas = () => [feeCap(raw), quantity(raw, "gas")];
  switch (type) {
    case txTypes.arbitrumDeposit:
      return [
        chain(),
        ...[data(raw, "requestId"), data(raw, "from"), data(raw, "to")],
        quantity(raw, "value"),
      ];
    case txTypes.arbitrumUnsigned:
      return [chain(), data(raw, "from"), quantity(raw, "nonce"), ...gas(), ...callFields(raw)];
    case txTypes.arbitrumContract:
      return [chain(), data(raw, "requestId"), data(raw, "from"), ...gas(), ...callFields(raw)];
    case txTypes.arbitrumRetry:
      return [
        ...[chain(), quantity(raw, "nonce"), data(raw, "from"), ...gas(), ...callFields(raw)],
        ...[data(raw, "ticketId"), data(raw, "refundTo")],
        ...[quantity(raw, "maxRefund"), quantity(raw, "submissionFeeRefund")],
      ];
    case txTypes.arbitrumSubmitRetryable:
      return [
        ...[chain(), data(raw, "requestId"), data(raw, "from")],
        ...[quantity(raw, "l1BaseFee"), quantity(raw, "depositValue"), ...gas()],
        ...[receiver(raw, "retryTo"), quantity(raw, "retryValue"), data(raw, "beneficiary")],
        ...[quantity(raw, "maxSubmissionFee"), data(raw, "refundTo")],
        optional(raw, "retryData", data),
      ];
    case txTypes.arbitrumInternal:
      return [chain(), data(raw, "input")];
    default:
      return null;
  }
}

/** The highest gas price that the transaction accepts. `gasPrice` may be what it paid instead. */
function feeCap(raw: RpcObject): Uint8Array {
  return isThere(raw, "maxFeePerGas")
    ? quantity(raw, "maxFeePerGas")
    : optional(raw, "gasPrice", quantity);
}
