// Makes the pages better where scripts run. Each page works without it.

/** One language for all dates, as for the words and numbers beside them. @param {Intl.DateTimeFormatOptions} options */
const format = (options) => {
  const { format } = new Intl.DateTimeFormat('en-GB', options);
  return /** @param {Date} date */ (date) => format(date);
};
const local = format({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });

/** @type {Record<string, (date: Date) => string>} */
const SHORT = {
  hour: format({ hour: '2-digit', minute: '2-digit' }),
  weekday: format({ weekday: 'short' }),
  day: format({ weekday: 'long', day: 'numeric', month: 'long' }),
};

// Times as the reader's own clock shows them, on the axis of a chart in short.
for (const time of document.querySelectorAll('time')) {
  const date = new Date(time.dateTime);
  if (Number.isNaN(date.getTime())) continue;
  const short = SHORT[time.dataset.show ?? ''];
  time.title = short ? local(date) : (time.textContent ?? '');
  time.textContent = (short ?? local)(date);
}
for (const title of /** @type {NodeListOf<SVGTitleElement>} */ (document.querySelectorAll('svg title[data-at]'))) {
  title.textContent = (title.textContent ?? '').replace(/^.* UTC/, local(new Date(title.dataset.at ?? '')));
}

// A button that copies the text of another element: <button data-copy="ID" hidden>.
for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-copy]'))) {
  const source = document.getElementById(button.dataset.copy ?? '');
  if (!source || !navigator.clipboard) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select and copy it';
    }
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

// Scrolls the navigation to the open page, because a phone shows only a part of it. The page itself does not scroll.
for (const link of document.querySelectorAll(':is(.side nav, .sections) [aria-current]')) {
  const box = link.closest('nav');
  if (!box) continue;
  const outer = box.getBoundingClientRect();
  const inner = link.getBoundingClientRect();
  box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

// The menu of servers loads their names when it is opened: <details data-menu="address of the names" data-present="id of the server of the page">.
for (const menu of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll('details[data-menu]'))) {
  const list = menu.querySelector('ul');
  /** @param {{ id: string, name: string, initials: string, tint: number, picture: string | null }} server */
  const row = ({ id, name, initials, tint, picture }) => {
    const link = Object.assign(document.createElement('a'), { href: `/guilds/${encodeURIComponent(id)}` });
    if (id === menu.dataset.present) link.setAttribute('aria-current', 'true');
    const badge = Object.assign(document.createElement('span'), {
      className: `badge tint-${tint}`,
      textContent: initials,
      ariaHidden: 'true',
    });
    if (picture)
      badge.append(Object.assign(new Image(32, 32), { alt: '', referrerPolicy: 'no-referrer', src: picture }));
    link.append(badge, Object.assign(document.createElement('bdi'), { textContent: name }));
    const item = document.createElement('li');
    item.append(link);
    return item;
  };
  const fill = async () => {
    if (!menu.open) return;
    menu.removeEventListener('toggle', fill);
    const answer = await fetch(menu.dataset.menu ?? '').catch(() => undefined);
    // If the names cannot be read, the menu still links to the page of all servers, and reads the names again when it is opened again.
    if (!answer?.ok) return menu.addEventListener('toggle', fill);
    list?.prepend(...(await answer.json()).map(row));
  };
  menu.addEventListener('toggle', fill);
}

// A field that filters the rows of a list by their names: <div data-filter="ID of the list"> with an input and a status.
for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-filter]'))) {
  const field = box.querySelector('input');
  const status = document.querySelector('[role=status][data-filtered]');
  const rows = [...(document.getElementById(box.dataset.filter ?? '')?.querySelectorAll('li') ?? [])];
  if (!field || !status) continue;
  const texts = rows.map((row) => (row.querySelector('.lines')?.textContent ?? '').toLowerCase());
  const show = () => {
    const wanted = field.value.trim().toLowerCase();
    rows.forEach((row, i) => {
      row.hidden = !texts[i]?.includes(wanted);
    });
    const shown = rows.filter((row) => !row.hidden).length;
    status.textContent = wanted === '' ? '' : `${shown} of ${rows.length} members on this page`;
  };
  field.addEventListener('input', show);
  // A browser can restore the text of an earlier visit, so the filter runs at once. The text of a search on the server does not filter.
  if (field.value !== field.defaultValue) show();
}

// A form that is too large is not sent, because its input would be lost: <form data-max-kb="kB that are taken">.
for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll('form[data-max-kb]'))) {
  const button = form.querySelector('button');
  const check = () => {
    const fields = /** @type {[string, string][]} */ ([...new FormData(form)]);
    // A browser sends each line break as two characters.
    const kb = new URLSearchParams(fields).toString().replaceAll('%0A', '%0D%0A').length / 1024;
    const isTooLarge = kb > Number(form.dataset.maxKb);
    const problem = `This form has ${Math.ceil(kb)} kB, and may have at most ${form.dataset.maxKb} kB: shorten it.`;
    button?.setCustomValidity(isTooLarge ? problem : '');
  };
  form.addEventListener('input', check);
  check();
}

// A picker beside a field for a colour: <input type="color" data-colour-of="ID of the field" data-own="colour of the empty field" hidden>.
for (const picker of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('[data-colour-of]'))) {
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById(picker.dataset.colourOf ?? ''));
  if (!field) continue;
  const follow = () => {
    const colour = field.value.trim();
    picker.value = /^#[0-9a-f]{6}$/i.test(colour) ? colour : (picker.dataset.own ?? '');
  };
  picker.hidden = false;
  picker.addEventListener('input', () => {
    field.value = picker.value;
  });
  field.addEventListener('input', follow);
  follow();
}
