import type { Service } from "./service.ts";

/**
 * Starts services in order. If one fails, stops those before it in reverse order, and throws its
 * error. Once `stopping` is aborted, it starts no more of them.
 */
export async function startAll(
  services: readonly Service[],
  stopping?: AbortSignal,
): Promise<void> {
  for (const [index, service] of services.entries()) {
    if (stopping?.aborted) return;
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

/** Stops services, all at once. If some fail to stop, the first failure is thrown at the end. */
export async function stopTogether(services: readonly Service[]): Promise<void> {
  await all(services.map((service) => service.stop()));
}

/**
 * The services of groups that do not depend on each other. The first call of `start` starts all
 * groups at once, each in its order. The first call of `stop` stops all services at once. So groups
 * that take long do not add up.
 */
export function actingTogether(groups: readonly (readonly Service[])[]): Service[] {
  const services = groups.flat();
  const start = once(() => all(groups.map((group) => startAll(group))));
  const stop = once(() => stopTogether(services));
  return services.map((service) => ({ ...service, start, stop }));
}

/** A function that does its work at the first call. Each call answers how that ended. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let ended: Promise<T> | null = null;
  return () => {
    ended ??= work();
    return ended;
  };
}

/** Waits for all of it, and then throws the first failure. */
async function all(work: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
