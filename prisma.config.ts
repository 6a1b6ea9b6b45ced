import { defineConfig } from "prisma/config";

// DATABASE_URL is wanted by `prisma migrate deploy` alone; `prisma generate` works without it.
const url = process.env["DATABASE_URL"];

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  ...(url === undefined ? {} : { datasource: { url } }),
});
