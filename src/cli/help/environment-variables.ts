/** Every environment variable that changes what bankapi does: for `bankapi help environment` and docs/environment.md. */

export interface EnvironmentVariable {
  readonly name: string
  readonly meaning: string
}

export const environmentVariables: readonly EnvironmentVariable[] = [
  { name: 'BANKAPI_ENV', meaning: 'environment without --env: local, sandbox or live' },
  { name: 'BANKAPI_BASE_URL', meaning: 'address of the service without --base-url; ends in /v3' },
  { name: 'BANKAPI_API_KEY', meaning: 'the API key; goes before the keychain and the credentials file' },
  { name: 'BANKAPI_CLIENT_ID', meaning: 'Client (end-user) to act for without --client' },
  { name: 'BANKAPI_PORTAL_SECRET', meaning: 'the portal bootstrap secret' },
  { name: 'BANKAPI_WEBHOOK_SECRET', meaning: 'the signing secret of a webhook subscription' },
  { name: 'BANKAPI_CONFIG_DIR', meaning: 'folder of the settings and of the credentials file' },
  { name: 'BANKAPI_DATA_DIR', meaning: "folder of the inbox and of the emulator's data" },
  { name: 'BANKAPI_PAGER', meaning: 'pager for long text on a terminal, before PAGER; empty or cat: none' },
  { name: 'BANKAPI_DEBUG', meaning: 'set to log each request to stderr, as --debug does' },
  {
    name: 'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    meaning: 'the proxy to go through, and the hosts that need none',
  },
  { name: 'NODE_EXTRA_CA_CERTS', meaning: 'a file with certificate authorities to trust besides the usual' },
  {
    name: 'NODE_TLS_REJECT_UNAUTHORIZED',
    meaning: 'not heeded: a certificate of the service that does not verify is refused',
  },
  { name: 'NO_COLOR, FORCE_COLOR', meaning: 'colours never, or also into a pipe' },
  { name: 'COLUMNS', meaning: 'width of text where there is no terminal to ask' },
  { name: 'CI', meaning: 'when set, nothing is asked: what needs a confirmation needs --yes' },
  {
    name: 'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    meaning: 'where the folders of bankapi are, unless BANKAPI_CONFIG_DIR and BANKAPI_DATA_DIR say it',
  },
]
