/**
 * Every line that the daemon logs, by level: its event, which is in the field `msg`, and its
 * meaning. A logger accepts no other events. docs/log-events.md is generated from this.
 */
export const logEvents = {
  error: {
    "admin_tokens.refused":
      "A hang-up signal came, and the new operators' tokens are wrong. The old ones stay.",
    "audit.refused": "An entry of the audit trail has no right MAC: Chainbell did not write it.",
    "balance.unproven":
      "A wallet's balance does not show a movement of the coin. The movement waits.",
    "chain.stopped": "A chain stopped. `code` says why, and `remedy` what to do.",
    "claim.failed":
      "A dispatcher could not begin a claim from the queue. The relay gives the claim out again.",
    "daemon.failed": "The daemon ends by a failure. The fields say which.",
    "discrepancy.found":
      "A wallet's balance differs between ledger and chain, and nothing explains it.",
    "disk.unavailable": "PostgreSQL has no room, or does not write.",
    "dispatcher.heartbeat_failed":
      "A dispatcher could not report that it is there. It tries again.",
    "history.checked": "A wallet's history was read, and does not come to its opening balance.",
    "relay.failed": "A step of the relay failed. It is tried again.",
    "request.failed":
      "The API answered with a status from 500. `request_id` of the answer is `requestId` here.",
  },
  warn: {
    "admin.refused": "A request with no right operator's token was refused.",
    "alert.began": "An alert began.",
    "alert.given_up": "Alert messages reached no channel for too long, and are given up.",
    "alert.lasts": "An alert goes on, and is sent again.",
    "alert.look_failed": "A look at the alerts failed. It is tried again.",
    "alert.not_sent": "An alert message did not reach a channel. It is tried again.",
    "audit.not_chained":
      "Entries of the audit trail could not get their place in the chain. It is tried again.",
    "balances.step_failed": "Openings and waiting movements could not be read. It is tried again.",
    "block.agreed": "A block cannot be proved. Two hosts answered the same, and it was taken.",
    "block.not_linked": "A host's old block does not lead to the chain. It is not used.",
    "chain.held": "Something waits for further hosts. `what` and `why` say what and why.",
    "chain.settling_failed": "Development mode could not mine on its chain. It tries again.",
    "chain.state_unreadable":
      "Development mode could not read its chain's state. It kept the file, and took the one before.",
    "claim.lost_while_sending":
      "Attempts ended after their lease, so another process may have sent them too.",
    "claims.expired":
      "Claims were not finished within their lease. Their deliveries are due again.",
    "claims.lost_by_queue":
      "The queue does not have claims that nobody has begun. Their deliveries are due again.",
    "clock.differs": "The clocks of this machine and of PostgreSQL differ by `aheadMs`.",
    "configuration.chains_missing":
      "The ledger has chains that the file does not name. Nobody watches them here.",
    "configuration.older": "The file is older than what was applied. It is not applied.",
    "configuration.pending":
      "The file differs from what was applied. `remedy` says how to apply it.",
    "confirmation.disputed":
      "Two hosts have different blocks at a height that would be confirmed. Nothing is confirmed there.",
    "console.events.failed":
      "The console's event streams could not read what is new. It is tried again.",
    "console.sign_in_refused": "A sign-in by OpenID Connect was refused. `code` says why.",
    "database.clock_not_followed":
      "PostgreSQL's clock could not be compared with its earlier self. It is tried again.",
    "database.clock_set_back":
      "PostgreSQL's clock was set back by `setBackMs`. Waiting work was moved with it.",
    "database.not_analyzed": "A table has no statistics, and this user may not make them.",
    "database.waiting": "PostgreSQL is out of reach at the start. It is tried again.",
    "dispatcher.not_removed":
      "A stopping dispatcher could not sign off. The others notice that within seconds.",
    "endpoint.refused": "An endpoint's answer was refused. `reason` says why.",
    "endpoint.same_address": "Several hosts of a chain have one address.",
    "endpoint.same_host": "Several URLs of a chain are one host, and count as one.",
    "endpoint.switched": "Another endpoint leads. `reason` says why.",
    "endpoint.traces_gone": "An endpoint refuses traces that it gave before.",
    "endpoint.unavailable": "No endpoint of a chain answered at the start. It is tried again.",
    "export.failed":
      "An export or a statement that is sent ended by a failure. Its last lines are missing.",
    "feed.ended": "A stream of the feed ended by a failure. The client goes on from its cursor.",
    "health.not_listening":
      "The port of /health and /metrics is taken. The process works on without it.",
    "held_requests.not_checked":
      "The rights of waiting requests could not be checked. It is tried again.",
    "history.not_linked":
      "A wallet's history could not be read, since a host's blocks do not lead to the chain.",
    "history.not_shown": "A wallet's history could not be read, since nothing shows it.",
    "history.step_failed": "A step of reading histories failed. It is tried again.",
    "installation.made":
      "A verb found no data of development mode in `dataDir`, and made it. Another folder may have yours.",
    "mover.failed":
      "Deliveries could not be moved from a replaced webhook, or queued again. It is tried again.",
    "opening.corrected": "An opening balance was corrected by what the chain proves.",
    "outbox.listening_failed": "PostgreSQL's notices do not arrive. The relay polls meanwhile.",
    "price.failed": "A price could not be read. The last one stays until it is too old.",
    "prices.not_written": "Fixed prices could not be written. It is tried again.",
    "prices.step_failed": "A step of reading prices failed. It is tried again.",
    "pruner.failed": "Old rows could not be removed. It is tried again.",
    "queue.error": "Redis, or the queue in it, reports an error.",
    "queue.watch_failed": "A process could not report what the queue holds. It tries again.",
    "queue.watch_not_ended":
      "A stopping process could not end its report of the queue. It ends by itself.",
    "reconciliation.failed": "A comparison of ledger and chain failed. It is tried again.",
    "relay.heartbeat_failed": "A relay could not report that it is there. It tries again.",
    "relay.not_ended":
      "A stopping relay could not sign off. The others notice that within seconds.",
    "reorg.undone": "The chain replaced blocks, and the ledger has undone them.",
    "replica.not_read": "The read replica is out of reach or behind. The primary answers.",
    "samples.not_noted":
      "The samples for the operator's charts could not be kept. It is tried again.",
    "sightings.step_failed": "A step of reporting sightings failed. It is tried again.",
    "sizes.not_noted": "The sizes of tables could not be noted. It is tried again.",
    "spans.dropped": "The collector did not take spans. They are gone.",
    "spans.not_flushed": "The last spans did not reach the collector before the end.",
    "sweep.failed": "Expired claims could not be freed. It is tried again.",
    "telemetry.warned": "The OpenTelemetry library warns.",
    "token.fails":
      "A token's contract fails when asked for balances. Nothing is known of them until it answers.",
    "traces.missing":
      "No endpoint gives traces. Blocks are read without them, and balances are compared.",
    "transactions.corrected": "Transactions of a block were replaced by what several hosts show.",
    "transactions.found":
      "A comparison with the chain found transactions that were missing or wrong, and wrote them.",
    "upgrade.not_read":
      "A chain will be upgraded, and this version does not read its blocks after that.",
    "watcher.step_failed": "A step of a chain's watcher failed. It is tried again.",
    "webhook.circuit_closed": "A webhook answers again, and gets its notifications at full rate.",
    "webhook.circuit_opened":
      "A webhook does not answer. It gets one notification at a time until it does.",
    "webhook.disabled": "A webhook failed for so long that it was made inactive.",
    "webhook.not_judged":
      "Attempts are on record, but did not count for the health of their webhooks. Later ones do.",
    "witness.passed_over":
      "The other hosts were silent for longer than `witness.patience`. One host's word was taken.",
    "workers.unknown": "Nobody could be asked which parts run elsewhere. It is tried again.",
  },
  info: {
    "admin.acted": "A request with an operator's token changed something.",
    "admin_tokens.reloaded": "A hang-up signal came, and the operators' tokens were read anew.",
    "alert.resolved": "An alert ended.",
    "alert.sent": "An alert message reached a channel.",
    "asset.opening": "Wallets begin to hold a new asset. Their openings follow in batches.",
    "attempts.forgotten": "Retention removed attempts.",
    "balances.proved": "Movements that waited for their balances are proved, or waiting still.",
    "block.committed": "A block with something of ours was written.",
    "blocks.confirmed": "Blocks were confirmed although no new one came.",
    "catch_up.finished": "A chain has caught up.",
    "catch_up.progress":
      "A chain catches up. The fields have its position, its speed and the rest.",
    "catch_up.started": "A chain is far behind its head, and is read in ranges.",
    "chain.discovered":
      "Blocks of an unknown chain show how its headers and receipts can be proved.",
    "chain.joined": "Development mode uses the chain that another process started.",
    "chain.released": "Something that waited for further hosts waits no longer.",
    "chain.resumed": "A stopped chain goes on.",
    "chain.started":
      "A chain is watched from its first position on. In development mode also: its chain was started.",
    "chain.stopped": "Development mode stopped its chain.",
    "claims.not_begun":
      "A dispatcher gave back deliveries that it had not begun. It stops, or a webhook was paused.",
    "configuration.applied": "The file was applied, with these changes.",
    "daemon.ready": "The daemon is ready.",
    "daemon.stopped": "The daemon has ended in order.",
    "daemon.stopping": "The daemon ends: a signal came.",
    "database.analyzed": "Tables without statistics have them now.",
    "database.migrated": "Migrations were applied.",
    "delivery.attempted":
      "A receiver did not accept a notification. The fields have the outcome and the next attempt.",
    "difference.explained":
      "A balance differed between ledger and chain, and what was found explains it.",
    "export.ended":
      "An export or a statement that is sent ended early. `reason` says whether its key ended or its client left.",
    "history.checked": "A wallet's history was read, and comes to its opening balance.",
    "movements.settled": "A waiting movement is settled. `by` says what showed it.",
    "notifications.forgotten": "Retention removed notifications.",
    "openings.recorded": "Opening balances of wallets were read and written.",
    "outbox.polled": "A connection pooler passes no notices on. The relay polls.",
    "postgres.joined": "Development mode uses the PostgreSQL that another process started.",
    "postgres.started": "Development mode started its PostgreSQL.",
    "postgres.stopped": "Development mode stopped its PostgreSQL.",
    "reconciliation.done": "Ledger and chain were compared.",
    "request.answered": "A request was answered.",
    "sightings.forgotten": "Retention removed sightings.",
    "traces.returned": "Endpoints give traces again.",
    "wallets.left": "Removed wallets are empty, and are watched no longer.",
    "webhooks.forgotten": "Retention removed replaced webhooks.",
  },
  debug: {
    "alert.lease_not_released":
      "A stopping process could not give back its lease of the alerts. It ends by itself.",
    "alert.looked": "The alerts were looked at.",
    "alert.not_sent": "An alert message did not reach a channel, again.",
    "block.committed": "A block without anything of ours was written.",
    "claims.enqueued": "Claims of due deliveries went to the queue.",
    "clock.not_compared": "PostgreSQL's clock could not be asked. It is tried again.",
    "deliveries.moved": "Deliveries of a replaced webhook were moved to the one in its place.",
    "deliveries.recovered": "A batch of a recovery was queued again.",
    "delivery.attempted": "A receiver accepted a notification.",
    "endpoint.lagging": "The endpoint's head is below the position. It is waited for.",
    "generation.not_read":
      "The database could not be asked for a later release. It is tried again.",
    "history.read": "Blocks of a wallet's history were read.",
    "lease.not_released":
      "A stopping process could not give back its lease of a chain or of prices. It ends by itself.",
    "outbox.not_signalled": "A stopping process could not wake the relay. The relay polls.",
    "prices.refreshed": "Prices were read.",
    "range.committed": "A range of blocks was written.",
    "reading.not_written":
      "A chain's state for the status could not be written. It is tried again.",
    "request.answered": "A request of a health check or of Prometheus was answered.",
    "symbol.not_read": "A token's contract could not be asked for its symbol. None is shown.",
    "work.not_looked_for":
      "The database could not be asked for work that waits. It is tried again.",
  },
} as const;

type EventsOf = {
  error: keyof typeof logEvents.error;
  warn: keyof typeof logEvents.warn;
  info: keyof typeof logEvents.info;
  debug: keyof typeof logEvents.debug;
};

/** The levels at which the daemon logs. */
export type EventLevel = keyof EventsOf;

/** The events of a level. */
export type LogEvent<Level extends EventLevel = EventLevel> = EventsOf[Level];
