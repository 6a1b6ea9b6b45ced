// A worker whose runner was killed would go on with its test, and keep the test's servers for as
// long.
process.once("disconnect", () => process.exit(1));
