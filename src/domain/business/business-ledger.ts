import type { ChainHeights } from "../chain/chain-status.ts";
import type {
  ChangedLine,
  CheckedLine,
  CreditCheck,
  LinesAsked,
  LinesPage,
  ReceivedCredits,
  SentCredits,
  SettledCredits,
} from "../credits/credit-check.ts";
import type { RecoveryAsked, RecoveryPreview } from "../delivery/delivery.ts";
import type { FeedAsked, FeedPage } from "../delivery/feed.ts";
import type { NotificationEvent } from "../delivery/notification.ts";
import type {
  FullNotification,
  ListedNotification,
  NotificationDetail,
  NotificationName,
  NotificationsAsked,
} from "../delivery/recorded-notification.ts";
import type { DeliveryRecovery, RecoveryName } from "../delivery/recovery.ts";
import type { SentTest, TestNotification } from "../delivery/test-notification.ts";
import type { TransactionDetail } from "../delivery/transaction-detail.ts";
import type { AsOf, OpeningEntry, WalletBalancesAt } from "../evidence/balances-at.ts";
import type { StatementLedger } from "../evidence/made-statement.ts";
import type { OpenMatter, OpenMattersAsked } from "../evidence/open-matter.ts";
import type { Holdings } from "../money/holding.ts";
import type {
  ListedTransaction,
  RecordedTransaction,
  TransactionsAsked,
} from "../money/recorded-transaction.ts";
import type { Sighting, SightingsAsked } from "../money/sighting.ts";
import type { NewThreshold, Threshold } from "../money/threshold.ts";
import type { Page, PageRequest } from "../page.ts";
import type { NewWallet, Wallet, WalletFilter } from "../watch/wallet.ts";
import type {
  NewSecret,
  NewWebhook,
  Registered,
  Rotated,
  Rotation,
  WebhookChange,
  WebhookInOrder,
  WebhookName,
  WebhookRegistration,
} from "../webhook/registration.ts";
import type { ApiKey, IssuedToken, KeyHolder, NewApiKey } from "./api-key.ts";
import type { AuditEntry } from "./audit.ts";
import type { IdempotencyLedger } from "./idempotency.ts";
import type { NotificationCounts, NotificationCountsAsked } from "./notification-counts.ts";
import type { RateLimit, TokensTaken } from "./rate-limit.ts";
import type { Found, Search } from "./search.ts";
import type { Total, TotalsAsked } from "./totals.ts";
import type { TransactionCount, TransactionCountsAsked } from "./transaction-counts.ts";

/**
 * The methods of the ledger that the API needs for a business. Each method is one transaction or
 * one query. It fails with Fault `database_unavailable` if the database is out of reach. Things of
 * another business are not found. The full contract of a method is at the function of that name in
 * src/ledger.
 */
export type BusinessLedger = Omit<Methods, Change>;

/**
 * The changes that a business makes. Each is a step of the transaction that writes its entry in the
 * audit trail.
 */
export type BusinessChanges = Pick<Methods, Change>;

type Change =
  | "addOwnWallets"
  | "setThresholds"
  | "finishCredits"
  | "createApiKey"
  | "revokeOwnApiKey"
  | "registerWebhook"
  | "addWebhook"
  | "changeWebhook"
  | "deleteWebhook"
  | "rotateSecret"
  | "finishRotation"
  | "beginRecovery"
  | "redeliver";

