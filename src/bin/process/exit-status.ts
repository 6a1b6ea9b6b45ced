import { type FaultKind, faultIn, kindOf } from "../../domain/fault.ts";

/**
 * docs/contract.md#exit-status. 0: done. 1: the configuration, environment or command line has a
 * fault. 3: differences were found. 70: a defect ended the daemon. 75: try again later. 141: nobody
 * reads the output.
 */
export type ExitStatus = 0 | 1 | 3 | 70 | 75 | 141;

/** For a verb that did its work and found what it looks for. */
export const foundDifferences: ExitStatus = 3;

/**
 * For a daemon that a defect of ours ended. Another status than that of a wrong setup, because a
 * supervisor must start it again.
 */
export const endedByDefect: ExitStatus = 70;

/** For a verb that left out what was out of reach. */
export const tryAgain: ExitStatus = 75;

/** That of a program that SIGPIPE ended. Node ignores that signal. */
export const unread: ExitStatus = 141;

const statuses = {
  invalid: 1,
  unauthenticated: 1,
  forbidden: 1,
  not_found: 1,
  conflict: 1,
  gone: 1,
  mismatched: 1,
  limited: tryAgain,
  unavailable: tryAgain,
  setup: 1,
  internal: 1,
} as const satisfies Record<FaultKind, ExitStatus>;

/** The exit status for an error that ends the process. Any error but a Fault is our own defect. */
export function exitStatusOf(error: unknown): ExitStatus {
  const fault = faultIn(error);
  return fault === undefined ? 1 : statuses[kindOf(fault.code)];
}
