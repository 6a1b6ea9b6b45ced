import { connect } from "node:net";
import { expect, test } from "vitest";
import { type Work, WorkLeft, workInHand } from "../../../src/runtime/on-behalf.ts";
import { openTestApi } from "../../support/api/test-api.ts";
import { eachTest } from "../../support/each-test.ts";
import { waitFor } from "../../support/wait-for.ts";

const timeoutMs = 10_000;

let works: Work[] = [];
let logged: string[] = [];

const note = (_fields: object, message: string) => void logged.push(message);
const log = { debug: note, info: note, warn: note, error: note };

const api = eachTest(
  () => {
    works = [];
    logged = [];
    return openTestApi((deps) => ({
      log,
      async readHoldings(businessId) {
        const work = workInHand();
        if (work !== null) works.push(work);
        // As a turn that waits until nobody wants it.
        if (works.length === 1)
          await waitFor(() => work?.signal.aborted, { what: "the caller's leaving", timeoutMs });
        if (work?.signal.aborted === true) throw new WorkLeft();
        return deps.readHoldings(businessId);
      },
    }));
  },
  (one) => one.stop(),
);

test("a request whose caller closes the connection is wanted no more, and is no failure", async () => {
  const url = await api.web.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(`GET /balance HTTP/1.1\r\nhost: a\r\nx-api-key: ${api.key}\r\n\r\n`);
  await waitFor(() => works.length === 1, { what: "the request", timeoutMs });
  socket.destroy();
  await waitFor(() => works[0]?.signal.aborted, { what: "its end", timeoutMs });
  const response = await fetch(`${url}/balance`, { headers: { "x-api-key": api.key } });
  expect(response.status).toBe(200);
  await response.text();
  await waitFor(() => logged.length > 0, { what: "the second's end", timeoutMs });
  expect(logged).toEqual(["request.answered"]);
  expect(works.map(({ signal }) => signal.aborted)).toEqual([true, false]);
});
