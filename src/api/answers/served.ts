import type { FastifyReply } from "fastify";
import type { ListLedger, ReadLists, Served } from "../../domain/business/list-reader.ts";

declare module "fastify" {
  interface FastifySchema {
    /** Whether a replica of the database may answer it. */
    mayBeStale?: boolean;
  }
}

export type ListDeps = { readLists: ReadLists };

/** What a list answers, with the headers that say which server knew it and how old that was at most. */
export async function listed<Answer>(
  reply: FastifyReply,
  { readLists }: ListDeps,
  read: (ledger: ListLedger) => Promise<Answer>,
): Promise<Answer> {
  const { answer, served } = await readLists(read);
  sayServed(reply, served);
  return answer;
}

/** The headers that say so. */
export function sayServed(reply: FastifyReply, served: Served): void {
  reply.header("chainbell-read-from", served.by);
  const stalenessMs = served.by === "primary" ? 0 : Math.ceil(served.stalenessMs);
  reply.header("chainbell-staleness-ms", stalenessMs);
}
