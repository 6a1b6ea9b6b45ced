import { inject } from "vitest";

/**
 * Whether this run has a Redis. Without one, what needs it is skipped by name, everything else runs
 * with the queue in PostgreSQL, and the run's first line says how to get one.
 */
export const hasRedis = inject("redisUrl") !== null;
