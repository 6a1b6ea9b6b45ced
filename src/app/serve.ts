import { fileURLToPath } from "node:url";
import type { ApiDeps } from "../api/api.ts";
import { createOpenStreams } from "../api/http/open-streams.ts";
import { testWebhook } from "../api/routes/business/webhook/test-webhook.ts";
import { type ApiServer, createApiServer } from "../api/server.ts";
import { assignListeners, type Serves } from "../api/serves.ts";
import {
  fromPrimary,
  type ListLedger,
  type ReadFrom,
  type ReadLists,
} from "../domain/business/list-reader.ts";
import { failedCredentialLimit, workLimits } from "../domain/business/rate-limit.ts";
import { longestSendMs } from "../domain/delivery/claim.ts";
import type { NotificationEvent } from "../domain/delivery/notification.ts";
import type {
  NotificationDetail,
  RecordedAttempt,
} from "../domain/delivery/recorded-notification.ts";
import { faultIn } from "../domain/fault.ts";
import { auditedForBusiness, createBusinessLedger } from "../ledger/business-ledger.ts";
import { recordAudit } from "../ledger/businesses/audit.ts";
import { auditKeyOf, useAuditKey } from "../ledger/businesses/audit-key.ts";
import { auditedForConsole, createConsoleLedger } from "../ledger/console-ledger.ts";
import { listMigrations } from "../ledger/installation/migrate.ts";
import { type Database, openDatabase } from "../ledger/postgres/database.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { closing, type Service } from "../runtime/service.ts";
import { shippedFile } from "../runtime/shipped-file.ts";
import type { Wakes } from "../runtime/wakes.ts";
import { createTargetCheck } from "../webhook/check-target.ts";
import { makeAgain } from "../webhook/make-again.ts";
import { createResolveHost } from "../webhook/resolve-host.ts";
import { decryptOf, type MeasuredBase, openSender, userAgentOf } from "./base.ts";
import { createCompareChain } from "./compare-chain.ts";
import { createOwnersTurn } from "./environment/pools.ts";
import { createReplicaReader } from "./environment/read-replica.ts";
import { createSigning } from "./environment/signing.ts";
import { adminVerbs } from "./operator.ts";
import { requiredConfirmationsOf } from "./required-confirmations.ts";

/** The pages of the console, which `npm run build` makes. */
const consoleFolder = fileURLToPath(shippedFile("dist/console"));

export type Served = {
  /** The services that the servers need. Start them before the servers. */
  parts: Service[];
  /** The URL of the API, or of health and metrics alone. Null: neither is served. */
  url: () => string | null;
  /** The server of the console, which may be the API's own. Null: it is not served. */
  console: ApiServer | null;
  /** The operators' own listener. Null: there is none. */
  operator: ApiServer | null;
  /** All of these servers, each once, as parts of the daemon. */
  servers: Service[];
};

/**
 * Serves the API and the operator's routes. Without the api role, it serves only health and
 * metrics.
 * @param beside.services the parts whose health it shows
 * @param beside.notified tells which businesses have new notifications
 */
export function serve(base: MeasuredBase, beside: Beside): Served {
  const deps = depsOf(base, beside);
  const { host, port, consolePort, operatorPort, operatorHost, hasConsole, roles } = base.config;
  const business = roles.has("api");
  const shares = assignListeners({
    business,
    console: hasConsole ? (consolePort === null ? "beside" : "alone") : "nowhere",
    isOperatorAlone: operatorPort !== null,
  });
  const server = (
    serves: Serves | null,
    listen: { host: string; port: number | null; setBy: { host: string; port: string } },
  ) =>
    serves === null
      ? null
      : createApiServer(deps.api, { ...listen, port: listen.port ?? port }, serves);
  const main = createApiServer(deps.api, { host, port }, shares.main);
  const own = server(shares.console, {
    host,
    port: consolePort,
    setBy: { host: "HOST", port: "CONSOLE_PORT" },
  });
  const operator = server(shares.operator, {
    host: operatorHost,
    port: operatorPort,
    setBy: { host: "OPERATOR_HOST", port: "OPERATOR_PORT" },
  });
  const others = [own, operator].filter((one) => one !== null);
  // Without the api role an operator's port alone is enough.
  const isMainServed = business || base.config.isPortGiven || operator === null;
  return {
    parts: deps.parts,
    url: urlOf(main),
    console: own ?? (shares.main.has("console") ? main : null),
    operator,
    servers: [...(isMainServed ? [main] : []), ...others].map((one) =>
      business ? one : ifItCan(one, base),
    ),
  };
}

const urlOf = (server: ApiServer) => () =>
  server.trouble() === null ? server.address().url : null;

/**
 * Only warns if its port is in use: several processes of one machine may have the same port. Such a
 * process does its work without a server for its health.
 */
function ifItCan(server: Service, { log }: MeasuredBase): Service {
  return {
    ...server,
    async start() {
      await server.start().catch((error: unknown) => {
        if (faultIn(error)?.code !== "port_in_use") throw error;
        log.warn({ error }, "health.not_listening");
      });
    },
    trouble: () => null,
  };
}

type Beside = { services: () => Service[]; notified: Wakes };

