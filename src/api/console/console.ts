import type { FastifyRequest } from "fastify";
import type { AuditedForConsole, ConsoleLedger } from "../../domain/console/console-ledger.ts";
import { credentialOf, type OperatorSignIn } from "../../domain/console/operator-sign-in.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Administrators } from "../auth/administrator.ts";
import type { Authentication } from "../auth/authenticate.ts";
import { businessOf } from "../auth/authenticate.ts";
import type { FailedCredentials } from "../auth/failed-credentials.ts";
import { businessOwnerOf } from "../auth/owner.ts";
import type { Limits } from "../auth/rate-limit.ts";
import { createTrusted } from "../auth/trusted.ts";
import { actFor } from "../http/act-for.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import { addScope } from "../http/scope.ts";
import type { Web } from "../http/web.ts";
import { createBackground } from "./background.ts";
import { createSessionCookie, createSignInCookies } from "./cookie.ts";
import { eventsRoutes } from "./events.ts";
import { createConsoleGuard } from "./guard.ts";
import { createIdentityProvider } from "./identity-provider.ts";
import { openIdRoutes } from "./openid-routes.ts";
import { pagesRoutes } from "./pages.ts";
import { sessionRoutes } from "./session-routes.ts";

/** The needs of the console alone, not of the API. */
export type ConsoleDeps = {
  ledger: ConsoleLedger;
  audited: AuditedForConsole;
  /** Null: operators sign in only with admin tokens. */
  operatorSignIn: OperatorSignIn | null;
  /** The folder of the built pages. */
  folder: string;
  isDevelopment: boolean;
  /** The pause between two looks for changes, in ms. Left out: one second. */
  eventsPauseMs?: number;
};

/** The parts that the console shares with the API. */
export type Shared = {
  authentication: Authentication;
  administrators: Administrators;
  failed: FailedCredentials;
  /**
   * Counts wrong answers of an identity provider. Separate from wrong keys, so that a wrong key of
   * somebody else does not count here. No answer is exempt, since its owner is not known
   * beforehand.
   */
  failedAnswers: FailedCredentials;
  limits: Limits;
  /** The open streams of the console and the API together. */
  streams: OpenStreams;
  /** Add the same routes of businesses and of operators as the API has. */
  addBusinessRoutes: (scope: Web) => void;
  addAdminRoutes: (scope: Web) => void;
  version: string;
  clock: Pick<Clock, "now" | "elapsed">;
  log: Logger;
};

/** The prefix of the API's routes for callers with a session. */
const apiPrefix = "/console/api";

/**
 * Adds the console (docs/console.md): its pages, its sessions, and the API's routes under
 * /console/api, where a session is the credential. The OpenAPI document has none of these routes.
 */
export function consoleRoutes(web: Web, deps: ConsoleDeps, shared: Shared): void {
  const { addBusinessRoutes, addAdminRoutes, ...others } = shared;
  const { streams, failed, clock, log } = shared;
  const secrets = createTrusted({
    listUsed: (since) => deps.ledger.listUsedSecrets(since, new Date(clock.now())),
    failed,
    clock,
  });
  const known = { ...others, secrets };
  const cookie = createSessionCookie(deps);
  const { operatorSignIn } = deps;
  const openIdCredential = operatorSignIn && credentialOf(operatorSignIn);
  const guard = createConsoleGuard({ ...known, ...deps.ledger, cookie, openIdCredential });
  web.addHook("onRoute", (route) => {
    route.schema = { ...route.schema, hide: true };
  });
  openIdRoutes(web, {
    ...known,
    ...deps,
    ...deps.ledger,
    cookie,
    onTheWay: createSignInCookies(deps),
    signIn: operatorSignIn && {
      ...operatorSignIn,
      provider: createIdentityProvider(operatorSignIn),
    },
  });
  sessionRoutes(web, { ...known, ...deps, ...deps.ledger, cookie, guard });
  const background = createBackground();
  addScope(web, "/api", (scope) => {
    background.addTo(scope, businessOf);
    scope.addHook("onRequest", async (request: FastifyRequest) => {
      // Uses the route: the text of a URL can be written in several ways.
      await guard.business(request, (request.routeOptions.url ?? "").slice(apiPrefix.length));
      await known.limits.request(request);
    });
    actFor(scope, businessOwnerOf);
    addBusinessRoutes(scope);
  });
  addScope(web, "/api/admin", (scope) => {
    background.addTo(scope, () => "operators");
    scope.addHook("onRequest", guard.operator);
    addAdminRoutes(scope);
  });
  const pauseMs = deps.eventsPauseMs;
  eventsRoutes(web, { ...deps.ledger, guard, streams, clock, pauseMs, log });
  pagesRoutes(web, deps);
}
