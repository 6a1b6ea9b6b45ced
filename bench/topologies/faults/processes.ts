import type { Fault } from "../fault.ts";
import { usual } from "./usual.ts";

export const processFaults = {
  "dispatchers-dead": killing("every dispatcher is killed", "watcher,relay,api", "dispatcher"),
  "watchers-dead": killing("every watcher is killed", "relay,dispatcher,api", "watcher"),
} satisfies Record<string, Fault>;

/** Of two processes the one with these roles is killed. */
function killing(about: string, others: string, killed: string): Fault {
  return {
    about,
    async open(world) {
      const ground = await usual(world);
      return {
        ...{ ...ground, roles: [others, killed] },
        begin: ({ kill }) => kill(killed),
        finish: ({ start }) => start(killed),
      };
    },
  };
}
