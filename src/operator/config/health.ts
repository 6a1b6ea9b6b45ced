import { z } from "zod";
import type { DatabaseReport } from "../../domain/business/installation.ts";
import { count, timeText } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";

/** What only a process that serves knows. */
export type ProcessPorts = {
  readProcess: () => {
    version: string;
    node: string;
    startedAt: Date;
    parts: { name: string; trouble: string | null }[];
  };
};

type Ports = ProcessPorts & { ledger: { readDatabaseReport: () => Promise<DatabaseReport> } };

const bytes = z.string().meta({ description: "Bytes.", examples: ["1048576"] });

const shown = z.object({
  version: z.string().meta({ examples: ["0.2.0"] }),
  node: z.string().meta({ examples: ["v24.11.0"] }),
  started_at: timeText,
  parts: z.array(z.object({ name: z.string(), trouble: z.string().nullable() })),
  migrations: z.array(z.string()).meta({ examples: [["20261121000000_init"]] }),
  configuration: z
    .object({ version: count.meta({ examples: [1] }), applied_at: timeText })
    .nullable()
    .meta({ description: "The one that was applied last; null: none was." }),
  database: z.object({
    size_bytes: bytes,
    tables: z
      .array(z.object({ name: z.string(), rows: count.meta({ examples: [120] }), bytes }))
      .meta({ description: "The largest twenty, as PostgreSQL estimates them." }),
  }),
});

const health = defineReading({
  noun: "installation",
  http: {
    method: "GET",
    path: "/health",
    summary: "The process that answers, with its parts, and its database",
    input: () => ({}),
  },
  cli: null,
  check: (input: object) => input,
  call: async ({ ledger, readProcess }: Ports) => ({
    ...readProcess(),
    database: await ledger.readDatabaseReport(),
  }),
  answer: shown,
  present: ({ version, node, startedAt, parts, database }) => {
    const { configuration, migrations, sizeBytes, tables } = database;
    return {
      ...{ version, node, started_at: startedAt.toISOString(), parts, migrations },
      configuration: configuration && {
        version: Number(configuration.version),
        applied_at: configuration.appliedAt.toISOString(),
      },
      database: {
        size_bytes: String(sizeBytes),
        tables: tables.map(({ name, rows, bytes: size }) => ({ name, rows, bytes: String(size) })),
      },
    };
  },
});

/** The process that answers, and its database. The command line is no process that serves. */
export const installationHealth = { ...health, cli: null };
