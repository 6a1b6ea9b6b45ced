// One benchmark in a process of its own, started by run.mjs, to which it sends its lines.
import { benches } from "./benches.mjs";

const [name, quick] = process.argv.slice(2);
const { run } = await benches[name].load();
const say = (text) => console.log(`  ${text}`);
const lines = await run({ quick: quick === "--quick", say });
process.send(
  lines.map((line) => ({ bench: name, ...line })),
  () => process.exit(0),
);
