import type { PublicGuild } from '../../core/reads/public-page.ts';
import { memberNotFound, Problem } from '../http/response/problem.ts';
import type { RankingQuery } from './queries.ts';

/** The problem of a page of a member whom the ranking does not have. The guild has a public page, so its problem page can look like it. */
export class UnrankedProblem extends Problem {
  constructor(
    readonly guildId: string,
    readonly board: RankingQuery['board'],
    readonly guild: PublicGuild,
  ) {
    const { code, detail } = memberNotFound();
    super(code, detail);
  }
}
