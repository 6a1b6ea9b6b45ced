import { randomBytes } from "node:crypto";

export function randomAddress(): `0x${string}` {
  return `0x${randomBytes(20).toString("hex")}`;
}
