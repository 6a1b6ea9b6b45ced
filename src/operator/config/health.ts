import { z } from "zod";
import type { DatabaseReport } from "../../domain/business/installation.ts";
import { keysOf, meaningsIn } from "../../domain/keys-of.ts";
import type { ChainAssets } from "../../domain/money/asset.ts";
import { partTroubles } from "../../domain/part-trouble.ts";
import {
  type ConfigFaultCode,
  type ConfigFaultValues,
  configFaultCodes,
} from "../../domain/setup/config-fault-codes.ts";
import type { ConfigurationChange } from "../../domain/watch/configuration.ts";
import { count, namedValues, timeText } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";
import { type Configured, configurationChanges, presentChange } from "./changes.ts";

type Cause = { code: string; values: Readonly<Record<string, string>> };

/** Facts that only a serving process knows. */
export type ProcessPorts = {
  readProcess: () => {
    version: string;
    node: string;
    startedAt: Date;
    parts: { name: string; trouble: string | null; causes: readonly Cause[] }[];
  };
  /** Reads what has to be done before the process can start again. */
  readSetup: () => Promise<{
    /** The migrations of this version. */
    shippedMigrations: readonly string[];
    /** The faults of its file and environment at this moment. */
    configFaults: readonly {
      path: string;
      message: string;
      code: ConfigFaultCode;
      values: ConfigFaultValues;
    }[];
  }>;
};

type Ledger = {
  readDatabaseReport: () => Promise<DatabaseReport>;
  readConfiguration: (chains: readonly ChainAssets[]) => Promise<Stored>;
};

type Stored = { version: bigint | null; changes: ConfigurationChange[] };

type Ports = ProcessPorts & Configured & { ledger: Ledger };

const bytes = z.string().meta({ description: "The size in bytes.", examples: ["1048576"] });

const grown = z
  .string()
  .nullable()
  .meta({
    description:
      "The growth a day in bytes, over at most the last 31 days. Null: it was not measured for a day yet.",
    examples: ["52428"],
  });

const configurationFault = z.object({
  path: z.string(),
  message: z.string(),
  code: z.enum(keysOf(configFaultCodes)).meta({ description: meaningsIn(configFaultCodes) }),
  values: namedValues.meta({
    description: "The values in `message`, for a text of your own.",
    examples: [{}],
  }),
});

const shown = z.object({
  version: z.string().meta({ examples: ["0.2.0"] }),
  node: z.string().meta({ examples: ["v24.11.0"] }),
  started_at: timeText,
  parts: z.array(
    z.object({
      name: z.string(),
      trouble: z.string().nullable(),
      causes: z
        .array(
          z.object({
            code: z.string().meta({
              description: `The code of a fault, or another stable word. ${meaningsIn(partTroubles)}`,
              examples: ["not_watched"],
            }),
            values: namedValues.meta({
              description: "The values of the cause, for a text of your own.",
              examples: [{ chain: "ethereum" }],
            }),
          }),
        )
        .meta({ description: "The causes of `trouble`. Empty: there is none." }),
    }),
  ),
  migrations: z.array(z.string()).meta({ examples: [["20261121000000_init"]] }),
  pending_migrations: z.array(z.string()).meta({
    description:
      "The migrations of this version that are not applied. The database is older than the software. Empty: none.",
    examples: [[]],
  }),
  configuration: z
    .object({ version: count.meta({ examples: [1] }), applied_at: timeText })
    .nullable()
    .meta({ description: "The configuration that was applied last. Null: none was." }),
  configuration_faults: z.array(configurationFault).meta({
    description:
      "The faults that the file and the environment have now. With any, the next start is refused.",
    examples: [[{ path: "chains[0].rpc", message: "is required", code: "required", values: {} }]],
  }),
  configuration_changes: z
    .array(
      z.object({
        chain: z.string(),
        asset: z.string().nullable(),
        change: z.string(),
        code: z.enum(keysOf(configurationChanges)).meta({
          description: meaningsIn(configurationChanges),
        }),
      }),
    )
    .meta({
      description:
        "The settings in the file with which this process began that are not applied. Apply them with `config apply`.",
      examples: [
        [
          {
            chain: "ethereum",
            asset: "USDC",
            change: "is watched from now on",
            code: "asset_added",
          },
        ],
      ],
    }),
  database: z.object({
    size_bytes: bytes,
    bytes_a_day: grown,
    tables: z
      .array(
        z.object({
          name: z.string(),
          rows: count.meta({ examples: [120] }),
          bytes,
          bytes_a_day: grown,
        }),
      )
      .meta({ description: "The twenty largest tables, as PostgreSQL estimates them." }),
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
  call: async ({ ledger, configured, readProcess, readSetup }: Ports) => ({
    ...readProcess(),
    ...(await readSetup()),
    changes: (await ledger.readConfiguration(configured)).changes,
    database: await ledger.readDatabaseReport(),
  }),
  answer: shown,
  present: ({ version, node, startedAt, parts, database, ...rest }) => {
    const { configuration, migrations, sizeBytes, tables } = database;
    return {
      version,
      node,
      started_at: startedAt.toISOString(),
      parts: parts.map(({ name, trouble, causes }) => ({
        name,
        trouble,
        causes: causes.map(({ code, values }) => ({ code, values: { ...values } })),
      })),
      migrations,
      pending_migrations: rest.shippedMigrations.filter((name) => !migrations.includes(name)),
      configuration: configuration && {
        version: Number(configuration.version),
        applied_at: configuration.appliedAt.toISOString(),
      },
      configuration_faults: rest.configFaults.map(({ path, message, code, values }) => ({
        path,
        message,
        code,
        values: { ...values },
      })),
      configuration_changes: rest.changes.map((one) => ({
        ...presentChange(one),
        code: one.change,
      })),
      database: {
        size_bytes: String(sizeBytes),
        bytes_a_day: textOf(database.bytesADay),
        tables: tables.map(({ name, rows, bytes: size, bytesADay }) => ({
          name,
          rows,
          bytes: String(size),
          bytes_a_day: textOf(bytesADay),
        })),
      },
    };
  },
});

function textOf(number: bigint | null): string | null {
  return number === null ? null : String(number);
}

/**
 * Shows the process that answers, and its database. Only by HTTP: the command line is no such
 * process.
 */
export const installationHealth = { ...health, cli: null };
