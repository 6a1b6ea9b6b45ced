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
 * Reads a list. Headers of the answer name the server that was read, and the greatest age of its
 * data.
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

/** Sets headers that name the server that was read, and the greatest age of its data, in ms. */
export function sayServed(reply: FastifyReply, served: Served): void {
  reply.header("chainbell-read-from", served.by);
  const stalenessMs = served.by === "primary" ? 0 : Math.ceil(served.stalenessMs);
  reply.header("chainbell-staleness-ms", stalenessMs);
}
