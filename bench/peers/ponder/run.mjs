export async function preparePonder() {
  return null;
}
export async function runPonder() {
  return null;
}
