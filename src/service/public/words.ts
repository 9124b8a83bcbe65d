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
  findMember: {
    en: 'Find a member by name or id',
    de: 'Mitglied nach Name oder ID suchen',
    fr: 'Chercher un membre par nom ou id',
    es: 'Buscar miembro por nombre o id',
    pt: 'Procurar membro por nome ou id',
    ar: 'البحث عن عضو بالاسم أو المعرّف',
    ja: '名前またはIDでメンバーを検索',
  },
  foundFor: {
    en: 'Members for “{text}”',
    de: 'Mitglieder zu „{text}“',
    fr: 'Membres pour « {text} »',
    es: 'Miembros para «{text}»',
    pt: 'Membros para “{text}”',
    ar: 'الأعضاء المطابقون لـ«{text}»',
    ja: '「{text}」のメンバー',
  },
  noneFound: {
    en: 'No member in this ranking has this name or id.',
    de: 'Kein Mitglied in dieser Rangliste hat diesen Namen oder diese ID.',
    fr: 'Aucun membre de ce classement n’a ce nom ou cet id.',
    es: 'Ningún miembro de esta clasificación tiene ese nombre o id.',
    pt: 'Nenhum membro desta classificação tem esse nome ou id.',
    ar: 'لا يوجد في هذا الترتيب عضو بهذا الاسم أو المعرّف.',
    ja: 'この名前またはIDのメンバーはこのランキングにいません。',
  },
  firstFound: {
    en: 'These are the first {n} by rank. Type more of the name to find others.',
    de: 'Das sind die ersten {n} nach Rang. Gib mehr vom Namen ein, um andere zu finden.',
    fr: 'Voici les {n} premiers par rang. Saisissez une plus grande partie du nom pour en trouver d’autres.',
    es: 'Estos son los {n} primeros por puesto. Escribe más letras del nombre para encontrar otros.',
    pt: 'Estes são os {n} primeiros por posição. Escreva mais do nome para encontrar outros.',
    ar: 'هؤلاء أول {n} حسب المركز. اكتب المزيد من الاسم للعثور على غيرهم.',
    ja: '順位順の最初の{n}人です。ほかの人を探すには、名前をもっと長く入力してください。',
  },
  idNeeded: {
    en: 'This server has too many names to search. Enter the id of the member.',
    de: 'Dieser Server hat zu viele Namen für eine Suche. Gib die ID des Mitglieds ein.',
    fr: 'Ce serveur a trop de noms pour une recherche. Saisissez l’id du membre.',
    es: 'Este servidor tiene demasiados nombres para buscar. Escribe el id del miembro.',
    pt: 'Este servidor tem nomes demais para procurar. Escreva o id do membro.',
    ar: 'في هذا الخادم أسماء أكثر من أن يُبحث فيها. أدخل معرّف العضو.',
    ja: 'このサーバーは名前が多すぎるため検索できません。メンバーのIDを入力してください。',
  },
  searchBusy: {
    en: 'Many people are searching just now',
    de: 'Gerade suchen viele',
    fr: 'Beaucoup de recherches sont en cours',
    es: 'Hay muchas búsquedas en este momento',
    pt: 'Há muitas pesquisas neste momento',
    ar: 'عمليات بحث كثيرة الآن',
    ja: '現在、検索が混み合っています',
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
