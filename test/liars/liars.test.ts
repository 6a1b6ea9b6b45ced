import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogue } from "../support/chain/liar/catalogue.ts";
import { openDatabase } from "../support/ledger/database.ts";
import { createTestDatabase, type TestDatabase } from "../support/ledger/postgres.ts";
import { type Lied, playLies } from "./play.ts";
import { type Casting, type Setup, setups } from "./run.ts";

/**
 * A few lies of each kind, and what must come of them while they last: alone, before an honest
 * endpoint, behind it, and before two. All of them are told by `npm run liars`.
 */
const expected: [
  title: string,
  ...verdicts: [alone: string, pair: string, rev: string, three: string],
][] = [
  ["log's amount times 1,000", "held", "true", "true", "true"],
  // Others' money, so that only the agreement on the block keeps the chain where it is.
  ["bloom: log's receiver changed", "held", "held", "held", "true"],
  ["value times 1,000", "held", "true", "true", "true"],
  ["withdrawal invented", "held", "true", "true", "true"],
  ["created address changed to a wallet", "held", "true", "true", "true"],
  ["coin minted beside an ordinary transaction", "held", "true", "true", "true"],
  ["fee said to be paid in a token", "held", "true", "true", "true"],
  ["gas used times 10", "held", "true", "true", "true"],
  ["trace invents for a holder", "held", "true", "true", "true"],
  ["trace changes who paid", "told", "held", "held", "true"],
  ["state root changed", "held", "true", "true", "true"],
  ["branch that invents a payment", "branch", "held", "held", "held"],
  ["invents, then stops tracing", "held", "true", "true", "true"],
  [
    "invents, balances unproved, then refuses one block and a restart",
    "told",
    "true",
    "true",
    "true",
  ],
  ["invents, then loses the state and a restart", "told", "true", "true", "true"],
  ["invents, then a restart in a reorg", "held", "true", "true", "true"],
  ["does not trace, then invents, balances agree", "held", "true", "true", "true"],
  ["traces claimed, and none shown", "held", "true", "true", "true"],
];

const castings = expected.flatMap(([title], place) =>
  setups.map((setup): Casting => {
    const lie = catalogue.get(title);
    if (lie === undefined) throw new Error(`there is no lie '${title}'`);
    return { name: `run-${place}-${setup}`, title, lie, reading: lie.reading, setup };
  }),
);

let database: TestDatabase;
let results: Lied[];

beforeAll(async () => {
  database = await createTestDatabase();
  const db = openDatabase({ databaseUrl: database.url, poolSize: 16 });
  const ledger = { db, url: database.url, close: async () => {} };
  try {
    results = await playLies(ledger, castings, { seed: 1, prefix: "stage" });
  } finally {
    await db.$disconnect();
  }
}, 600_000);

afterAll(() => database.drop());

const verdictOf = (title: string, setup: Setup) => {
  const result = results.find(({ casting }) => casting.title === title && casting.setup === setup);
  return result?.lied;
};

describe("an endpoint that lies", () => {
  it.each(expected)("is not believed: %s", (title, ...verdicts) => {
    const found = setups.map((setup) => verdictOf(title, setup));
    const why = found.flatMap((one, at) => (one?.kind === verdicts[at] ? [] : (one?.why ?? [])));
    expect([found.map((one) => one?.kind), why]).toEqual([verdicts, []]);
  });
});
