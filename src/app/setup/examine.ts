import type { Config } from "../../config/config.ts";
import { messageWithCause } from "../../domain/fault-cause.ts";
import type { Examined } from "../../operator/setup/doctor.ts";
import { asError } from "../../runtime/as-error.ts";
import type { Logger } from "../../runtime/logger.ts";
import { openEnvironment } from "../environment/environment.ts";
import { checkChain } from "./check-chain.ts";
import { examineDatabase } from "./examine-database.ts";

/**
 * Examines what a daemon needs: the configuration, the database and its content, the queue, and
 * each endpoint. Never throws, and writes nothing.
 */
export async function examine(of: {
  path: string;
  /** False: nobody named a file, and there is none. */
  isThere: boolean;
  faults: readonly { path: string; message: string }[];
  /** Null: the file could not be understood. */
  config: Config | null;
  openLog: (config: Config) => Logger | Promise<Logger>;
}): Promise<Examined[]> {
  const { path, isThere, faults, config, openLog } = of;
  const wrong = faults.map(
    (fault): Examined => ({
      what: "configuration",
      state: "fault",
      says: `${fault.path || path}: ${fault.message}`,
    }),
  );
  if (config === null || wrong.length > 0) return wrong;
  const endpoints = Promise.all(config.chains.map(examineEndpoints));
  const inside = await examineInside(config, await openLog(config));
  return [
    {
      what: "configuration",
      state: "ok",
      says: isThere ? path : `${path} is not there: every setting has its default`,
    },
    ...inside,
    ...(await endpoints).flat(),
  ];
}

async function examineInside(config: Config, log: Logger): Promise<Examined[]> {
  try {
    const environment = await openEnvironment(config, log, "database");
    try {
      return await examineDatabase(environment.config, environment.readDatabaseRoom);
    } finally {
      await environment.close();
    }
  } catch (thrown) {
    return [{ what: "database", state: "fault", says: messageWithCause(asError(thrown)) }];
  }
}

async function examineEndpoints(chain: Config["chains"][number]): Promise<Examined[]> {
  const checks = await checkChain(chain, { asksRate: false });
  return checks.map(({ check }): Examined => {
    const { name, faults, head, traces, history } = check;
    const said = `head ${head?.number ?? "unknown"}, traces ${traces ?? "unknown"}, ${history ?? "history unknown"}`;
    const what = `endpoint ${chain.name} ${name}`;
    return faults.length > 0
      ? { what, state: "fault", says: faults.join("; ") }
      : { what, state: "ok", says: said };
  });
}
