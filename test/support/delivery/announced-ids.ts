import { type Customer, verified } from "../process/customer.ts";
import type { Receiver } from "./receiver.ts";

/**
 * Under which ids each transaction was announced so far, by its own id. Throws where a signature
 * does not hold.
 */
export function announcedIds(
  { requests }: Receiver,
  { secret }: Customer,
): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const request of requests) {
    const { id, data } = verified(request, secret);
    ids.set(data.transactionId, (ids.get(data.transactionId) ?? new Set()).add(id));
  }
  return ids;
}
