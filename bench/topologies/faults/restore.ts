import { setTimeout as sleep } from "node:timers/promises";
import {
  archiveAll,
  openArchivedCluster,
  restoreBackup,
  takeBaseBackup,
} from "../../../test/support/ledger/base-backup.ts";
import { databaseUrl } from "../../../test/support/ledger/databases.ts";
import type { Fault } from "../fault.ts";
import { usual } from "./usual.ts";

/** For how long deposits are told before the instant that is restored, and after it. */
const aroundMs = 10_000;

export const restoreFaults = {
  restored: {
    about: "PostgreSQL is restored as it was 10 s before, and the daemon started on that",
    async open(world) {
      const lost = await world.open(openArchivedCluster(), (one) => one.end());
      const ground = await usual(world, databaseUrl(lost.adminUrl, "chainbell"));
      const [roles = ""] = ground.roles;
      return {
        ...ground,
        async begin({ stop, start, runVerb }) {
          const backup = await takeBaseBackup(lost);
          await sleep(aroundMs);
          const instant = new Date();
          await sleep(aroundMs);
          await stop(roles);
          await archiveAll(lost);
          const restored = await world.open(restoreBackup(backup, instant), (one) => one.end());
          const changes = { databaseUrl: databaseUrl(restored.adminUrl, "chainbell") };
          const since = instant.toISOString();
          const { status, stderr } = await runVerb(changes, "recover", "--since", since);
          if (status !== 0) throw new Error(`recover ended with ${status}: ${stderr}`);
          await start(roles, changes);
        },
      };
    },
  },
} satisfies Record<string, Fault>;
