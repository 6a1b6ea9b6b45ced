// The floor of the API: the same statements through a bare driver behind a bare Fastify. Nobody is asked who they are.
// Arguments: database URL, connections at most, statements by path as JSON: lists of { text, values }.
import { fastify } from "fastify";
import pg from "pg";

const [connectionString, max, statements] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: Number(max) });
const web = fastify();
for (const [path, list] of Object.entries(JSON.parse(statements))) {
  web.get(path, async () => {
    let rows = [];
    for (const { text, values } of list) ({ rows } = await pool.query(text, values));
    return { success: true, data: rows };
  });
}
process.on("disconnect", () => process.exit());
await web.listen({ host: "127.0.0.1", port: 0 });
process.send({ url: `http://127.0.0.1:${web.server.address().port}` });
