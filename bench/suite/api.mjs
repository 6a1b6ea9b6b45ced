// The reads of the API over the network, at two sizes of the ledger, beside the same statements with nothing around them.
import { alternate } from "../alternate.mjs";
import { openApiWorld } from "../support/api-world.mjs";
import { startModule } from "../support/child.mjs";
import { openCluster } from "../support/cluster.mjs";

/** A read cares for none of these but the memory: they shorten the writing of ten million rows. */
const settings = {
  ...{ shared_buffers: "1GB", max_wal_size: "8GB", wal_level: "minimal", max_wal_senders: "0" },
  ...{ fsync: "off", synchronous_commit: "off" },
};

/** Many short rounds: whatever else the machine does for some seconds is then not the median. */
const amounts = {
  whole: { counts: [100_000, 10_000_000], limit: 50, rounds: 9, ms: 1_500, warmUpMs: 3_000 },
  // A page of one row: two thousand rows then have a 1,000th page too.
  quick: { counts: [2_000], limit: 1, rounds: 1, ms: 200, warmUpMs: 100 },
};

const connections = 50;

/** GET /balance and GET /transactions by 50 connections; see benches.mjs. */
export async function run({ quick, say }) {
  const amount = quick ? amounts.quick : amounts.whole;
  const { counts, limit } = amount;
  const cluster = await openCluster(quick ? {} : settings);
  const worlds = new Map();
  const load = await startModule("load.mjs", []);
  try {
    for (const count of counts) {
      worlds.set(count, await openApiWorld({ cluster, count, limit, say }));
    }
    const lines = [];
    for (const { name, title } of worlds.get(counts[0]).names) {
      lines.push(...(await measure({ name, title, worlds, load, amount, say })));
    }
    return lines;
  } finally {
    await load.stop();
    for (const world of worlds.values()) await world.end();
    await cluster.end();
  }
}

/** One request at each size, ours and the floor in turn. */
async function measure({ name, title, worlds, load, amount, say }) {
  const ask = async (question, ms) => {
    const said = await load.ask({ ...question, connections, ms });
    if (said.error !== undefined) throw new Error(said.error);
    return said;
  };
  const contenders = {};
  const sizes = {};
  for (const [count, world] of worlds) {
    for (const side of ["ours", "bare"]) {
      const question = world[side](name);
      const { bytes } = await ask(question, amount.warmUpMs);
      if (side === "ours") sizes[count] = bytes;
      contenders[`${side} ${count}`] = async () => (await ask(question, amount.ms)).perSecond;
    }
  }
  const found = await alternate(amount.rounds, contenders, (text) => say(`${title}: ${text}`));
  const lines = [...worlds.keys()].map((count) => ({
    name: `${title}, ${count.toLocaleString("en")} rows`,
    unit: "per s",
    ours: found[`ours ${count}`],
    baseline: found[`bare ${count}`],
    peer: null,
    ratio: found[`ours ${count}`] / found[`bare ${count}`],
    goal: { atLeast: 0.6 },
    conditions: `${connections} connections, ${amount.limit} rows a page, ${sizes[count]} bytes`,
  }));
  const [least, most] = [...worlds.keys()];
  return most === undefined ? lines : [...lines, growth({ title, found, least, most })];
}

function growth({ title, found, least, most }) {
  const [ours, baseline] = [1_000 / found[`ours ${most}`], 1_000 / found[`ours ${least}`]];
  return {
    name: `${title}, growth`,
    unit: "ms",
    ours,
    baseline,
    peer: null,
    ratio: ours / baseline,
    goal: { atMost: 1.3 },
    conditions: `time of a request at ${most.toLocaleString("en")} rows; baseline: at ${least.toLocaleString("en")}`,
  };
}
