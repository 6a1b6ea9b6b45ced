import type { Fault } from "../fault.ts";
import { clockFaults } from "./clocks.ts";
import { configurationFaults } from "./configuration.ts";
import { endpointFaults } from "./endpoints.ts";
import { limitFaults } from "./limits.ts";
import { postgresFaults } from "./postgres.ts";
import { processFaults } from "./processes.ts";
import { redisFaults } from "./redis.ts";
import { restoreFaults } from "./restore.ts";

/** Every fault that is played, in the order of the table. */
export const faults: Readonly<Record<string, Fault>> = {
  ...postgresFaults,
  ...restoreFaults,
  ...redisFaults,
  ...endpointFaults,
  ...processFaults,
  ...configurationFaults,
  ...clockFaults,
  ...limitFaults,
};
