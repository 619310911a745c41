/** Loopback is not enough: a web page could make a browser ask us. Its Origin, or a rebound Host, gives it away. */
export function isLocalRequest(request: Request): boolean {
  const origin = request.headers.get("origin");
  return isLoopback(new URL(request.url).hostname) && (origin === null || isLoopbackOrigin(origin));
}

function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin).hostname);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
