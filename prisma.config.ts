// DATABASE_URL is wanted by `prisma migrate deploy` alone; `prisma generate` works without it.
const url = process.env["DATABASE_URL"];

// Prisma's command line reads this: `npx --prefix test prisma`. The build uses
// scripts/generate.mjs instead.
export default {
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  ...(url === undefined ? {} : { datasource: { url } }),
};
