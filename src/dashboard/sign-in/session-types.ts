/** How a person came to the right to open a server: by a link, or because Discord says so. */
export type GrantSource = 'link' | 'discord';

/** The right of a session to open a server. */
export interface Grant {
  /** The guild that the grant opens; null = the grant of the operator, which opens all servers. */
  readonly guildId: string | null;
  readonly source: GrantSource;
  /** Text of the generation of the server's sessions at the sign-in. */
  readonly generation: string;
}

/** The stored fields of a session. The name of its Redis key has the hash of its token. */
export interface StoredSession {
  /** Id of the person on the chat platform; "" = no link named it. */
  readonly userId: string;
  /** Name of the person as Discord showed it at the last sign-in; "" = Discord has not named this person. */
  readonly name: string;
  /** Text of the generation of the person's sessions at the sign-in; "" without a user id. */
  readonly generation: string;
  /** When Discord was asked last, in milliseconds since the epoch; 0 = never. */
  readonly checkedAt: number;
  readonly grants: readonly Grant[];
}

/** A grant that works, and the time of its sign-in in milliseconds since the epoch. */
export interface LiveGrant extends Grant {
  readonly since: number;
}

/** A session as Redis has it now. */
export interface FoundSession {
  readonly stored: StoredSession;
  /** The grants of the session that still work. */
  readonly grants: readonly LiveGrant[];
}

/** A person who is signed in. */
export interface Session {
  /** Beginning of the hash of its token, which identifies the session in the audit log and in lists. */
  readonly id: string;
  /** The text that every form must carry. It follows from the token of the session, and the token does not follow from it. */
  readonly formToken: string;
  /** Id of the person on the chat platform; "" = no link named it. */
  readonly userId: string;
  /** Name of the person, as Discord shows it; "" = a link has opened the session. */
  readonly name: string;
  /** Whether it opens all servers, and the pages of the operator. */
  readonly isOperator: boolean;
  /**
   * The servers that the session opens by a link, or because Discord has confirmed them in the last hour. An operator opens all other servers too.
   */
  readonly guildIds: readonly string[];
  /** Whether Discord has named this person and at least one server that the session opens. */
  readonly isByDiscord: boolean;
  /** Servers that the session opens again after Discord has confirmed the rights; null = the rights of the operator. */
  readonly unconfirmed: readonly (string | null)[];
}
