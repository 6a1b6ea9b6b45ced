import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachTestApi } from "../../support/api/each-api.ts";
import { askThrough, generators } from "../../support/api/generated-clients.ts";
import { markSynced, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const api = eachTestApi();

test.each(Object.entries(generators))(
  "a client that %s made compiles, runs, and keeps every digit of an amount",
  async (_name, generator) => {
    const [wallet] = await addWallets(api.db, {
      businessId: api.businessId,
      wallets: [newWallet()],
    });
    const confirmed = 10_003n * 10n ** 18n + 1n;
    await markSynced(api.db, [wallet?.id ?? ""], { ETH: { confirmed } });
    const description = (await api.get("/openapi.json", null)).body;
    const url = await api.web.listen({ port: 0, host: "127.0.0.1" });
    const folder = await mkdtemp(join(tmpdir(), "chainbell-client-"));
    try {
      await writeFile(join(folder, "openapi.json"), description);
      const answered = await askThrough(generator, folder, {
        url,
        headers: { "x-api-key": api.key },
      });
      expect(answered).toMatchObject({
        holdings: [{ asset: "ETH", amount: "10003.000000000000000001" }],
        wallets: ["ethereum"],
        refused: "invalid_url",
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
