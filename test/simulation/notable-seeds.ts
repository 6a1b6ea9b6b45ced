/** Seeds that have found something, with what it was; `npm test` runs them beside a few that nobody has seen. */
export const notableSeeds: readonly { seed: number; found: string }[] = [
  { seed: 1, found: "a fee that is included again in another block costs what that block charges" },
  {
    seed: 13,
    found: "nothing that one endpoint makes up is confirmed (a mutant that asks no second one)",
  },
  {
    seed: 20_096,
    found: "where a chain begins is confirmed only as far as a second endpoint agrees",
  },
];
