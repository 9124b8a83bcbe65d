/** Languages of the texts, in the order of each row below. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ar', 'ja'];
export const BETWEEN_LANGUAGES = '/';

/** The texts for visitors. `{x}` stands for a value; `one|other` are the forms for a count. Mistakes of the author are told in English. */
export const TEXTS = {
  title: 'Leaderboard/Rangliste/Classement/Clasificación/Classificação/لوحة الصدارة/ランキング',
  all: 'All time/Gesamt/Général/General/Geral/كل الأوقات/全期間',
  week: 'This week/Diese Woche/Cette semaine/Esta semana/Esta semana/هذا الأسبوع/今週',
  month: 'This month/Dieser Monat/Ce mois/Este mes/Este mês/هذا الشهر/今月',
  'week.prev': 'Last week/Letzte Woche/Semaine dernière/Semana pasada/Semana passada/الأسبوع الماضي/先週',
  'month.prev': 'Last month/Letzter Monat/Mois dernier/Mes pasado/Mês passado/الشهر الماضي/先月',
  member: 'Member/Mitglied/Membre/Miembro/Membro/العضو/メンバー',
  members: '{n} member|{n} members/{n} Mitglied|{n} Mitglieder/{n} membre|{n} membres/{n} miembro|{n} miembros/{n} membro|{n} membros/الأعضاء: {n}/メンバー{n}人',
  level: 'level {n}/Level {n}/niveau {n}/nivel {n}/nível {n}/المستوى {n}/レベル{n}',
  levelShort: 'Lv {n}/Lv. {n}/Niv. {n}/Nv. {n}/Nv. {n}/مستوى {n}/Lv {n}',
  average: 'avg. level {n}/Ø Level {n}/niveau moyen {n}/nivel medio {n}/nível médio {n}/متوسط المستوى {n}/平均レベル{n}',
  next: '{xp} XP to level {n}/noch {xp} XP bis Level {n}/{xp} XP avant le niveau {n}/{xp} XP para el nivel {n}/{xp} XP para o nível {n}/{xp} XP حتى المستوى {n}/レベル{n}まであと{xp} XP',
  you: 'you/du/vous/tú/você/أنت/あなた',
  rank: 'rank {n}/Rang {n}/rang {n}/puesto {n}/posição {n}/المركز {n}/{n}位',
  streak: 'daily streak {n}/Tagesserie {n}/série quotidienne {n}/racha diaria {n}/sequência diária {n}/سلسلة يومية {n}/連続{n}日',
  claim: 'last claim {date}/zuletzt abgeholt {date}/dernier bonus {date}/último bono {date}/último bônus {date}/آخر مكافأة {date}/最終受け取り {date}',
  find: 'Find a member by id/Mitglied per ID suchen/Chercher un membre par id/Buscar miembro por id/Procurar membro por id/البحث عن عضو بالمعرّف/IDでメンバーを検索',
  search: 'Find/Suchen/Chercher/Buscar/Procurar/بحث/検索',
  close: 'Close/Schließen/Fermer/Cerrar/Fechar/إغلاق/閉じる',
  show: 'Show in list/In der Liste zeigen/Montrer dans la liste/Mostrar en la lista/Mostrar na lista/عرض في القائمة/一覧で表示',
  live: 'Live/Live/En direct/En vivo/Ao vivo/مباشر/ライブ',
  updated: 'updated {ago}/aktualisiert {ago}/mis à jour {ago}/actualizado {ago}/atualizado {ago}/آخر تحديث {ago}/更新: {ago}',
  loading: 'Loading …/Wird geladen …/Chargement …/Cargando …/Carregando …/جارٍ التحميل …/読み込み中…',
  empty: 'No XP./Keine XP./Pas d’XP./Sin XP./Sem XP./لا توجد XP./XPはありません。',
  previous: 'Previous/Zurück/Précédent/Anterior/Anterior/السابق/前へ',
  following: 'Next/Weiter/Suivant/Siguiente/Próxima/التالي/次へ',
  missing: 'No member has the id “{id}”. Names are not searched./Kein Mitglied hat die ID „{id}“. Keine Suche nach Namen./Aucun membre n’a l’id « {id} ». Pas de recherche par nom./Ningún miembro tiene el id «{id}». No se busca por nombre./Nenhum membro tem o id “{id}”. Sem busca por nome./لا عضو بالمعرّف «{id}». لا يُبحث بالأسماء./IDが「{id}」のメンバーはいません。名前では検索できません。',
  away: 'Leaderboard unavailable/Rangliste nicht verfügbar/Classement indisponible/Clasificación no disponible/Classificação indisponível/لوحة الصدارة غير متاحة/ランキングは利用できません',
  stale: 'Not updated/Nicht aktualisiert/Pas à jour/Sin actualizar/Sem atualização/غير محدَّثة/更新できません',
  nextTry: 'Next try in {time}/Nächster Versuch in {time}/Prochain essai dans {time}/Próximo intento en {time}/Próxima tentativa em {time}/المحاولة التالية بعد {time}/次の試行まで {time}',
} as const satisfies Record<string, string>;

export type Label = keyof typeof TEXTS;
export type Labels = Readonly<Record<Label, string>>;
