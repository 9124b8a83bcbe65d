/** The Python that Debian installs python3-redis and python3-discord for. */
export const python = '/usr/bin/python3';
