/**
 * What a server may serve. `business`: the routes of businesses, with their description. `admin`: those of operators. `operation`: health
 * with its details, and metrics. `readiness`: health without anything but whether it is well. `console`: the console.
 */
type Part = "business" | "admin" | "operation" | "readiness" | "console";

export type Serves = ReadonlySet<Part>;

/** Everything at one address. */
export const everything: Serves = new Set(["business", "admin", "operation", "console"]);

/** How the parts are shared out among the servers of a process; null: there is no such server. */
type Shares = { main: Serves; console: Serves | null; operator: Serves | null };

/**
 * @param has what is served at all, and by which listeners of their own. A process that answers no businesses answers for its health
 *   and its metrics alone
 */
export function shareOut(has: {
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
