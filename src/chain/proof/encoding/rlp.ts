/**
 * A value that RLP encodes (Ethereum's yellow paper, appendix B): bytes, or a list of such values.
 */
export type RlpItem = Uint8Array | readonly RlpItem[];

/** A shorter length is in the first byte itself. */
const shortLimit = 56;

const bytesOffset = 0x80;
const listOffset = 0xc0;

/** Encodes as RLP, into one array of the right size. */
export function encodeRlp(item: RlpItem): Uint8Array {
  const target = new Uint8Array(encodedLength(item));
  write(item, target, 0);
  return target;
}

function encodedLength(item: RlpItem): number {
  if (isSingleByte(item)) return 1;
  const length = payloadLength(item);
  return prefixLength(length) + length;
}

function isSingleByte(item: RlpItem): item is Uint8Array {
  return item instanceof Uint8Array && item.length === 1 && (item[0] ?? 0) < bytesOffset;
}

function payloadLength(item: RlpItem): number {
  if (item instanceof Uint8Array) return item.length;
  let length = 0;
  for (const inner of item) length += encodedLength(inner);
  return length;
}

function prefixLength(length: number): number {
  return length < shortLimit ? 1 : 1 + lengthBytes(length);
}

function lengthBytes(length: number): number {
  let count = 0;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) count += 1;
  return count;
}

/** @returns where the next item begins */
function write(item: RlpItem, target: Uint8Array, start: number): number {
  if (isSingleByte(item)) {
    target.set(item, start);
    return start + 1;
  }
  const isBytes = item instanceof Uint8Array;
  const length = payloadLength(item);
  let at = writePrefix({ length, offset: isBytes ? bytesOffset : listOffset }, target, start);
  if (isBytes) {
    target.set(item, at);
    return at + length;
  }
  for (const inner of item) at = write(inner, target, at);
  return at;
}

function writePrefix(
  prefix: { length: number; offset: number },
  target: Uint8Array,
  start: number,
): number {
  const { length, offset } = prefix;
  if (length < shortLimit) {
    target[start] = offset + length;
    return start + 1;
  }
  const count = lengthBytes(length);
  target[start] = offset + shortLimit - 1 + count;
  let rest = length;
  for (let index = count; index > 0; index -= 1) {
    target[start + index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return start + 1 + count;
}
