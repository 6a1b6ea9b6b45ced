import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { events, schemas } from "../../../../packages/webhooks/src/schema.ts";
import {
  sampleNotificationBody,
  testBodyOf,
} from "../../../../src/domain/delivery/sample-notification.ts";
import { idAt } from "../../../../src/domain/id.ts";

const idOfNothing = "00000000-0000-0000-0000-000000000000";
const address = `0x${"ab".repeat(20)}` as const;

const sampleOf = (event: (typeof events)[number], decimals: number) =>
  JSON.parse(
    sampleNotificationBody(event, {
      id: idAt(Date.now()),
      happenedAt: new Date(),
      subject: {
        wallet: { id: idAt(1), address, chainName: "anvil", reference: "order-17" },
        asset: { code: "DUSD", decimals },
        other: `0x${"cd".repeat(20)}`,
        contract: `0x${"de".repeat(20)}`,
        txHash: `0x${"ef".repeat(32)}`,
        blockNumber: 7n,
        blockHash: `0x${"fe".repeat(32)}`,
      },
    }),
  );

test.each(events)("a sample of %s has the body that its receivers are promised", (event) => {
  const ajv = new Ajv2020({ validateFormats: false });
  const isValid = ajv.compile(schemas[event] ?? {});
  isValid(sampleOf(event, 6));
  expect(isValid.errors).toBeNull();
});

test.each(events)("a test of %s has that body as well, and nothing in it is money", (event) => {
  const ajv = new Ajv2020({ validateFormats: false });
  const isValid = ajv.compile(schemas[event] ?? {});
  const body = JSON.parse(testBodyOf(event, idAt(Date.now()), new Date()));
  isValid(body);
  expect(isValid.errors).toBeNull();
  const { blockchain, walletId, amount, rawAmount, balance } = body.data;
  expect([body.event, blockchain, walletId]).toEqual([event, "test", idOfNothing]);
  expect(amount ?? rawAmount ?? balance).toBe("0");
});

test("what goes out goes out of the wallet, and what comes in comes in", () => {
  const parties = (event: (typeof events)[number]) => {
    const { fromAddress, toAddress, amount } = sampleOf(event, 6).data;
    return [fromAddress.toLowerCase() === address, toAddress.toLowerCase() === address, amount];
  };
  expect(parties("transaction.withdrawal")).toEqual([true, false, "12.5"]);
  expect(parties("transaction.payment")).toEqual([false, true, "12.5"]);
  expect(sampleOf("transaction.deposit", 0).data.amount).toBe("12");
});
