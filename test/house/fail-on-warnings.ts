// A process warning (a deprecation, a leaked listener) is thrown where vitest counts it as an error of the run (C138).
process.on("warning", (warning) => {
  throw warning;
});
