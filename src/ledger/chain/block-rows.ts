import type { BlockHeader } from "../../domain/chain/block.ts";
import { Prisma } from "../generated/client.ts";

/**
 * Headers as a SELECT of rows of the table `block`: chain_name, number, hash, parent_hash, time.
 */
export function rowsOf(chainName: string, headers: readonly BlockHeader[]): Prisma.Sql {
  return Prisma.sql`
    SELECT ${chainName}, r.* FROM unnest(${headers.map(({ number }) => number)}::bigint[],
      ${headers.map(({ hash }) => hash)}::text[], ${headers.map(({ parentHash }) => parentHash)}::text[],
      ${headers.map(({ timeMs }) => new Date(timeMs).toISOString())}::timestamptz[]) AS r`;
}
