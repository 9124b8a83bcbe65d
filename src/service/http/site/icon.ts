const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#4f46e5"/>' +
  '<path fill="#fff" d="M5 18h6v8H5zM13 8h6v18h-6zM21 14h6v12h-6z"/></svg>';

/** The icon of the service for tabs and bookmarks, a podium, as an address that needs no request. */
export const ICON_ADDRESS = `data:image/svg+xml,${encodeURIComponent(ICON)}`;
