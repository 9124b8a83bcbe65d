import type { NamedScript, ScriptArgument, Scripts } from './scripts.ts';

/** The reply of most scripts. Only `decode` of a script reads it by place. */
export type ScriptReply = readonly (string | number)[];

/** How a Lua script is called. Its code is the file of its name with the ending `.lua`, beside the definition. */
interface ScriptDefinition<Key extends string, Fields, Reply, Result> extends NamedScript {
  /** Names of its keys in the order of KEYS. A test compares them with the header of the file. */
  readonly keys: readonly Key[];
  /** Returns ARGV for a call. */
  args(fields: Fields): readonly ScriptArgument[];
  /** Makes the result from the reply. @throws RefusedError for a reply that is a refusal. */
  decode(reply: Reply, fields: Fields): Result;
}

/** A Lua script that is called with named fields, and answers with a named result. */
export class Script<Key extends string, Fields, Result> implements NamedScript {
  readonly name: string;
  readonly boards: boolean;
  readonly keys: readonly Key[];

  constructor(private readonly definition: ScriptDefinition<Key, Fields, unknown, Result>) {
    this.name = definition.name;
    this.boards = definition.boards ?? false;
    this.keys = definition.keys;
  }

  /**
   * Runs the script. One round trip, and one more when Redis does not know the script yet.
   * @param keys the keys by their names; keys that the script does not take are passed over.
   * @param further the keys that follow `keys`, as many as the call needs.
   * @throws RefusedError for a refusal, and StoreUnavailableError.
   */
  async run(
    scripts: Pick<Scripts, 'run'>,
    keys: Readonly<Record<Key, string>>,
    fields: Fields,
    further: readonly string[] = [],
  ): Promise<Result> {
    const { definition } = this;
    const declared = [...definition.keys.map((name) => keys[name]), ...further];
    return definition.decode(await scripts.run(this, declared, ...definition.args(fields)), fields);
  }
}

/** Defines a script. */
export function defineScript<const Key extends string, Fields, Reply, Result>(
  definition: ScriptDefinition<Key, Fields, Reply, Result>,
): Script<Key, Fields, Result> {
  // Redis sends what the header of the file says.
  return new Script(definition as ScriptDefinition<Key, Fields, unknown, Result>);
}
