import { InvalidInputError } from '../../core/errors.ts';
import { parseRules } from '../../core/rules/parse-rules.ts';
import { type FormErrors, type FormValues, WrongFieldsError } from '../forms.ts';
import { type IdKind, idIn, idsIn, numberOr } from './rules-lines.ts';

/** Reads the fields of a form one by one, and collects a message for each wrong field. The parser of rules checks each value on its own. */
export class FieldCheck {
  private readonly errors: Record<string, string> = {};

  constructor(private readonly values: FormValues) {}

  /** Notes what is wrong with a field, unless the field already has a message. */
  fail(name: string, message: string): void {
    this.errors[name] ??= message;
  }

  /**
   * Returns the value of a field.
   * @param label name of the field, which begins the message instead of the path in the document.
   * @param read makes the value from the text.
   * @param document makes a document with only this value.
   */
  take(
    name: string,
    label: string,
    read: (text: string) => unknown,
    document: (value: unknown) => object,
    text = (this.values[name]?.[0] ?? '').trim(),
  ): unknown {
    if (text === '') {
      this.fail(name, `${label} is missing`);
      return undefined;
    }
    try {
      const value = read(text);
      parseRules(document(value));
      return value;
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      this.fail(name, error.message.replace(/^[\w.[\]]+ must be/, `${label} must be`));
      return undefined;
    }
  }

  /** Returns the number in a field, as {@link take} does. */
  number(name: string, label: string, document: (value: unknown) => object, text?: string): unknown {
    return this.take(name, label, numberOr, document, text);
  }

  /** Returns the XP of two fields, from the least to the most. */
  amount(kind: 'message' | 'voice', label: string): unknown {
    const document = (xp: unknown) => ({ [kind]: { xp } });
    const min = this.number(`${kind}_min`, label, document);
    const max = this.number(`${kind}_max`, label, document);
    if (typeof min === 'number' && typeof max === 'number' && min > max) {
      this.fail(`${kind}_min`, `${label} cannot begin at ${min}, above the ${max} that it ends at`);
    }
    return min === max ? min : { min, max };
  }

  /** Returns the id in a text of a field; "" for a wrong id. A missing or wrong id gets a message. */
  id(name: string, kind: IdKind, text: string): string {
    if (text === '') {
      this.fail(name, `Choose a ${kind.name}`);
      return '';
    }
    return this.tried(name, '', () => idIn(kind, text));
  }

  /** Returns the ids in all texts of a field, each once; empty if one of them is wrong. A wrong id gets a message. */
  ids(name: string, kind: IdKind): string[] {
    return this.tried(name, [], () => idsIn(kind, this.values[name] ?? []));
  }

  /** @throws WrongFieldsError if a field is wrong. */
  end(): void {
    const errors: FormErrors = this.errors;
    if (Object.keys(errors).length > 0) throw new WrongFieldsError(Object.values(errors).join('. '), errors);
  }

  private tried<T>(name: string, otherwise: T, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      this.fail(name, error.message);
      return otherwise;
    }
  }
}
