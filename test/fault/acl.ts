import { readFileSync } from 'node:fs';

/** The ACL file, from the root of the repository. */
export const ACL_FILE = 'deploy/redis/users.acl';

const FILE = readFileSync(new URL(`../../${ACL_FILE}`, import.meta.url), 'utf8');

/** Returns the permissions of a user in {@link ACL_FILE}, without its password, as arguments of ACL SETUSER. */
export function permissionsOf(user: string): string[] {
  const line = FILE.split('\n').find((each) => each.startsWith(`user ${user} `)) ?? '';
  // The permissions of a selector stand in parentheses, and are one argument.
  return (line.match(/\([^)]*\)|\S+/g) ?? []).slice(2).filter((word) => word !== 'on' && !word.startsWith('>'));
}
