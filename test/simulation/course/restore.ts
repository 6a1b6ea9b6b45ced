import { copyOf, databaseUrl, runSql } from "../../support/ledger/databases.ts";
import { chainName, type World, withVirtualClock } from "../world.ts";
import { moveOn } from "./move-on.ts";
import type { Actors } from "./set-up.ts";

/**
 * A ledger goes back to an earlier time, as a restore that nobody has told it of: its own columns
 * say nothing of it. All processes are killed with it. The chain, the receivers, the queue and the
 * consumers of the feed stay where they are.
 */
export type Backup = {
  /** Once. */
  restore: () => Promise<void>;
  drop: () => Promise<void>;
};

/**
 * A copy of the ledger, and of what the run knows of it, once nobody is about to change what is
 * watched or who is notified. Null where the ledger has no position yet: restored, it would begin
 * at the newest block, and know nothing of those before it.
 */
export async function takeBackup(world: World, actors: Actors): Promise<Backup | null> {
  const { scheduler } = world;
  // A person does once more what the ledger has forgotten. That would be another story.
  while (scheduler.isWaiting(["operator", "business"])) await moveOn(world, 1);
  if (!(await hasBegun(world))) return null;
  const adminUrl = databaseUrl(world.databaseUrl, "postgres");
  const name = new URL(world.databaseUrl).pathname.slice(1);
  const disconnect = () =>
    runSql(
      adminUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
  await disconnect();
  const copy = await copyOf(adminUrl, world.databaseUrl);
  const recalls = [world.remember(), actors.deliveries.receivers.remember()];
  scheduler.note("the ledger is backed up");
  return {
    async restore() {
      scheduler.note("the ledger is restored");
      actors.kill();
      await disconnect();
      await runSql(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      await runSql(
        adminUrl,
        `ALTER DATABASE ${new URL(copy.url).pathname.slice(1)} RENAME TO ${name}`,
      );
      await runSql(adminUrl, withVirtualClock(name));
      for (const recall of recalls) recall();
    },
    drop: copy.drop,
  };
}

async function hasBegun({ sql }: World): Promise<boolean> {
  const rows = await sql("SELECT FROM chain WHERE name = $1 AND position_hash IS NOT NULL", [
    chainName,
  ]);
  return rows.length > 0;
}
