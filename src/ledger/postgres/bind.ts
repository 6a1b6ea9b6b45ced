/** Functions of the ledger by name. All of them take a database first, or all a transaction. */
type Functions<On> = Record<string, (on: On, ...input: never[]) => unknown>;

/** The same functions with their database or transaction filled in. */
export type Bound<All> = {
  readonly [Name in keyof All]: All[Name] extends (on: never, ...input: infer Input) => infer Output
    ? (...input: Input) => Output
    : never;
};

/**
 * Fills in the database, or the transaction, of ledger functions: of each when it is asked for, so
 * that a request binds what it uses.
 */
export function bind<On, All extends Functions<On>>(on: On, all: All): Bound<All> {
  return new Proxy(all, {
    get(target, name) {
      const work: unknown = Reflect.get(target, name);
      return typeof work === "function" ? (...input: unknown[]) => work(on, ...input) : work;
    },
  }) as unknown as Bound<All>;
}
