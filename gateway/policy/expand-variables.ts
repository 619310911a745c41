import { pointerOf } from "../../toolpacks/contract/json-pointer.ts";

type Environment = Record<string, string | undefined>;
type Expansion = { value: unknown; found: { pointer: string; message: string; fix: string }[] };

/**
 * Puts the values of environment variables where the policy says `${NAME}`, for the names under `expand` only (A10).
 * The result is hashed and stored in the clear, so a variable that by its name holds a secret is refused.
 */
export function expandVariables(policy: unknown, env: Environment): Expansion {
  const permitted = permittedNames(policy);
  const found: Expansion["found"] = [];
  return { value: expanded(policy, []), found };

  function expanded(part: unknown, path: PropertyKey[]): unknown {
    if (typeof part === "string")
      return part.replaceAll(/\$\{([^}]*)\}/g, (whole, name: string) => valueOf(name, path) ?? whole);
    if (Array.isArray(part)) return part.map((item, index) => expanded(item, [...path, index]));
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, expanded(member, [...path, name])]));
  }

  function valueOf(name: string, path: PropertyKey[]): string | undefined {
    const refuse = (message: string, fix: string) => void found.push({ pointer: pointerOf(path), message, fix });
    if (!permitted.has(name))
      refuse(`\${${name}} is not among the names under "expand".`, "Add it there, or write the value out.");
    else if (soundsSecret(name))
      refuse(`\${${name}} sounds like a secret, and a policy is stored in the clear.`, "Leave it out.");
    else if (env[name] === undefined)
      refuse(`the environment variable ${name} is not set.`, "Set it before the start.");
    else return env[name];
    return undefined;
  }
}

function permittedNames(policy: unknown): Set<unknown> {
  const named = typeof policy === "object" && policy !== null && "expand" in policy ? policy.expand : [];
  return new Set(Array.isArray(named) ? named : []);
}

function soundsSecret(name: string): boolean {
  return /(?:^|_)(?:SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIALS?|API_?KEY|PRIVATE_?KEY)S?(?:_|$)/.test(name);
}
