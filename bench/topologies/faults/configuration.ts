import { randomBytes } from "node:crypto";
import { payer, shownWallet } from "../../../test/support/chain/cast.ts";
import { deployToken } from "../../../test/support/chain/token.ts";
import type { Changes, Fault, Processes } from "../fault.ts";
import { usual } from "./usual.ts";

const watching = "watcher,relay";
const sending = "dispatcher,api";

export const configurationFaults = {
  "poorer-file": {
    about:
      "beside the daemon, verbs run with a file that lacks the token that is paid, and each process is started again with it",
    async open(world) {
      const token = await deployToken(world.anvil);
      await token.mint(payer, 10n ** 12n);
      const poorer: Changes = { tokens: [] };
      return {
        ...(await usual(world)),
        tokens: [token.asset],
        roles: [watching, sending],
        pay: () => token.send(payer, shownWallet, 1n),
        async begin(processes) {
          await readWith(processes, poorer);
          await startAgain(processes, sending, poorer);
          await startAgain(processes, watching, poorer);
          await readWith(processes, poorer);
        },
        async finish(processes) {
          await startAgain(processes, sending);
          await startAgain(processes, watching);
        },
      };
    },
  },
  "wrong-key": {
    about:
      "of two dispatchers one is started again with another encryption key, and does not start",
    async open(world) {
      const ground = await usual(world);
      const another = "dispatcher";
      return {
        ...ground,
        roles: [...ground.roles, another],
        async begin({ stop, start }) {
          await stop(another);
          const environment = { CHAINBELL_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
          await refused(() => start(another, { environment }), "wrong_encryption_key");
        },
        finish: ({ start }) => start(another),
      };
    },
  },
} satisfies Record<string, Fault>;

async function startAgain({ stop, start }: Processes, roles: string, changes: Changes = {}) {
  await stop(roles);
  await start(roles, changes);
}

/** What operators run while they look at a daemon. None of it may change what is watched. */
async function readWith({ runVerb }: Processes, changes: Changes): Promise<void> {
  for (const args of [["status"], ["notification", "outbox"], ["webhook", "list"]]) {
    const { status, stderr } = await runVerb(changes, ...args);
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  }
  const { status } = await runVerb(changes, "config", "diff");
  if (status !== 3) throw new Error(`config diff ended with ${status}: the file is not poorer.`);
}

/** Rejects unless what is started ends with 1, with a fault of this code. */
async function refused(start: () => Promise<unknown>, code: string): Promise<void> {
  const error = await start().then(
    () => new Error("It started."),
    (reason: unknown) => reason,
  );
  const said = error instanceof Error ? `${error.message} ${error.cause}` : String(error);
  if (!(said.includes(code) && said.includes("at its start, with 1")))
    throw new Error(`It was to be refused with ${code}.`, { cause: error });
}
