import type { Request, Response } from 'express';
import { sentFields } from './forms.ts';
import type { Parts } from './guild-page.ts';

/** The question that a person answers before a form deletes or ends something. */
export interface Question {
  readonly title: string;
  /** Paragraphs that say what is lost and what stays. */
  readonly paragraphs: readonly string[];
  /** Rules that the form replaces or removes, as JSON, to keep a copy of them. */
  readonly presentRules?: string;
  /** The button that goes on. */
  readonly button: string;
  /** The link that leaves everything as it is. */
  readonly keep: string;
  /** Path of the page that this link leads to. */
  readonly back: string;
}

/**
 * The parameter of the address that says which question was answered. The answer is not a field of the form, because a form of the largest size has
 * no room for one more field.
 */
const ANSWER = 'confirm';

/** Returns whether the person has answered this question. An answer to another question, such as about one board instead of two, does not count. */
export function isAnswered(req: Request, { title }: Question): boolean {
  return req.query[ANSWER] === title;
}

/** Answers a form with a question. Its button sends all fields of the form again, with the answer. */
export function ask({ views, url }: Parts, req: Request, res: Response, question: Question): void {
  const address = new URL(req.originalUrl, url());
  address.searchParams.set(ANSWER, question.title);
  views.send(res, 'question', { ...question, action: address.pathname + address.search, fields: sentFields(req) });
}
