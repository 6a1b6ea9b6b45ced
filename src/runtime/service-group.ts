import type { Service } from "./service.ts";

/**
 * Starts services in order. If one fails, stops those before it in reverse order, and throws its
 * error.
 */
export async function startAll(services: readonly Service[]): Promise<void> {
  for (const [index, service] of services.entries()) {
    try {
      await service.start();
    } catch (error) {
      await stopAll(services.slice(0, index + 1));
      throw error;
    }
  }
}

/**
 * Stops services in reverse order, one after another. So a service that passes work on stops before
 * the one that takes it. If one fails to stop, the others are stopped anyway, and the first failure
 * is thrown at the end.
 */
export async function stopAll(services: readonly Service[]): Promise<void> {
  const failures: unknown[] = [];
  for (const service of [...services].reverse()) {
    try {
      await service.stop();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
