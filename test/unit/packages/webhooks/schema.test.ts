import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { events, schemas } from "../../../../packages/webhooks/src/schema.ts";
import { statuses } from "../../../../packages/webhooks/src/statuses.ts";
import {
  balanceNotificationBody,
  type NotificationEvent,
  notificationBody,
  notificationEvents,
} from "../../../../src/domain/delivery/notification.ts";
import { testBodyOf } from "../../../../src/domain/delivery/sample-notification.ts";
import { sightingNotificationBody } from "../../../../src/domain/delivery/sighting-notification.ts";
import { keysOf } from "../../../../src/domain/keys-of.ts";
import { notifiedTypes } from "../../../../src/domain/money/transaction.ts";
import { notificationSchema } from "../../../../src/schema/notification.ts";
import { inCheckout } from "../../../support/checkout.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const id = "01a1fbc6-c76e-721e-8ff9-feb2f46761c3";
const known = keysOf(notificationEvents);
const transactionStates = ["confirmed", "reversed", "pending", "dropped"] as const;

/** Does not compile while the package lacks an event, or has another status for it. */
const sent: { [Event in NotificationEvent]: (typeof notificationEvents)[Event]["state"] } =
  statuses;

test("the package knows exactly the events that Chainbell sends (vitest -u writes its table)", async () => {
  const table = known.map((event) => `  "${event}": "${notificationEvents[event].state}",`);
  await expect(
    [
      "// Made from the events that Chainbell sends: see test/unit/packages/webhooks/schema.test.ts.",
      "/** The events that this version knows, each with the status of its data. */",
      "export const statuses = {",
      ...table,
      "} as const;\n",
    ].join("\n"),
  ).toMatchFileSnapshot(inCheckout("packages", "webhooks", "src", "statuses.ts"));
  expect([...events].sort()).toEqual([...known].sort());
  for (const event of events) expect(sent[event]).toBe(notificationEvents[event].state);
});

describe("each body that Chainbell makes has the form that the package promises", () => {
  const bodies = notifiedTypes.flatMap((type) =>
    transactionStates.map((state) =>
      notificationBody({
        id,
        state,
        happenedAt: new Date(),
        subject: {
          transactionId: id,
          walletId: id,
          type,
          reference: null,
          blockNumber: 7n,

          amountAtomic: 5n,
          assetCode: "ETH",
          assetDecimals: 18,
          chainName: "ethereum",
          txHash: `0x${"ab".repeat(32)}`,
          fromAddress: `0x${"0a".repeat(20)}`,
          toAddress: `0x${"0b".repeat(20)}`,

          memo: null,
          proof: "root" as const,
          confirmedAlone: false,
          virtualAddress: null,
          lookalikeOf: null,
        },
        ...(state === "reversed" ? { reversesNotificationId: id } : {}),
      }),
    ),
  );

  const ofBalances = (["below", "restored"] as const).map((state) =>
    balanceNotificationBody({
      id,
      state,
      happenedAt: new Date(),
      subject: {
        walletId: id,
        address: `0x${"0a".repeat(20)}`,
        reference: null,
        chainName: "ethereum",
        assetCode: "ETH",
        assetDecimals: 18,
        confirmedAtomic: 0n,
        belowAtomic: 5n,
        restoredFromAtomic: 6n,
        crossing: 1,
      },
    }),
  );

  const ofSighting = sightingNotificationBody({
    id,
    happenedAt: new Date(),
    subject: {
      sightingId: id,
      chainName: "ethereum",
      walletId: id,
      label: null,
      reference: null,
      contract: `0x${"0c".repeat(20)}`,
      symbol: null,
      amountAtomic: 5n,
      txHash: `0x${"ab".repeat(32)}`,
      fromAddress: `0x${"0a".repeat(20)}`,
      toAddress: `0x${"0b".repeat(20)}`,
      lookalikeOf: `0x${"0d".repeat(20)}`,
      blockNumber: 7n,
      blockHash: `0x${"cd".repeat(32)}`,
      logIndex: 0,
      proof: "root",
    },
  });

  test.each(
    [...bodies, ...ofBalances, ofSighting, testBodyOf("webhook.test", id, new Date())].map((text) =>
      JSON.parse(text),
    ),
  )("$event of a $data.type", (body) => {
    const check = ajv.compile(schemas[body.event] ?? false);
    expect([check(body), check.errors]).toEqual([true, null]);
    // Nothing is missing, and nothing that the schema does not name.
    expect(notificationSchema(body.event).parse(body)).toEqual(body);
    const { blockchain: _, ...less } = body.data;
    expect(check({ ...body, data: less })).toBe(false);
  });
});
