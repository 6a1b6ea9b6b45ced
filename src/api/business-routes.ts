import { businessOf } from "./auth/authenticate.ts";
import type { Web } from "./http/web.ts";
import { answerOnce, type IdempotencyDeps } from "./idempotency.ts";
import { type ApiKeysDeps, apiKeysRoutes } from "./routes/business/api-keys.ts";
import { type AuditDeps, auditRoutes } from "./routes/business/audit.ts";
import { type BalanceDeps, balanceRoutes } from "./routes/business/balance.ts";
import { type ChainsDeps, chainsRoutes } from "./routes/business/chains.ts";
import { type CountsDeps, countsRoutes } from "./routes/business/counts.ts";
import { type CreditChecksDeps, creditChecksRoutes } from "./routes/business/credit-checks.ts";
import { type FeedDeps, feedRoutes } from "./routes/business/feed.ts";
import { type NotificationsDeps, notificationsRoutes } from "./routes/business/notifications.ts";
import { type OpenMattersDeps, openMattersRoutes } from "./routes/business/open-matters.ts";
import { type SearchDeps, searchRoutes } from "./routes/business/search.ts";
import { type SightingsDeps, sightingsRoutes } from "./routes/business/sightings.ts";
import { type StatementsDeps, statementsRoutes } from "./routes/business/statements.ts";
import { totalsRoutes } from "./routes/business/totals.ts";
import { type TransactionsDeps, transactionsRoutes } from "./routes/business/transactions.ts";
import {
  type WalletBalancesDeps,
  walletBalancesRoutes,
} from "./routes/business/wallet-balances.ts";
import { type WalletsDeps, walletsRoutes } from "./routes/business/wallets.ts";
import {
  type WebhookDeliveriesDeps,
  webhookDeliveriesRoutes,
} from "./routes/business/webhook/webhook-deliveries.ts";
import {
  type WebhookSecretsDeps,
  webhookSecretsRoutes,
} from "./routes/business/webhook/webhook-secrets.ts";
import { type WebhooksDeps, webhooksRoutes } from "./routes/business/webhook/webhooks.ts";

export type BusinessDeps = IdempotencyDeps &
  AuditDeps &
  BalanceDeps &
  WalletsDeps &
  WalletBalancesDeps &
  TransactionsDeps &
  SightingsDeps &
  StatementsDeps &
  OpenMattersDeps &
  CreditChecksDeps &
  WebhooksDeps &
  WebhookSecretsDeps &
  WebhookDeliveriesDeps &
  NotificationsDeps &
  FeedDeps &
  ApiKeysDeps &
  ChainsDeps &
  CountsDeps &
  SearchDeps;

/** Adds the routes of a business. The scope's hooks have already identified it. */
export function addBusinessRoutes(scope: Web, deps: BusinessDeps): void {
  answerOnce(scope, deps, businessOf);
  auditRoutes(scope, deps);
  balanceRoutes(scope, deps);
  walletsRoutes(scope, deps);
  walletBalancesRoutes(scope, deps);
  transactionsRoutes(scope, deps);
  sightingsRoutes(scope, deps);
  statementsRoutes(scope, deps);
  totalsRoutes(scope, deps);
  openMattersRoutes(scope, deps);
  creditChecksRoutes(scope, deps);
  webhooksRoutes(scope, deps);
  webhookSecretsRoutes(scope, deps);
  webhookDeliveriesRoutes(scope, deps);
  notificationsRoutes(scope, deps);
  feedRoutes(scope, deps);
  apiKeysRoutes(scope, deps);
  chainsRoutes(scope, deps);
  countsRoutes(scope, deps);
  searchRoutes(scope, deps);
}
