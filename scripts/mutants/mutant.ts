/** A fault in the code that moves money, which a test and the simulation must find. */
export type Mutant = {
  id: string;
  /** What goes wrong with it, for people. */
  what: string;
  file: string;
  /** Stands there exactly once. */
  find: string;
  replace: string;
  /** The test that is about it: the file, and the title or a part of it. */
  test: { file: string; title: string };
  /** A seed of the simulation that finds it; null: it has to be looked for. In words: why no seed can. */
  simulation: number | null | string;
};
