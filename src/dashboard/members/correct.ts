import type { Request, Response, Router } from 'express';
import { newToken } from '../../core/access/invites.ts';
import { correctMember, readCorrection, undoCorrection } from '../../core/members/correct.ts';
import { errorsOf, type FormErrors, formOf, parseForm, showProblem } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { inTurn } from '../one-at-a-time.ts';
import { notFound, RefusedPage } from '../refused-page.ts';
import { actorOf, guildOf } from '../visit.ts';
import { CHOICES, type CorrectionForm, correctionForm, describeCorrection, describeUndo } from './correct-form.ts';
import { readOneMember } from './one-member.ts';
import { undoRefusedPage, undoSentences } from './undo-words.ts';

/**
 * Adds the page that changes XP, level and name of a member, and the page that shows such a change and undoes it. A form that is sent twice changes
 * the member once, because both times the correction has the id of the form.
 */
export function addCorrections(router: Router, parts: Parts): void {
  const { auditLog } = parts;
  // A second press of the button waits for the first press, and finds the change done.
  const correctInTurn = inTurn();

  router.get('/members/correct', (req, res) => sendForm(parts, res, String(req.query.id)));

  router.post('/members/correct', (req, res) => {
    const values = formOf(req);
    const show = (problem: string, error: unknown) =>
      sendForm(parts, res, values.id ?? '', { values, problem, errors: errorsOf(error) });
    return showProblem(show, async () => {
      const form = parseForm(correctionForm, values);
      await correctInTurn(`${guildOf(res)} ${form.once}`, () => correct(req, res, form));
      redirectTo(res, form.once);
    });
  });

  const correct = async (req: Request, res: Response, { once, correction, reason }: CorrectionForm): Promise<void> => {
    const guildId = guildOf(res);
    const change = async (): Promise<void> => {
      if (!(await correctMember(parts, guildId, once, correction))) throw memberGone();
    };
    // A different change with the same id is refused.
    if ((await readCorrection(parts, guildId, once)).corrected) return change();
    const member = await readOneMember(parts, guildId, correction.userId);
    if (!member) throw memberGone();
    await auditLog.change(guildId, actorOf(req, res), describeCorrection(correction, reason, member.xp), change);
  };

  router.get('/members/correction', (req, res) => sendCorrection(parts, res, String(req.query.of)));

  router.post('/members/correction/undo', (req, res) => {
    const { id = '' } = formOf(req);
    const show = (problem: string) => sendCorrection(parts, res, id, problem);
    return showProblem(show, async () => {
      await correctInTurn(`${guildOf(res)} ${id}`, () => undo(req, res, id));
      redirectTo(res, id);
    });
  });

  const undo = async (req: Request, res: Response, id: string): Promise<void> => {
    const guildId = guildOf(res);
    const { corrected, undone } = await readCorrection(parts, guildId, id);
    if (undone) return;
    if (!corrected) throw undoRefusedPage('gone');
    await auditLog.change(guildId, actorOf(req, res), describeUndo(corrected), async () => {
      const result = await undoCorrection(parts, guildId, id);
      if (typeof result === 'string') throw undoRefusedPage(result);
    });
  };
}

/** A refused form: its input, and why it was refused. */
interface RefusedForm {
  readonly values?: Readonly<Record<string, string>>;
  readonly problem?: string;
  readonly errors?: FormErrors;
}

/** Shows the form with the member as it is now. */
async function sendForm(
  parts: Parts,
  res: Response,
  userId: string,
  { values = {}, problem = '', errors = {} }: RefusedForm = {},
): Promise<void> {
  const member = await readOneMember(parts, guildOf(res), userId);
  if (!member) throw notFound();
  const data = { title: 'Change a member', member, choices: CHOICES, once: newToken(), values, problem, errors };
  parts.views.send(res, 'correct', data, problem === '' ? 200 : 400);
}

/** Shows what a change did, and offers its undo, or shows what the undo did. */
async function sendCorrection(parts: Parts, res: Response, id: string, problem = ''): Promise<void> {
  const { corrected, undone } = await readCorrection(parts, guildOf(res), id);
  if (!corrected) throw undoRefusedPage('gone');
  const sentences = undone ? undoSentences(corrected, undone) : [];
  const done = undone ? 'Change undone.' : 'Member changed.';
  const notice = problem === '' ? done : '';
  const data = { title: 'Before and after', id, corrected, undone, sentences, notice, problem };
  parts.views.send(res, 'correction', data, problem === '' ? 200 : 400);
}

function redirectTo(res: Response, id: string): void {
  res.redirect(303, `/guilds/${guildOf(res)}/members/correction?${new URLSearchParams({ of: id })}`);
}

function memberGone(): RefusedPage {
  return new RefusedPage(404, 'No such member', 'There is no member with this id any more. Nothing was changed.');
}
