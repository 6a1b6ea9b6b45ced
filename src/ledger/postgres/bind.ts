/**
 * Ledger functions by name. All take a database as their first argument, or all take a transaction.
 */
type Functions<On> = Record<string, (on: On, ...input: never[]) => unknown>;

/** The same functions without that first argument. */
export type Bound<All> = {
  readonly [Name in keyof All]: All[Name] extends (on: never, ...input: infer Input) => infer Output
    ? (...input: Input) => Output
    : never;
};

/**
 * Binds ledger functions to a database or a transaction. It binds each function when it is used, so
 * that a request binds only what it needs.
 */
export function bind<On, All extends Functions<On>>(on: On, all: All): Bound<All> {
  return new Proxy(all, {
    get(target, name) {
      const work: unknown = Reflect.get(target, name);
      return typeof work === "function" ? (...input: unknown[]) => work(on, ...input) : work;
    },
  }) as unknown as Bound<All>;
}
