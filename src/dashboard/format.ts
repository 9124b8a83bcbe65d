import { count, digits, minute } from '../count.ts';
import { nameOf } from '../web/widget/name.ts';

/** Formats of the pages. Templates use them by name. */
export const format = {
  number: digits,
  time: minute,
  /** Returns an ISO 8601 time as "18:30", in UTC. */
  hour: (iso: string): string => iso.slice(11, 16),
  /** Returns the day of the week of an ISO 8601 time as "Sat", in UTC. */
  weekday: (iso: string): string => new Date(iso).toUTCString().slice(0, 3),
  /** Returns seconds as "45 s" or "12 min". */
  duration: (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`),
  count,
  /** Returns the name of a member as the widget shows it: the id instead of a name that nobody can see. */
  memberName: ({ username, user_id }: { readonly username: string | null; readonly user_id: string }): string =>
    nameOf({ username: username ?? '', user_id }),
};
