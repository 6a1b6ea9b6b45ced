import type { Logger } from "../../src/runtime/logger.ts";

export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} };
