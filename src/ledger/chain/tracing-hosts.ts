import type { TracingHosts } from "../../domain/watch/chain-source.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** The hosts that have traced a chain's blocks, and since when. Stored in the chain's row. */
export function createTracingHosts(db: Database, chainName: string): TracingHosts {
  return {
    async read() {
      const [row] = await statementsOf(db).$queryRaw<{ hosts: string[] }[]>`
        SELECT ARRAY(SELECT jsonb_object_keys(traced_by)) AS hosts FROM chain WHERE name = ${chainName}`;
      return row?.hosts ?? [];
    },
    async add(host) {
      await statementsOf(db).$executeRaw`
        UPDATE chain SET traced_by = jsonb_build_object(${host}::text, now()) || traced_by
        WHERE name = ${chainName}`;
    },
  };
}
