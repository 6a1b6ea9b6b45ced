import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { randomAddress } from "../../support/ledger/ledger-fixtures.ts";

let api: TestApi;

beforeEach(async () => {
  api = await openTestApi();
});

afterEach(() => api.stop());

const wallet = (fields: object = {}) => ({
  blockchain: "ethereum",
  address: randomAddress(),
  ...fields,
});

const add = (body: object) => api.admin("POST", `/businesses/${api.businessId}/wallets`, body);

test("wallets are added all or none, and every malformed one is named", async () => {
  const good = wallet();
  const response = await add({
    wallets: [
      good,
      wallet({ address: "0x1" }),
      wallet({ blockchain: "moon" }),
      wallet({ purpose: "x" }),
      good,
    ],
  });
  expect(response.statusCode).toBe(400);
  const invalid =
    "wallets[1].address: '0x1' is not an address: write 0x and 40 hexadecimal digits.";
  expect(response.json().error.message).toBe(`${invalid} 3 more fields are wrong.`);
  expect(response.json().error.details).toEqual([
    {
      field: "wallets[1].address",
      message: invalid,
      code: "address",
      values: { address: "0x1" },
    },
    {
      field: "wallets[2].blockchain",
      message:
        "wallets[2].blockchain must be one of the configured chains: ethereum; it is 'moon'.",
      code: "unknown_chain",
      values: { chains: "ethereum" },
    },
    {
      field: "wallets[3].purpose",
      message: "wallets[3].purpose must be one of deposit, payment; it is 'x'.",
      code: "choice",
      values: { choices: "deposit, payment" },
    },
    {
      field: "wallets[4].address",
      message: "wallets[4].address must stand once in the list: wallets[0].address is the same.",
      code: "repeated",
      values: { other: "wallets[0].address" },
    },
  ]);
  expect(await api.db.wallet.count()).toBe(0);
});

test("wallets that are watched already are a conflict, which names the owner to the operator", async () => {
  const taken = wallet();
  await add(taken);
  const response = await add(taken);
  expect(response.statusCode).toBe(409);
  expect(response.json().error).toMatchObject({ code: "wallet_exists" });
  expect(response.json().error.message).toContain(`'Example Ltd' (${api.businessId})`);
});

test("wallets that are watched already are named at their places in the list", async () => {
  const taken = wallet();
  await add(taken);
  const response = await add({ wallets: [wallet(), taken] });
  const owner = `'Example Ltd' (${api.businessId})`;
  expect(response.json().error.details).toEqual([
    {
      field: "wallets[1].address",
      message: `wallets[1].address must be new: ${owner} has it already.`,
      code: "taken",
      values: { business: "Example Ltd", business_id: api.businessId },
    },
  ]);
});

test("wallets on a chain that is not configured are refused with the ones that are", async () => {
  const response = await add(wallet({ blockchain: "moon" }));
  expect([response.statusCode, response.json().error.code]).toEqual([400, "unknown_blockchain"]);
  expect(response.json().error.message).toContain("ethereum");
});

test("wallets of one object are refused with the value that was sent", async () => {
  const response = await add(wallet({ purpose: "gift", from_block: "5" }));
  expect(response.json().error.details).toEqual([
    {
      field: "from_block",
      message: "from_block must be a block number; it is '5'.",
      code: "block",
      values: {},
    },
  ]);
  const purpose = await add(wallet({ purpose: "gift" }));
  expect(purpose.json().error.details).toEqual([
    {
      field: "purpose",
      message: "purpose must be one of deposit, payment; it is 'gift'.",
      code: "choice",
      values: { choices: "deposit, payment" },
    },
  ]);
});
