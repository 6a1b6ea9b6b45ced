import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Fault } from "../../domain/fault.ts";

export type SystemUser = { uid: number; gid: number };

const USER_NAME = "postgres";

/**
 * The user that PostgreSQL runs as, because it refuses to run as root. If we are root, it is the
 * system's user `postgres`, which is made if it is missing. Undefined: we are not root, so it runs
 * as we do.
 */
export function postgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const known = lookUp();
  if (known !== undefined) return known;
  const options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
  const made = spawnSync("useradd", [...options, USER_NAME], { encoding: "utf8" });
  // Looked up even after a failure, because another process may have made the user just now.
  const user = lookUp();
  if (user !== undefined) return user;
  throw new Fault(
    "embedded_postgres_failed",
    `PostgreSQL does not run as root, and the system user "${USER_NAME}" could not be made. Make that user, run as another user, or set DATABASE_URL.`,
    { cause: made.error, facts: { stderr: made.stderr?.trim() ?? "" } },
  );
}

function lookUp(): SystemUser | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${USER_NAME}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number(uid), gid: Number(gid) };
}
