import type { ErrorGuide } from "./error-guide.ts";
import { remedyOf } from "./remedy.ts";

/** The guide to the faults that the operator's configuration or a defect of Chainbell causes. */
export const setupGuide = {
  invalid_configuration: [
    "operator",
    "no",
    "The configuration file or a variable of the environment is wrong.",
    "Correct each line that the message names; `config check` finds them all.",
  ],
  database_refused: [
    "operator",
    "no",
    "PostgreSQL refuses the connection or a needed right.",
    "Correct `DATABASE_URL`, or the rights of its role.",
  ],
  queue_refused: [
    "operator",
    "no",
    "The queue refuses the connection, or cannot work as configured.",
    "Correct `REDIS_URL` or `DATABASE_DIRECT_URL`.",
  ],
  database_too_new: [
    "operator",
    "no",
    "A newer version of Chainbell has migrated the database.",
    "Run the newer version.",
  ],
  older_release_running: [
    "operator",
    "no",
    "A process of an older release still works with the database.",
    "End every process of the older release, then start again.",
  ],
  database_not_migrated: [
    "operator",
    "no",
    "The database lacks migrations of this version.",
    "Run `chainbell migrate`, or start the daemon as the owner of the tables.",
  ],
  migration_failed: [
    "operator",
    "no",
    "A migration failed or was changed; nothing of it was applied.",
    "Read the cause in the log, correct it, and start again.",
  ],
  wrong_chain_id: [
    "operator",
    "no",
    "An endpoint or the ledger has another chain id than the configuration.",
    remedyOf("wrong_chain_id"),
  ],
  wrong_genesis: [
    "operator",
    "no",
    "The endpoints serve a chain with another first block than the ledger's, or than the public chain of that `chain_id`.",
    remedyOf("wrong_genesis"),
  ],
  chain_stopped: [
    "operator",
    "no",
    "The chain has replaced blocks below everything that the ledger remembers.",
    remedyOf("chain_stopped"),
  ],
  block_unreadable: [
    "operator",
    "no",
    "This version cannot prove a block of the chain.",
    remedyOf("block_unreadable"),
  ],
  asset_decimals_changed: [
    "operator",
    "no",
    "The configuration changes the decimals of an asset that has entries.",
    "Put the former decimals back.",
  ],
  port_in_use: [
    "operator",
    "no",
    "Another process listens on the port, or the address is not this machine's.",
    "Set the variable that the message names, or stop the other process.",
  ],
  wrong_encryption_key: [
    "operator",
    "no",
    "`CHAINBELL_ENCRYPTION_KEY` lacks a key that the database is used with.",
    "Set the keys that this database was used with.",
  ],
  data_directory_in_use: [
    "operator",
    "no",
    "Another daemon works in this data directory.",
    "Stop it, or set `CHAINBELL_DATA_DIR` to another directory.",
  ],
  embedded_postgres_failed: [
    "operator",
    "no",
    "The embedded PostgreSQL of development mode does not start.",
    "Follow the message, or set `DATABASE_URL`.",
  ],
  local_chain_failed: [
    "operator",
    "no",
    "The local chain of development mode does not run or refuses.",
    "Start development mode, or follow the message.",
  ],
  printing_failed: [
    "operator",
    "no",
    "No Chromium of this machine printed the PDF.",
    "Install `chromium`, or set `CHAINBELL_CHROMIUM` to its path.",
  ],
  invariant_broken: [
    "Chainbell",
    "later",
    "A promise of the code does not hold. Callers see `internal_error`.",
    "Report it with the log.",
  ],
} as const satisfies Record<string, ErrorGuide>;
