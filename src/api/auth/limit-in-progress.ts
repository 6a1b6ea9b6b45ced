import { Fault } from "../../domain/fault.ts";

/** The wait that a caller with too much work under way is told, in ms. */
const retryAfterMs = 1_000;

/**
 * Limits the work that each name has under way in this process. It is for work that waits for
 * somebody else's server, such as a name server that a business chose.
 * @throws Fault `rate_limited` for work beyond the limit, which is not begun
 */
export function createInProgressLimit(
  most: number,
): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, number>();
  return async (name, work) => {
    const count = underWay.get(name) ?? 0;
    if (count >= most) {
      throw new Fault(
        "rate_limited",
        `${most} requests like this one have no answer yet: wait for their answers.`,
        { facts: { retryAfterMs } },
      );
    }
    underWay.set(name, count + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(name) ?? 1) - 1;
      if (left === 0) underWay.delete(name);
      else underWay.set(name, left);
    }
  };
}
