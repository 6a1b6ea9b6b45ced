/**
 * Before something is measured: what came before then costs it nothing. Node must be started with
 * --expose-gc.
 */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error("Start Node with --expose-gc.");
  globalThis.gc();
}
