// The floor of the API: the same statements through a bare driver behind a bare Fastify. Nobody is
// asked who they are.
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import pg from "pg";
import { givenTo, serveParent } from "../process/serve-parent.ts";

const { databaseUrl, poolSize, statements } = givenTo<"bare-api">();
const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
const web = fastify();
for (const [path, list] of Object.entries(statements)) {
  web.get(path, async () => {
    let data: unknown[] = [];
    for (const { text, values } of list) data = (await pool.query(text, values)).rows;
    return { success: true, data };
  });
}
await web.listen({ host: "127.0.0.1", port: 0 });
const { port } = web.server.address() as AddressInfo;
serveParent<"bare-api">({ url: `http://127.0.0.1:${port}` });
