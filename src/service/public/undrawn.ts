import { Problem } from '../http/response/problem.ts';

/** The problem for a PNG picture on a service that cannot draw PNG. */
export class UndrawnProblem extends Problem {
  constructor() {
    super(
      'not_found',
      'This service draws no PNG, because @resvg/resvg-js is not installed. A rank card is also there as card.svg.',
    );
  }
}
