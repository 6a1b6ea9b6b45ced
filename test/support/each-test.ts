import { afterEach, beforeEach } from "vitest";

/**
 * What `open` makes, anew for each test of the file or of the describe that this is called in, and closed after it. What is
 * asked for first is opened first and closed last. The answer stands for whatever is open: it is there within tests
 * and hooks, and nowhere else.
 */
export function eachTest<Opened extends object>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => unknown,
): Opened {
  let current: Opened | null = null;
  beforeEach(async () => {
    current = await open();
  });
  afterEach(async () => {
    const opened = current;
    current = null;
    if (opened !== null) await close(opened);
  });
  return new Proxy({} as Opened, {
    get(_nothing, name) {
      if (current === null) throw new Error(`${String(name)} is asked for outside of a test`);
      return Reflect.get(current, name);
    },
  });
}