type Methods = IdempotencyLedger &
  StatementLedger & {
    /** The holder of a key, by the key's digest or id; null: nobody has it. */
    findKeyHolder: (key: { digest: string } | { id: string }) => Promise<KeyHolder | null>;
    /** The digests of the keys used since a moment, at most the ten thousand used last. */
    listUsedKeys: (since: Date) => Promise<{ digest: string; usedAt: Date }[]>;
    /** True if an access token was ended before it expires. */
    isTokenEnded: (id: string) => Promise<boolean>;
    /** The ids of those of these keys and tokens that do not work at a moment. */
    findClosed: (asked: {
      keyIds: readonly string[];
      tokenIds: readonly string[];
      at: Date;
    }) => Promise<Set<string>>;
    endToken: (token: { id: string; expiresAt: Date }) => Promise<void>;
    recordToken: (token: IssuedToken & { keyId: string }) => Promise<void>;
    /** The tokens of a key that are valid at a moment. */
    listTokens: (
      asked: { keyId: string; at: Date },
      page: PageRequest,
    ) => Promise<Page<IssuedToken>>;
    /** @throws Fault `token_not_found` */
    endListedToken: (asked: { id: string; keyId: string; at: Date }) => Promise<void>;
    /** Takes tokens from the bucket that all processes share. */
    takeTokens: (asked: {
      bucket: string;
      wanted: number;
      limit: RateLimit;
    }) => Promise<TokensTaken>;
    /** The entries of the audit trail that are about the business. */
    readAudit: (businessId: string, page: PageRequest) => Promise<Page<AuditEntry>>;
    /** The things that an identifier or a part of a text names, at most ten of each kind. */
    search: (asked: Search) => Promise<Found[]>;
    /** The progress of the chains. `nowMs` is in ms since the epoch. */
    readChainHeights: (nowMs: number) => Promise<ChainHeights[]>;
    countTransactions: (asked: TransactionCountsAsked) => Promise<TransactionCount[]>;
    countNotifications: (asked: NotificationCountsAsked) => Promise<NotificationCounts>;
    listApiKeys: (businessId: string, page: PageRequest) => Promise<Page<ApiKey>>;
    createApiKey: (key: NewApiKey) => Promise<ApiKey>;
    /** @throws Fault `api_key_not_found` */
    revokeOwnApiKey: (asked: { businessId: string; id: string }) => Promise<ApiKey>;
    /** @throws Fault `scope_missing`, `limit_reached`, `wallet_exists`, `address_refused` */
    addOwnWallets: (addition: {
      businessId: string;
      keyId: string;
      wallets: readonly NewWallet[];
    }) => Promise<Wallet[]>;
    /** @throws Fault `wallet_not_found`, `invalid_request` */
    setThresholds: (setting: {
      businessId: string;
      walletId: string;
      thresholds: readonly NewThreshold[];
    }) => Promise<{ thresholds: Threshold[] }>;
    readThresholds: (walletId: string) => Promise<Threshold[]>;
    /** The notifications after a place in each stream, in the order of the streams. */
    readFeed: (asked: FeedAsked) => Promise<FeedPage>;
    readHoldings: (businessId: string) => Promise<Holdings>;
    readWallets: (filter: WalletFilter, page: PageRequest) => Promise<Page<Wallet>>;
    /** @throws Fault `wallet_not_found`, `invalid_request`, `state_unavailable` */
    readWalletBalancesAt: (asked: {
      businessId: string;
      walletId: string;
      at: AsOf;
    }) => Promise<WalletBalancesAt>;
    /** @throws Fault `wallet_not_found` */
    readOpenings: (asked: { businessId: string; walletId: string }) => Promise<OpeningEntry[]>;
    /** @throws Fault `wallet_not_found`, `chain_not_found`, `invalid_request` */
    readTotals: (asked: TotalsAsked) => Promise<Total[]>;
    readKnownMatters: (asked: OpenMattersAsked) => Promise<OpenMatter[]>;
    /** @throws Fault `reconciliation_running`, `invalid_request` */
    receiveCredits: (sent: SentCredits) => Promise<ReceivedCredits>;
    abandonCredits: (checkId: string) => Promise<void>;
    /** @throws Fault `invalid_request` */
    settleCredits: (
      received: ReceivedCredits,
      period: { from: Date | null; to: Date | null },
    ) => Promise<SettledCredits>;
    /** @throws Fault `reconciliation_not_found`, as does every method that names a run */
    finishCredits: (settled: SettledCredits) => Promise<CreditCheck>;
    readCreditChecks: (businessId: string, page: PageRequest) => Promise<Page<CreditCheck>>;
    readCreditCheck: (name: { businessId: string; checkId: string }) => Promise<CreditCheck>;
    readCreditLines: (asked: LinesAsked) => Promise<LinesPage<CheckedLine>>;
    readCreditChanges: (asked: LinesAsked) => Promise<LinesPage<ChangedLine>>;
    readTransactions: (asked: TransactionsAsked) => Promise<Page<ListedTransaction>>;
    /** The same page with all fields of each transaction. */
    readRecordedTransactions: (asked: TransactionsAsked) => Promise<Page<RecordedTransaction>>;
    /** @throws Fault `transaction_not_found` */
    readTransaction: (asked: {
      businessId: string;
      transactionId: string;
    }) => Promise<TransactionDetail>;
    readSightings: (asked: SightingsAsked) => Promise<Page<Sighting>>;
    registerWebhook: (registration: NewWebhook) => Promise<Registered>;
    /** @throws Fault `limit_reached` */
    addWebhook: (registration: NewWebhook) => Promise<Registered>;
    /** @throws Fault `webhook_not_found`, as does every method that names a webhook */
    readWebhook: (businessId: string) => Promise<WebhookInOrder>;
    readWebhooks: (businessId: string) => Promise<WebhookInOrder[]>;
    changeWebhook: (name: WebhookName, change: WebhookChange) => Promise<WebhookRegistration>;
    deleteWebhook: (name: WebhookName) => Promise<{ cancelled: number }>;
    rotateSecret: (name: WebhookName, rotation: NewSecret) => Promise<Rotated>;
    finishRotation: (name: WebhookName) => Promise<Rotation>;
    /** @throws Fault `webhook_inactive`, `recovery_running` */
    beginRecovery: (name: WebhookName, asked: RecoveryAsked) => Promise<DeliveryRecovery>;
    readRecoveries: (name: WebhookName, page: PageRequest) => Promise<Page<DeliveryRecovery>>;
    /** @throws Fault `recovery_not_found` */
    readDeliveryRecovery: (name: RecoveryName) => Promise<DeliveryRecovery>;
    previewRecovery: (name: WebhookName, asked: RecoveryAsked) => Promise<RecoveryPreview>;
    /** @throws Fault `rate_limited` */
    beginTest: (name: WebhookName, event: NotificationEvent) => Promise<TestNotification>;
    recordTest: (test: SentTest) => Promise<void>;
    readNotifications: (asked: NotificationsAsked) => Promise<Page<ListedNotification>>;
    /** The same page with the facts of each transaction. */
    readFullNotifications: (asked: NotificationsAsked) => Promise<Page<FullNotification>>;
    /** @throws Fault `notification_not_found` */
    readNotification: (name: NotificationName) => Promise<NotificationDetail>;
    /** @throws Fault `notification_not_found`, `webhook_inactive`, `delivery_in_flight` */
    redeliver: (
      asked: NotificationName & { webhookId?: string | undefined },
    ) => Promise<{ deliveryId: string }>;
  };
