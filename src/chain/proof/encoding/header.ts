import type { HeaderEncoding } from "../../../domain/chain/header-encoding.ts";
import { type RpcObject, readObject } from "../../rpc/rpc-value.ts";
import { absent, data, isThere, quantity } from "./fields.ts";
import { type HeaderLayout, layoutOf } from "./header-fields.ts";
import { encodeRlp, type RlpItem } from "./rlp.ts";

/**
 * The header as RLP; null: that encoding cannot be rebuilt. It has the later forks' fields that the
 * endpoint gives. A missing field before an existing one is the empty string, as go-ethereum
 * encodes it.
 */
export function encodeHeader(encoding: HeaderEncoding, raw: RpcObject): Uint8Array | null {
  const layout = layoutOf(encoding, raw);
  if (layout === null) return null;
  const fields = headerFields(layout, raw);
  return encodeRlp(encoding === "tempo" ? tempoHeader(fields, raw) : fields);
}

function headerFields({ required, later }: HeaderLayout, raw: RpcObject): RlpItem[] {
  const last = later.findLastIndex(([name]) => isThere(raw, name));
  return [
    ...required.map(([name, encode]) => encode(raw, name)),
    ...later
      .slice(0, last + 1)
      .map(([name, encode]) => (isThere(raw, name) ? encode(raw, name) : absent)),
  ];
}

/**
 * Tempo: gas limits and milliseconds, then the Ethereum header as a list of its own
 * (tempoxyz/tempo, header.rs).
 */
function tempoHeader(inner: RlpItem[], raw: RpcObject): RlpItem[] {
  const own = ["mainBlockGeneralGasLimit", "sharedGasLimit", "timestampMillisPart"];
  const fields: RlpItem[] = [...own.map((name) => quantity(raw, name)), inner];
  if (!isThere(raw, "consensusContext")) return fields;
  const context = readObject(raw["consensusContext"], "consensusContext");
  const counts = ["epoch", "view", "parentView"].map((name) => quantity(context, name));
  return [...fields, [...counts, data(context, "proposer")]];
}
