import { Fault } from "../../domain/fault.ts";

/** The time that a refused caller is asked to wait, in ms. */
const retryAfterMs = 1_000;

/**
 * Limits how much work each name has under way in this process. For work that waits for a server of
 * others, such as a name server that a business chose.
 * @throws Fault `rate_limited` for work beyond the limit, which does not start
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
