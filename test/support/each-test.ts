import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";

/** Opens something for tests, and closes it after them. Answers what stands for it. */
type Open = <Opened extends object>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => unknown,
) => Opened;

/**
 * What `open` makes, anew for each test of the file or of the describe that this is called in, and
 * closed after it. What is asked for first is opened first and closed last: after all that the test
 * itself, or an `afterEach`, closes. The answer stands for whatever is open: it is there within
 * tests and hooks, and nowhere else.
 */
export const eachTest: Open = openedBy((open, close) =>
  beforeEach(async () => {
    await open();
    // An `afterEach` comes before what the test has asked for by `onTestFinished`: a daemon would
    // lose its database while it works.
    onTestFinished(close);
  }),
);

/**
 * What `open` makes, once for all tests of the file or of the describe that this is called in. Else
 * as eachTest.
 */
export const allTests: Open = openedBy((open, close) => {
  beforeAll(open);
  afterAll(close);
});

function openedBy(plan: (open: () => Promise<void>, close: () => Promise<void>) => void): Open {
  return <Opened extends object>(
    open: () => Promise<Opened>,
    close: (opened: Opened) => unknown,
  ) => {
    let current: Opened | null = null;
    plan(
      async () => {
        current = await open();
      },
      async () => {
        const opened = current;
        current = null;
        if (opened !== null) await close(opened);
      },
    );
    return new Proxy({} as Opened, {
      get(_nothing, name) {
        if (current === null) throw new Error(`${String(name)} is asked for outside of a test`);
        return Reflect.get(current, name);
      },
    });
  };
}
