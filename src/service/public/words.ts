import { BETWEEN_LANGUAGES, LANGUAGES, TEXTS as WIDGET_TEXTS } from '../../widget/strings.ts';

/** The texts that the page has beside those of the widget, in the same languages. `{x}` stands for a value. */
const OWN_TEXTS = {
  rankOf: '{n} of {m}/{n} von {m}/{n} sur {m}/{n} de {m}/{n} de {m}/{n} من {m}/{m}人中{n}位',
  rankName: 'Rank/Rang/Rang/Puesto/Posição/المركز/順位',
  levelName: 'Level/Level/Niveau/Nivel/Nível/المستوى/レベル',
  streakName: 'Daily streak/Tagesserie/Série quotidienne/Racha diaria/Sequência diária/السلسلة اليومية/連続日数',
  around:
    'Around this member/Rund um dieses Mitglied/Autour de ce membre/Cerca de este miembro/Perto deste membro/حول هذا العضو/このメンバーの前後',
  list: 'Members by rank/Mitglieder nach Rang/Membres par rang/Miembros por puesto/Membros por posição/الأعضاء حسب المركز/順位順のメンバー',
  pages: 'Pages/Seiten/Pages/Páginas/Páginas/الصفحات/ページ',
  pageOf:
    'Page {n} of {m}/Seite {n} von {m}/Page {n} sur {m}/Página {n} de {m}/Página {n} de {m}/الصفحة {n} من {m}/{m}ページ中{n}ページ',
  past: 'This page is past the end of the ranking./Diese Seite liegt hinter dem Ende der Rangliste./Cette page est après la fin du classement./Esta página está después del final de la clasificación./Esta página fica depois do fim da classificação./هذه الصفحة بعد نهاية الترتيب./このページはランキングの末尾より後です。',
  stale: 'Not up to date/Nicht aktuell/Pas à jour/No está al día/Desatualizado/غير محدّث/最新ではありません',
  nothing: 'Nothing here/Hier ist nichts/Rien ici/Aquí no hay nada/Nada aqui/لا شيء هنا/ここには何もありません',
  noPage:
    'There is no public page here, or no such member in this ranking./Hier gibt es keine öffentliche Seite, oder kein solches Mitglied in dieser Rangliste./Il n’y a pas de page publique ici, ou pas ce membre dans ce classement./Aquí no hay página pública, o ese miembro no está en esta clasificación./Não há página pública aqui, ou esse membro não está nesta classificação./لا توجد صفحة عامة هنا، أو لا يوجد هذا العضو في الترتيب./公開ページがないか、このランキングにそのメンバーはいません。',
  unranked:
    'This member is not in this ranking./Dieses Mitglied steht nicht in dieser Rangliste./Ce membre n’est pas dans ce classement./Este miembro no está en esta clasificación./Este membro não está nesta classificação./هذا العضو ليس في هذا الترتيب./このメンバーはこのランキングにいません。',
  tooMany:
    'Too many requests/Zu viele Anfragen/Trop de requêtes/Demasiadas solicitudes/Muitas solicitações/طلبات كثيرة جدًا/リクエストが多すぎます',
  later:
    'Wait a moment, and load this page again./Warte einen Moment und lade die Seite neu./Attendez un instant et rechargez la page./Espera un momento y vuelve a cargar la página./Espere um momento e recarregue a página./انتظر لحظة ثم أعد تحميل الصفحة./少し待ってから再読み込みしてください。',
} as const satisfies Record<string, string>;

const TEXTS = { ...WIDGET_TEXTS, ...OWN_TEXTS };
export type Label = keyof typeof TEXTS;

export type Words = ReturnType<typeof createWords>;

const known = new Map<string, Words>();

/** Returns texts and numbers in a language of the widget. */
export function wordsOf(lang: string): Words {
  const words = known.get(lang) ?? createWords(lang);
  known.set(lang, words);
  return words;
}

function createWords(lang: string) {
  const index = LANGUAGES.indexOf(lang);
  const plural = new Intl.PluralRules(lang);
  const number = new Intl.NumberFormat(lang).format;
  // A page says the same few texts for each row.
  const forms = Object.fromEntries(
    Object.entries(TEXTS).map(([label, text]) => [label, (text.split(BETWEEN_LANGUAGES)[index] ?? '').split('|')]),
  ) as Record<Label, string[]>;
  const say = (label: Label, values: Readonly<Record<string, number>> = {}, format = number): string => {
    const [one = '', other] = forms[label];
    const text = other !== undefined && plural.select(values.n ?? 0) !== 'one' ? other : one;
    return text.replace(/\{(\w+)\}/g, (_, name: string) => format(values[name] ?? 0));
  };
  return {
    lang,
    isRtl: lang === 'ar',
    number,
    /** Returns a number in few figures, such as `1.5M`. */
    compact: new Intl.NumberFormat(lang, { notation: 'compact', maximumFractionDigits: 1 }).format,
    /** Returns a text with its values, as `format` writes numbers; `n` chooses between two forms. */
    say,
    /** Returns the same with a capital letter at its start. */
    title: (...call: Parameters<typeof say>): string =>
      say(...call).replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(lang)),
  };
}
