export type { FeedOptions } from "./feed/ask-feed.ts";
export {
  type ConsumeOptions,
  consume,
  type FeedGap,
  type FeedPage,
  type FeedStore,
} from "./feed/consume.ts";
export { FeedFault, type FeedFaultCode } from "./feed/feed-fault.ts";
export { type DeliveryGap, type FillOptions, fillGaps } from "./gaps/fill-gaps.ts";
export type { HandledPlace, HandledStore, Hole } from "./gaps/handled-store.ts";
export { type FastifyLike, fastifyWebhooks } from "./handlers/fastify.ts";
export { fetchHandler, honoHandler } from "./handlers/fetch.ts";
export {
  expressHandler,
  type NodeHandler,
  type NodeRequest,
  nodeHandler,
} from "./handlers/node.ts";
export type { HeadersIn } from "./headers.ts";
export type {
  BalanceData,
  BalanceEvent,
  Notification,
  NotificationData,
  TokenData,
  TokenEvent,
  TransactionEvent,
} from "./notification.ts";
export type { Answer, Receive, ReceiverOptions } from "./receive.ts";
export { createReceive } from "./receive.ts";
export { type RefusalCode, RefusedWebhook } from "./refusal.ts";
export { type Claim, type Memory, rememberInProcess } from "./remember.ts";
export { events, isEvent, schemas } from "./schema.ts";
export { type VerifyOptions, verify } from "./verify.ts";
