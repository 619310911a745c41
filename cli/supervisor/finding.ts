/** What doctor says of one thing; `optional`: absent, and something else does its work. */
export type Finding = { name: string; state: "ok" | "optional" | "missing"; found: string; fix?: string | undefined };