function depsOf(base: MeasuredBase, { services, notified }: Beside) {
  const { config, db, log, metrics, version } = base;
  const requiredConfirmations = requiredConfirmationsOf(config.chains);
  const chainNames = config.chains.map((chain) => chain.name);
  const redact = base.redaction.text;
  const startedAt = new Date(clock.now());
  const ledger = createBusinessLedger(db);
  const { readLists, readIn, replica } = listsOf(base, ledger);
  const sender = openSender(base);
  const decrypt = decryptOf(base);
  const api: ApiDeps = {
    ...ledger,
    sign: createSigning({ db, config }).sign,
    readLists,
    followNotified: notified.follow,
    streams: createOpenStreams(metrics.answersHeld),
    rateLimit: config.rateLimit,
    workLimits,
    accessTokenLifetimeS: Math.floor(config.accessTokenLifetimeMs / 1_000),
    requiredConfirmations,
    chainNames,
    normaliseTarget: createTargetCheck({
      policy: config.webhooks.targets,
      resolve: createResolveHost(),
      timeoutMs: longestSendMs,
    }),
    testWebhook: (name: { businessId: string; webhookId: string }, event: NotificationEvent) =>
      testWebhook({ ledger, sender, decrypt, clock }, name, event),
    makeAgain: (of: NotificationDetail, attempt: RecordedAttempt) =>
      makeAgain(of, attempt, { userAgent: userAgentOf(version), decrypt }),
    webhookOrigins: config.webhooks.origins,
    mostWebhooks: config.mostWebhooks,
    keyring: config.encryptionKeys,
    adminTokens: base.adminTokens,
    audited: auditedForBusiness(db),
    recordRefusal: ({ address }: { address: string }) =>
      recordAudit(
        db,
        { name: "unknown", via: "http", address },
        { action: "admin.refused", subject: null, details: {} },
      ),
    failedCredentialLimit,
    trustedProxies: config.trustedProxies,
    allowedOrigins: config.allowedOrigins,
    adminVerbs: adminVerbs(db, {
      chainNames,
      clock,
      readIn,
      compareChain: createCompareChain(base),
      requiredConfirmations,
      readProcess: () => {
        const { services: parts } = healthOf(services(), redact);
        return { version, node: process.version, startedAt, parts };
      },
      configured: base.configured,
      async readSetup() {
        const faults = await base.findConfigFaults();
        const configFaults = faults.map(({ path, message, code = "invalid", values = {} }) => ({
          path,
          message: redact(message),
          code,
          values: redacted(values, redact),
        }));
        return { shippedMigrations: await listMigrations(), configFaults };
      },
    }),
    console: config.hasConsole ? consoleOf(base) : null,
    metrics,
    version,
    health: () => healthOf(services(), redact),
    redact,
    clock,
    log,
  };
  return { api, parts: [closing("test sender", sender.close), ...replica] };
}

/** The sessions for lists on a replica, in addition to those on the primary. */
const readSessions = 8;

/**
 * Chooses where lists of businesses and operators are read: from the configured replica, else from
 * the database itself.
 */
function listsOf({ config, db, log }: MeasuredBase, ledger: ListLedger) {
  const { databaseReadUrl, databaseReadStalenessMs: maxStalenessMs, roles } = config;
  if (databaseReadUrl === null || !roles.has("api"))
    return { readLists: fromPrimary(ledger), readIn: fromPrimary(db), replica: [] };
  const read = openDatabase({
    databaseUrl: databaseReadUrl,
    poolSize: readSessions,
    kind: "request",
    turn: createOwnersTurn(readSessions, config.rateLimit),
  });
  useAuditKey(read, auditKeyOf(db));
  const reader = createReplicaReader({
    primary: { db, ledger: { db, lists: ledger } },
    replica: { db: read, ledger: { db: read, lists: createBusinessLedger(read) } },

    maxStalenessMs,
    log,
  });
  const readLists: ReadLists = (question, maxMs) =>
    reader.readLists(({ lists }) => question(lists), maxMs);
  const readIn: ReadFrom<Database> = (question, maxMs) =>
    reader.readLists((at) => question(at.db), maxMs);
  return { readLists, readIn, replica: [reader.service] };
}

function consoleOf({ db, config }: MeasuredBase): ApiDeps["console"] {
  return {
    ledger: createConsoleLedger(db),
    audited: auditedForConsole(db),
    operatorSignIn: config.operatorSignIn,
    folder: consoleFolder,
    isDevelopment: config.mode === "development",
  };
}

/** The most characters of one part's trouble that are shown. The log has the whole text. */
const longestTrouble = 500;

/**
 * Anyone may read the health. A part's trouble may quote a database or an endpoint, so it is
 * redacted and shortened.
 */
function healthOf(services: Service[], redact: (text: string) => string) {
  const shown = services.map((service) => {
    const trouble = service.trouble();
    const shortened = (said: string) => redact(said).slice(0, longestTrouble);
    return {
      name: service.name,
      trouble: trouble === null ? null : shortened(trouble.message),
      causes: (trouble?.causes ?? []).map(({ code, values, error }) => {
        const fault = faultIn(error);
        return fault === undefined
          ? { code, values: redacted(values, shortened) }
          : { code: fault.code, values: {} };
      }),
    };
  });
  return { ready: shown.every(({ trouble }) => trouble === null), services: shown };
}

function redacted(values: Readonly<Record<string, string>>, redact: (text: string) => string) {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, redact(text)]));
}
