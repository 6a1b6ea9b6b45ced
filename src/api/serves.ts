/**
 * A part of the API that a server may serve. `business`: the routes of businesses, and their
 * OpenAPI document. `admin`: the routes of operators. `operation`: health with details, and
 * metrics. `readiness`: health without details. `console`: the console.
 */
type Part = "business" | "admin" | "operation" | "readiness" | "console";

export type Serves = ReadonlySet<Part>;

/** All parts at one address. */
export const everything: Serves = new Set(["business", "admin", "operation", "console"]);

/** The parts that each server of a process serves. Null: there is no such server. */
type Shares = { main: Serves; console: Serves | null; operator: Serves | null };

/**
 * Distributes the parts among the servers.
 * @param has which parts are served, and which have their own listeners. A process without the
 *   routes of businesses serves only health and metrics
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
