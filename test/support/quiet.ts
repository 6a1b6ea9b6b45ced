import type { Logger } from "../../src/runtime/logger.ts";

/** A logger that writes nothing. */
export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} };
