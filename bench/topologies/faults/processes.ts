import type { Fault } from "../fault.ts";
import { usual } from "./usual.ts";

const reloadEveryMs = 5_000;

export const processFaults = {
  "dispatchers-dead": killing("every dispatcher is killed", "watcher,relay,api", "dispatcher"),
  "watchers-dead": killing("every watcher is killed", "relay,dispatcher,api", "watcher"),
  "dispatchers-stopped": stopping(
    "every dispatcher stands still (SIGSTOP), and goes on",
    "watcher,relay,api",
    "dispatcher",
  ),
  "watchers-stopped": stopping(
    "every watcher stands still (SIGSTOP), and goes on",
    "relay,dispatcher,api",
    "watcher",
  ),
  "hung-up": {
    about: "every process is sent SIGHUP each 5 s, as whoever reloads configurations does",
    async open(world) {
      const ground = await usual(world);
      const roles = ["watcher,relay", "dispatcher,api"];
      let timer: NodeJS.Timeout | undefined;
      const stop = async () => clearInterval(timer);
      world.onEnd(stop);
      return {
        ...ground,
        roles,
        async begin({ running }) {
          const hangUp = () =>
            roles.forEach((one) => void process.kill(running(one).pid, "SIGHUP"));
          hangUp();
          timer = setInterval(hangUp, reloadEveryMs);
        },
        finish: stop,
      };
    },
  },
} satisfies Record<string, Fault>;

function killing(about: string, others: string, hit: string): Fault {
  return {
    about,
    open: async (world) => ({
      ...(await usual(world)),
      roles: [others, hit],
      begin: ({ kill }) => kill(hit),
      finish: ({ start }) => start(hit),
    }),
  };
}

/** Unlike one that is killed, its connections stay, and what it had begun goes on later. */
function stopping(about: string, others: string, hit: string): Fault {
  return {
    about,
    open: async (world) => ({
      ...(await usual(world)),
      roles: [others, hit],
      begin: async ({ running }) => process.kill(running(hit).pid, "SIGSTOP"),
      finish: async ({ running }) => process.kill(running(hit).pid, "SIGCONT"),
    }),
  };
}
