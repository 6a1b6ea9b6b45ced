import { groupDigits } from "../../format/amount.ts";
import type { paths } from "../../wire/generated/api-paths.ts";

/** The state of all chains and of the outbox, for the operator. */
export type Status =
  paths["/admin/status"]["get"]["responses"][200]["content"]["application/json"]["data"];

export type ChainStatus = Status["chains"][number];

/** The height of a block, in groups of digits. */
export function heightText(height: number | null): string {
  return height === null ? "–" : groupDigits(String(height));
}
