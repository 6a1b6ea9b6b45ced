import { type FaultCode, faultCodes, kindOf } from "../../domain/fault.ts";
import { internal, outOfReach, refusalAnswer, refusedStatuses } from "./error-answer.ts";
import { faultStatus } from "./fault-status.ts";

const refusals = refusedStatuses.map(refusalAnswer);

/** Every error code that the API may answer, with its status. */
export const errorCodes: ReadonlyMap<string, number> = new Map([
  ...refusals.map(({ code, status }): [string, number] => [code, status]),
  ...faultCodes.filter(isAnswered).map((code): [string, number] => [code, statusOfFault(code)]),
  [outOfReach.code, 503],
  [internal.code, internal.status],
]);

/** Where the API explains a code: a path of GET /docs/errors, relative to the API's address. */
export function docUrlOf(code: string): string {
  return `/docs/errors#${code}`;
}

/** The code and message of each refusal that happens before any route. */
export const refusalMessages = refusals.map(({ code, message }) => [code, message] as const);

function statusOfFault(code: FaultCode): number {
  return faultStatus[kindOf(code)];
}

/** True if callers see this code. The server's own faults are answered as `internal_error`. */
function isAnswered(code: FaultCode): boolean {
  return statusOfFault(code) !== 500;
}
