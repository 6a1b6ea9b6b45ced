import { defineCommand } from "../define-command.ts";

/** One examined thing. `unknown`: it could not be examined, because something before it failed. */
export type Examined = { what: string; state: "ok" | "fault" | "unknown"; says: string };

export type DoctorPorts = {
  /** Examines one thing after another, in the order in which they are shown. Writes nothing. */
  examine: () => Promise<readonly Examined[]>;
};

/**
 * Examines what Chainbell depends on, and what it does there, one line for each. Only reads. The
 * daemon may run or not.
 */
export const doctor = defineCommand({
  noun: null,
  name: "doctor",
  help: "Look at database, queue, endpoints, disk, clock, key, migrations, chains and what is watched, a line each. Exit status 3 where anything is wrong.",
  examples: ["doctor", "doctor --json"],
  takes: {},
  run: async ({ examine }: DoctorPorts, _: object) => [...(await examine())],
  hasFindings: (examined) => examined.some(({ state }) => state !== "ok"),
});
