import { type FaultCode, faultCodes, kindOf } from "../../domain/fault.ts";
import { internal, outOfReach, refusalAnswer, refusedStatuses } from "./error-answer.ts";
import { faultStatus } from "./fault-status.ts";

const refusals = refusedStatuses.map(refusalAnswer);

/** Every code of an error that may be answered, with its status. */
export const errorCodes: ReadonlyMap<string, number> = new Map([
  ...refusals.map(({ code, status }): [string, number] => [code, status]),
  ...faultCodes.filter(isAnswered).map((code): [string, number] => [code, statusOfFault(code)]),
  [outOfReach.code, 503],
  [internal.code, internal.status],
]);

/** What is said with each code that needs no route: code and sentence. */
export const refusalMessages = refusals.map(({ code, message }) => [code, message] as const);

function statusOfFault(code: FaultCode): number {
  return faultStatus[kindOf(code)];
}

/** What is ours to mend is answered as one `internal_error`. */
function isAnswered(code: FaultCode): boolean {
  return statusOfFault(code) !== 500;
}
