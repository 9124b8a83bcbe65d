import type { Request, Response } from 'express';
import { formOf, sentFields } from './forms.ts';
import type { Parts } from './guild-page.ts';

/** What a person is asked before a form deletes or ends something. */
export interface Question {
  readonly title: string;
  /** What is lost, and what stays: paragraphs. */
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

/** The field by which a form says which question was answered. */
const ANSWER = 'confirm';

/** Returns whether the person has answered this question. An answer to another question, such as about one board instead of two, does not count. */
export function isAnswered(req: Request, { title }: Question): boolean {
  return formOf(req)[ANSWER] === title;
}

/** Answers a form with a question. Its button sends all fields of the form again, with the answer. */
export function ask({ views }: Parts, req: Request, res: Response, question: Question): void {
  const fields = [...sentFields(req).filter(([name]) => name !== ANSWER), [ANSWER, question.title]];
  views.send(res, 'question', { ...question, action: req.originalUrl, fields });
}
