import type { RewardData } from './api-data.ts';
import { el, part, setText } from './dom.ts';
import type { WidgetWords } from './words.ts';

/** The state of the element that the mark of a reward needs. */
interface RewardContext {
  readonly words: WidgetWords;
  /** Roles that levels give, by level. */
  readonly rewards: readonly RewardData[];
}

/** Creates the mark of the role that a member has for its level: the colour of the role, and its name where there is room. */
export function createReward() {
  const dot = el('span', { class: 'role', 'aria-hidden': 'true' });
  const name = el('bdi', { class: 'role-name', 'aria-hidden': 'true' });
  // Where there is no room for the name, a screen reader reads the same.
  const text = el('span', { class: 'quiet' });
  const root = part('span', 'reward', dot, name, text);

  return {
    root,

    /**
     * Shows the reward of the highest level that is not above `level`. Of several roles, the mark shows the first role, and its text names all roles.
     */
    paint(level: number, { words, rewards }: RewardContext): void {
      const last = rewards.findLast((reward) => reward.level <= level);
      const given = rewards.filter((reward) => reward.level === last?.level).map(({ role }) => role);
      const [first] = given;
      root.hidden = !last;
      if (!last || !first) return;
      dot.style.background = first.color ?? '';
      setText(name, nameOfRole(first));
      setText(text, words.say('reward', { role: given.map(nameOfRole).join(', '), n: last.level }));
      root.title = text.textContent ?? '';
    },
  };
}

/** Returns the name of a role as chats show it, or its id. */
function nameOfRole({ id, name }: RewardData['role']): string {
  return name ? `@${name}` : id;
}
