import major from "semver/functions/major.js";
import minor from "semver/functions/minor.js";

/** The versions in a changelog that break something although their number does not say so (before 1.0 the minor one says it). */
export function quietBreaksOf(changelog: string): string[] {
  const releases = releasesOf(changelog);
  return releases
    .filter(({ version, text }, index) => {
      const before = releases[index + 1]?.version;
      return before !== undefined && /^### Breaking/m.test(text) && stageOf(version) === stageOf(before);
    })
    .map(({ version }) => version);
}

const stageOf = (version: string) => (major(version) === 0 ? `0.${minor(version)}` : `${major(version)}`);

function releasesOf(changelog: string) {
  const [, ...sections] = changelog.split(/^## \[/m);
  const titled = sections.map((text) => ({ version: text.slice(0, text.indexOf("]")), text }));
  return titled.filter(({ version }) => version !== "Unreleased");
}
