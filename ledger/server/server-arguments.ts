const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "32MB",
  synchronous_commit: "on",
  // Helpers nobody needs here: three I/O workers, the replication launcher and WAL senders cost memory while idle.
  io_method: "sync",
  max_logical_replication_workers: "0",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "256MB",
  log_destination: "stderr",
  logging_collector: "off",
  log_line_prefix: "%m [%p] ",
  log_timezone: "UTC",
  timezone: "UTC",
} as const;

/** The whole command line: nothing is left to postgresql.conf, so an upgrade of helixrun is an upgrade of its settings. */
export function serverArguments(cluster: string, port: number, extra: Record<string, string> = {}): string[] {
  const options = Object.entries({ ...settings, ...extra }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", cluster, "-p", String(port), ...options];
}
