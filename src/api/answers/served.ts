import type { FastifyReply } from "fastify";
import type { ListLedger, ReadLists, Served } from "../../domain/business/list-reader.ts";

declare module "fastify" {
  interface FastifySchema {
    /** True if a replica of the database may answer the route. */
    mayBeStale?: boolean;
  }
}

export type ListDeps = { readLists: ReadLists };

/**
 * Reads a list. The headers of the answer say which server was read, and how old its data was at
 * most.
 */
export async function listed<Answer>(
  reply: FastifyReply,
  { readLists }: ListDeps,
  read: (ledger: ListLedger) => Promise<Answer>,
): Promise<Answer> {
  const { answer, served } = await readLists(read);
  sayServed(reply, served);
  return answer;
}

/** Sets the headers that say which server was read, and how old its data was at most, in ms. */
export function sayServed(reply: FastifyReply, served: Served): void {
  reply.header("chainbell-read-from", served.by);
  const stalenessMs = served.by === "primary" ? 0 : Math.ceil(served.stalenessMs);
  reply.header("chainbell-staleness-ms", stalenessMs);
}
