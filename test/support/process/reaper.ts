import { type ChildProcess, spawn } from "node:child_process";

// Reads its standard input until we are gone, however we went, and then ends what we left behind.
const SCRIPT = `
trap '' INT TERM HUP
pids=' '; paths=''
while read -r verb value; do
  case $verb in
    end) pids="$pids$value ";;
    remove) paths="$paths $value";;
    forget) case $pids in *" $value "*) pids="\${pids%% $value *} \${pids#* $value }";; esac;;
  esac
done
for path in $paths; do
  [ -f "$path/run.json" ] || continue
  pids="$pids $(sed -n 's/.*"pid": \\([0-9]*\\).*/\\1/p' "$path/run.json")"
done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
[ -z "$paths" ] || { sleep 1; rm -rf $paths; }
`;

let reaper: ChildProcess | undefined;

/**
 * Sees to it that the process ends with ours, even when ours is killed. `forget` once it was
 * stopped in order.
 */
export function endWithUs(pid: number): { forget: () => void } {
  report(`end ${pid}`);
  return { forget: () => report(`forget ${pid}`) };
}

/**
 * Sees to it that a folder of ours (without blanks in its path) goes when our process does, with
 * every server that its `run.json` names.
 */
export function removeWithUs(path: string): void {
  report(`remove ${path}`);
}

function report(line: string): void {
  if (process.platform === "win32") return;
  if (reaper === undefined) {
    reaper = spawn("sh", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    reaper.stdin?.on("error", () => undefined);
    reaper.unref();
    const input: unknown = reaper.stdin;
    if (input instanceof Object && "unref" in input && typeof input.unref === "function") {
      input.unref();
    }
  }
  reaper.stdin?.write(`${line}\n`);
}
