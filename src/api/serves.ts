/**
 * A part of the API that a server may serve. `business`: the routes of businesses, with their
 * description. `admin`: the routes of operators. `operation`: health with its details, and metrics.
 * `readiness`: health that says only whether all is well. `console`: the console.
 */
type Part = "business" | "admin" | "operation" | "readiness" | "console";

export type Serves = ReadonlySet<Part>;

/** Everything at one address. */
export const everything: Serves = new Set(["business", "admin", "operation", "console"]);

/** The parts that each server of a process serves. Null: there is no such server. */
type Shares = { main: Serves; console: Serves | null; operator: Serves | null };

/**
 * Shares the parts out among the servers.
 * @param has the parts that are served, and those with listeners of their own. A process that
 *   answers no businesses answers only for its health and its metrics
 */
export function assignListeners(has: {
  business: boolean;
  console: "beside" | "alone" | "nowhere";
  isOperatorAlone: boolean;
}): Shares {
  const ofBusinesses: Part[] = has.business ? ["business"] : [];
  const ofOperators: Part[] = has.business ? ["admin", "operation"] : ["operation"];
  const beside: Part[] = has.business && has.console === "beside" ? ["console"] : [];
  return {
    main: new Set([
      ...ofBusinesses,
      ...(has.isOperatorAlone ? ["readiness" as const] : ofOperators),
      ...beside,
    ]),
    console: has.business && has.console === "alone" ? new Set(["console"]) : null,
    operator: has.isOperatorAlone ? new Set(ofOperators) : null,
  };
}
