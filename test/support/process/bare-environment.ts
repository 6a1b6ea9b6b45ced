/**
 * What a program needs of our environment to run at all: nothing of the developer's own settings
 * reaches it.
 */
export function bareEnvironment(): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG"];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
