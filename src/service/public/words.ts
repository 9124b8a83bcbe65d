import { TEXTS as WIDGET_TEXTS } from '../../widget/strings.ts';
import { createTranslator, type Language, type Texts } from '../../widget/translation.ts';

/** The texts that the page has beside those of the widget, in the same languages. `{x}` stands for a value. */
const OWN_TEXTS = {
  rankOf: {
    en: '{n} of {m}',
    de: '{n} von {m}',
    fr: '{n} sur {m}',
    es: '{n} de {m}',
    pt: '{n} de {m}',
    ar: '{n} من {m}',
    ja: '{m}人中{n}位',
  },
  rankName: {
    en: 'Rank',
    de: 'Rang',
    fr: 'Rang',
    es: 'Puesto',
    pt: 'Posição',
    ar: 'المركز',
    ja: '順位',
  },
  levelName: {
    en: 'Level',
    de: 'Level',
    fr: 'Niveau',
    es: 'Nivel',
    pt: 'Nível',
    ar: 'المستوى',
    ja: 'レベル',
  },
  streakName: {
    en: 'Daily streak',
    de: 'Tagesserie',
    fr: 'Série quotidienne',
    es: 'Racha diaria',
    pt: 'Sequência diária',
    ar: 'السلسلة اليومية',
    ja: '連続日数',
  },
  around: {
    en: 'Around this member',
    de: 'Rund um dieses Mitglied',
    fr: 'Autour de ce membre',
    es: 'Cerca de este miembro',
    pt: 'Perto deste membro',
    ar: 'حول هذا العضو',
    ja: 'このメンバーの前後',
  },
  list: {
    en: 'Members by rank',
    de: 'Mitglieder nach Rang',
    fr: 'Membres par rang',
    es: 'Miembros por puesto',
    pt: 'Membros por posição',
    ar: 'الأعضاء حسب المركز',
    ja: '順位順のメンバー',
  },
  pages: {
    en: 'Pages',
    de: 'Seiten',
    fr: 'Pages',
    es: 'Páginas',
    pt: 'Páginas',
    ar: 'الصفحات',
    ja: 'ページ',
  },
  isMe: {
    en: 'This is me',
    de: 'Das bin ich',
    fr: 'C’est moi',
    es: 'Soy yo',
    pt: 'Sou eu',
    ar: 'هذا أنا',
    ja: 'これは私です',
  },
  notMe: {
    en: 'This is not me',
    de: 'Das bin ich nicht',
    fr: 'Ce n’est pas moi',
    es: 'No soy yo',
    pt: 'Não sou eu',
    ar: 'هذا ليس أنا',
    ja: 'これは私ではありません',
  },
  pageOf: {
    en: 'Page {n} of {m}',
    de: 'Seite {n} von {m}',
    fr: 'Page {n} sur {m}',
    es: 'Página {n} de {m}',
    pt: 'Página {n} de {m}',
    ar: 'الصفحة {n} من {m}',
    ja: '{m}ページ中{n}ページ',
  },
  past: {
    en: 'This page is past the end of the ranking.',
    de: 'Diese Seite liegt hinter dem Ende der Rangliste.',
    fr: 'Cette page est après la fin du classement.',
    es: 'Esta página está después del final de la clasificación.',
    pt: 'Esta página fica depois do fim da classificação.',
    ar: 'هذه الصفحة بعد نهاية الترتيب.',
    ja: 'このページはランキングの末尾より後です。',
  },
  stale: {
    en: 'Not up to date',
    de: 'Nicht aktuell',
    fr: 'Pas à jour',
    es: 'No está al día',
    pt: 'Desatualizado',
    ar: 'غير محدّث',
    ja: '最新ではありません',
  },
  nothing: {
    en: 'Nothing here',
    de: 'Hier ist nichts',
    fr: 'Rien ici',
    es: 'Aquí no hay nada',
    pt: 'Nada aqui',
    ar: 'لا شيء هنا',
    ja: 'ここには何もありません',
  },
  noPage: {
    en: 'There is no public page here, or no such member in this ranking.',
    de: 'Hier gibt es keine öffentliche Seite, oder kein solches Mitglied in dieser Rangliste.',
    fr: 'Il n’y a pas de page publique ici, ou pas ce membre dans ce classement.',
    es: 'Aquí no hay página pública, o ese miembro no está en esta clasificación.',
    pt: 'Não há página pública aqui, ou esse membro não está nesta classificação.',
    ar: 'لا توجد صفحة عامة هنا، أو لا يوجد هذا العضو في الترتيب.',
    ja: '公開ページがないか、このランキングにそのメンバーはいません。',
  },
  unranked: {
    en: 'This member is not in this ranking.',
    de: 'Dieses Mitglied steht nicht in dieser Rangliste.',
    fr: 'Ce membre n’est pas dans ce classement.',
    es: 'Este miembro no está en esta clasificación.',
    pt: 'Este membro não está nesta classificação.',
    ar: 'هذا العضو ليس في هذا الترتيب.',
    ja: 'このメンバーはこのランキングにいません。',
  },
  tooMany: {
    en: 'Too many requests',
    de: 'Zu viele Anfragen',
    fr: 'Trop de requêtes',
    es: 'Demasiadas solicitudes',
    pt: 'Muitas solicitações',
    ar: 'طلبات كثيرة جدًا',
    ja: 'リクエストが多すぎます',
  },
  later: {
    en: 'Wait a moment, and load this page again.',
    de: 'Warte einen Moment und lade die Seite neu.',
    fr: 'Attendez un instant et rechargez la page.',
    es: 'Espera un momento y vuelve a cargar la página.',
    pt: 'Espere um momento e recarregue a página.',
    ar: 'انتظر لحظة ثم أعد تحميل الصفحة.',
    ja: '少し待ってから再読み込みしてください。',
  },
} as const satisfies Texts;

const TEXTS = { ...WIDGET_TEXTS, ...OWN_TEXTS };

export type Words = ReturnType<typeof createWords>;

const known = new Map<Language, Words>();

/** Returns texts and numbers in a language of the widget. */
export function wordsOf(lang: Language): Words {
  const words = known.get(lang) ?? createWords(lang);
  known.set(lang, words);
  return words;
}

const createWords = (lang: Language) => createTranslator(TEXTS, lang);
