import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { postgresUser } from "../../../src/development/postgres/system-user.ts";
import { type Cluster, dataOf, openCluster } from "./cluster.ts";
import { databaseUrl, runSql } from "./databases.ts";

const settings = { fsync: "off", full_page_writes: "off", max_connections: "200" };

/** A PostgreSQL with a replica that streams from it. Whoever opens it ends it. */
export async function openReplicated() {
  const primary = await openCluster(settings);
  const { hostname, port, username, password } = new URL(primary.adminUrl);
  const primary_conninfo = `host=${hostname} port=${port} user=${username} password=${password} application_name=replica`;
  // What is stopped can be copied as it is.
  const replica = await primary.stopped((from) =>
    openCluster({ ...settings, primary_conninfo }, (to) => copyCluster(from, to)),
  );
  const setPrimary = async (setting: string) => {
    await runSql(primary.adminUrl, `ALTER SYSTEM SET ${setting}`);
    await runSql(primary.adminUrl, "SELECT pg_reload_conf()");
  };
  const urlOf = (cluster: Cluster) => databaseUrl(cluster.adminUrl, "chainbell");
  const at = (cluster: Cluster) => new URL(cluster.adminUrl).host;
  const primaryUrl = new URL(urlOf(primary));
  const urlOfBoth = (...clusters: Cluster[]) =>
    `postgresql://${username}:${password}@${clusters.map(at)}${primaryUrl.pathname}`;
  return {
    /** Of both servers, the replica first, as the URL that libpq knows. */
    url: urlOfBoth(replica, primary),
    urlPrimaryFirst: urlOfBoth(primary, replica),
    primaryUrl: primaryUrl.href,
    replicaUrl: urlOf(replica),
    /** From now on the primary can be reached by TLS too. */
    async encrypt(files: { cert: string; key: string }): Promise<void> {
      const data = dataOf(primary.dataDir);
      copyFileSync(files.cert, join(data, "server.crt"));
      copyFileSync(files.key, join(data, "server.key"));
      const user = postgresUser();
      chmodSync(join(data, "server.key"), 0o600);
      for (const name of ["server.crt", "server.key"])
        if (user !== undefined) chownSync(join(data, name), user.uid, user.gid);
      await setPrimary("ssl = on");
    },
    /** From now on no commit of the primary is done before the replica has it. */
    confirmCommits: () => setPrimary("synchronous_standby_names = 'replica'"),
    killPrimary: primary.kill,
    /** After it was killed: with what it had, and as a primary. */
    restartPrimary: () => primary.restart(),
    /** Makes the replica the primary. Nobody confirms its commits. */
    promote: () => runSql(replica.adminUrl, "SELECT pg_promote(true, 30)"),
    /** From now on the replica shows nothing of what is written, though it has it. */
    pauseReplica: () => runSql(replica.adminUrl, "SELECT pg_wal_replay_pause()"),
    resumeReplica: () => runSql(replica.adminUrl, "SELECT pg_wal_replay_resume()"),
    killReplica: replica.kill,
    async end() {
      await replica.end();
      await primary.end();
    },
  };
}

function copyCluster(from: string, to: string): void {
  copyFileSync(join(from, "postgres.password"), join(to, "postgres.password"));
  const data = dataOf(to);
  mkdirSync(dirname(data), { recursive: true });
  execFileSync("cp", ["-a", dataOf(from), data]);
  const mark = join(data, "standby.signal");
  writeFileSync(mark, "");
  // The server opens it for writing, as a user of its own.
  chmodSync(mark, 0o666);
}
