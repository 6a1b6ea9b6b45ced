/**
 * Seeds that have found something, with what it was; `npm test` runs them, and a few that have
 * found nothing.
 */
export const notableSeeds: readonly { seed: number; found: string }[] = [
  { seed: 3, found: "what a failed transaction would have sent is no money (a mutant)" },
  { seed: 1_192, found: "who has named a tag is not its own second" },
  { seed: 4_105, found: "the patience with a reorganisation is that of its own block" },
  {
    seed: 20_096,
    found: "where a chain begins is confirmed only as far as a second endpoint agrees",
  },
  { seed: 98_418, found: "who gave a block is not its second, whoever leads by then" },
  {
    seed: 587_501_072,
    found: "what waits of a wallet that was removed is decided all the same",
  },
];
