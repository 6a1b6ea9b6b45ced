import { Hono } from "hono";

// biome-ignore lint/style/noDefaultExport: Ponder does not start without one.
export default new Hono();
