import type { Router } from 'express';
import * as z from 'zod';
import { StatsCommand } from '../../core/reads/read-commands.ts';
import { parseMultiplier } from '../../core/settings/guild-config.ts';
import { addConfigForm } from '../config-form.ts';
import { parsed } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { rowsOf } from './row-changes.ts';
import { multiplierFields, multipliersOf, STACKINGS } from './rules-form.ts';
import { RULES_PATH, type RulesPage, sendRulesPage } from './rules-page.ts';

const ROLE_FIELDS = ['role', 'role_multiplier'] as const;
const CHANNEL_FIELDS = ['channel', 'channel_multiplier'] as const;

/** The multipliers of roles and channels, a row for each, and the multiplier of the whole server, which is not part of the rules. */
export const multipliersPage: RulesPage = {
  path: `${RULES_PATH}/multipliers`,
  template: 'multipliers',
  title: 'Multipliers',
  rows: {
    role: { names: ROLE_FIELDS, blank: ['', ''] },
    channel: { names: CHANNEL_FIELDS, blank: ['', ''] },
  },
  fields: multiplierFields,
  part: multipliersOf,
  async more({ parts, guildId, values }) {
    const { value: stats } = await parts.commands.read(new StatsCommand(guildId));
    return {
      multiplier: String(stats.xp_multiplier),
      roles: rowsOf(values, ROLE_FIELDS),
      channels: rowsOf(values, CHANNEL_FIELDS),
      stackings: Object.entries(STACKINGS),
    };
  },
};

const multiplierForm = z
  .object({ multiplier: parsed((text) => parseMultiplier(text.trim())) })
  .transform(({ multiplier }) => ({
    change: { xpMultiplier: multiplier },
    what: `Set the XP multiplier to ${multiplier}`,
  }));

/** Path of the form of the multiplier of the whole server. */
export const MULTIPLIER_PATH = '/settings/multiplier';

/** Adds the form of the multiplier of the whole server, which stands on the same page. */
export function addMultiplier(router: Router, parts: Parts): void {
  addConfigForm(router, parts, {
    path: MULTIPLIER_PATH,
    page: multipliersPage.path,
    schema: multiplierForm,
    async show(_parts, res, { problem = '', errors = {}, values = {} }) {
      await sendRulesPage(
        parts,
        res,
        multipliersPage,
        { problem, errors, more: { multiplier: values.multiplier } },
        400,
      );
    },
  });
}
