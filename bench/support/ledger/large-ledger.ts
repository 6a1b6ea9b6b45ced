import pg from "pg";
import { type ApiClient, client } from "../../../test/support/api/api-client.ts";
import type { Cluster } from "../../../test/support/ledger/cluster.ts";
import { createResources } from "../../../test/support/resources.ts";
import { type Build, ourBuild } from "../../process/build.ts";
import type { LoadQuestion, Statement } from "../../process/protocol.ts";
import { startDaemon } from "../../process/start-daemon.ts";
import { startProgram } from "../../process/start-program.ts";
import { withApi } from "../../process/with-api.ts";
import type { Report } from "../../runner/bench.ts";
import { type ApiRequest, type Asked, apiRequests, type Variant } from "./api-requests.ts";
import { type FilledBusiness, fillHistory, historyDeployment } from "./fill-history.ts";

/** As many connections as the daemon has. */
const poolSize = 20;

/** The pages that are far down: from the 1,000th on, as many as this. */
const deepPages = { first: 1_000, count: 50 };

export type LargeLedger = Awaited<ReturnType<typeof openLargeLedger>>;

export type LargeLedgerOptions = {
  cluster: Cluster;
  builds: readonly Build[];
  /** Transactions. */
  count: number;
  /** Rows of a page. */
  limit: number;
  report: Report;
};

/**
 * A ledger of so many transactions, the API of each build and the bare server over it. It has the
 * migrations of our build, which each build must have. The caller ends it.
 */
export async function openLargeLedger({
  cluster,
  builds,
  count,
  limit,
  report,
}: LargeLedgerOptions) {
  const { open, end } = createResources();
  const databaseUrl = await cluster.createDatabase(`rows_${count}`);
  const deployment = historyDeployment(databaseUrl);
  try {
    const owner = await withApi(ourBuild, deployment, (daemon) =>
      fillHistory(daemon, { databaseUrl, count, report }),
    );
    const urls = new Map<string, string>();
    for (const build of builds) {
      const daemon = await open(startDaemon(build, deployment), (one) => one.stop());
      urls.set(build.name, daemon.url);
    }
    const headers = { "x-api-key": owner.key };
    const api = client(urls.get(ourBuild.name) ?? "", headers);
    const variants = variantsOf(await readAsked(api, { databaseUrl, owner, limit }));
    const statements = bareStatements(variants);
    const starting = startProgram("bare-api", { databaseUrl, poolSize, statements });
    const bare = await open(starting, (one) => one.stop());
    return {
      count,
      end,
      /** What is asked of a build, by its name, or of the bare server. */
      questionTo(side: string, name: ApiRequest["name"]): Omit<LoadQuestion, "connections" | "ms"> {
        const asked = variants.get(name) ?? [];
        return side === "bare"
          ? { url: bare.ready.url, headers: {}, paths: asked.map((_, at) => barePath(name, at)) }
          : { url: urls.get(side) ?? "", headers, paths: asked.map(({ path }) => path) };
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const barePath = (name: string, at: number) => `/${name}/${at}`;

function variantsOf(asked: Asked): Map<string, Variant[]> {
  return new Map(apiRequests.map((request) => [request.name, request.variantsOf(asked)]));
}

function bareStatements(variants: Map<string, Variant[]>): Record<string, Statement[]> {
  return Object.fromEntries(
    [...variants].flatMap(([name, list]) =>
      list.map(({ statements }, at) => [barePath(name, at), statements]),
    ),
  );
}

async function readAsked(
  api: ApiClient,
  of: { databaseUrl: string; owner: FilledBusiness; limit: number },
): Promise<Asked> {
  const { databaseUrl, owner, limit } = of;
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  const sql = "SELECT id FROM asset WHERE code = 'USDC' ORDER BY id";
  const { rows } = await db.query<{ id: number }>(sql).finally(() => db.end());
  const assetIds = rows.map(({ id }) => id);
  const { businessId } = owner;
  return { businessId, limit, assetIds, deepPages: await walkDown(api, limit) };
}

/** Follows the cursors from the first page, as a client does. */
async function walkDown(api: ApiClient, limit: number): Promise<Asked["deepPages"]> {
  const found: Asked["deepPages"] = [];
  let cursor: string | null = null;
  for (let page = 1; found.length < deepPages.count; page += 1) {
    const after: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { body } = await api.call("GET", `/transactions?limit=${limit}${after}`);
    const { data, next_cursor } = body as { data: { id: string }[]; next_cursor: string | null };
    const afterId = data.at(-1)?.id;
    if (next_cursor === null || afterId === undefined) throw new Error(`There is no page ${page}.`);
    cursor = next_cursor;
    if (page + 1 >= deepPages.first) found.push({ cursor, afterId });
  }
  return found;
}
