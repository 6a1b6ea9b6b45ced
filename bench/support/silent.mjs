/** A logger that says nothing. */
export const silent = { debug() {}, info() {}, warn() {}, error() {} };
