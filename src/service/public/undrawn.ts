import { Problem } from '../http/response/problem.ts';

/** The problem of a picture on a service that has nothing to draw it as PNG with. */
export class UndrawnProblem extends Problem {
  constructor() {
    super(
      'not_found',
      'This service draws no PNG, because @resvg/resvg-js is not installed. A rank card is also there as card.svg.',
    );
  }
}
