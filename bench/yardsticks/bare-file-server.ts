import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";

// The yardstick of a download: the least that serves a file over HTTP: no verification, no rights, no ranges.
const [, , path = ""] = process.argv;
const server = createServer((_request, answer) => {
  answer.writeHead(200, { "content-length": statSync(path).size });
  createReadStream(path).pipe(answer);
});
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});
