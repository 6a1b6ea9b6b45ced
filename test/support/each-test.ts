import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/**
 * What `open` makes, anew for each test of the file or of the describe that this is called in, and closed after it. What is
 * asked for first is opened first and closed last. The answer stands for whatever is open: it is there within tests
 * and hooks, and nowhere else.
 */
export function eachTest<Opened extends object>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => unknown,
): Opened {
  const held = hold(open, close);
  beforeEach(held.begin);
  afterEach(held.end);
  return held.standIn;
}

/** What `open` makes, once for all tests of the file or of the describe that this is called in. Else as eachTest. */
export function allTests<Opened extends object>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => unknown,
): Opened {
  const held = hold(open, close);
  beforeAll(held.begin);
  afterAll(held.end);
  return held.standIn;
}

function hold<Opened extends object>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => unknown,
) {
  let current: Opened | null = null;
  return {
    async begin() {
      current = await open();
    },
    async end() {
      const opened = current;
      current = null;
      if (opened !== null) await close(opened);
    },
    standIn: new Proxy({} as Opened, {
      get(_nothing, name) {
        if (current === null) throw new Error(`${String(name)} is asked for outside of a test`);
        return Reflect.get(current, name);
      },
    }),
  };
}
