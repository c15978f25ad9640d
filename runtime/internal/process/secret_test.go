package process_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

func TestSecretNames(t *testing.T) {
	for want, names := range map[bool]string{
		true: `TOKEN token GITHUB_TOKEN GH_TOKEN NGROK_AUTHTOKEN accessToken NPM_CONFIG__AUTHTOKEN X_KEY API_KEY apiKey SSH_PRIVATE_KEY
			PASSWD MYSQL_PASSWD PASSWD_FILE HTPASSWD MYSQL_PWD DB_PWD db_pwd PGPASSWORD SUDO_PASSWORD SMTP_PASS PASS KEY_PASSPHRASE VPN_PASSCODE
			AZURE_CREDENTIALS GOOGLE_APPLICATION_CREDENTIALS AWS_CREDENTIAL CREDENTIALS DOCKER_CREDS GITHUB_PAT PAT AZURE_DEVOPS_EXT_PAT
			ID_JWT JWT SESSION_JWT SENTRY_DSN DSN PG_DSN SLACK_WEBHOOK_URL TEAMS_WEBHOOK WEBHOOK_URL DISCORD_WEBHOOK_URI
			REGISTRY_AUTH NPM_CONFIG__AUTH BASIC_AUTH DOCKER_AUTH_CONFIG HTTP_AUTHORIZATION SESSION_COOKIE COOKIE AUTHCOOKIE JAR_COOKIES TLS_PEM PEM
			CLIENT_SECRET SECRET_BASE AWS_SECRET_ACCESS_KEY DATABASE_URL WFC_DATABASE_URL TEST_DATABASE_URL
			WFC_SLACK_URL WFC_SLACK_TOKEN WFC_DISCORD_URL WFC_TELEGRAM_URL WFC_WEBHOOK_CI_URL WFC_GATE_TOKEN AZURE_STORAGE_CONNECTION_STRING OPENAI_API_KEYS`,
		false: `PATH HOME PWD OLDPWD OLD_PWD INIT_PWD ORIGINAL_PWD TOKENIZERS_PARALLELISM TOKENS MAX_TOKENS MAX_TOKEN NUM_TOKENS OUTPUT_TOKENS
			GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL AUTHOR AUTHORS XAUTHORITY SSH_AUTH_SOCK USE_AUTH ENABLE_AUTH NO_AUTH SKIP_AUTH REQUIRE_AUTH AUTH_URL
			KEYBOARD KEYMAP MONKEY KEY_COUNT PATTERN MANPATH PYTHONPATH FILE_PATTERN COOKIECUTTER_CONFIG COOKIE_DOMAIN
			COMPASS BYPASS_CACHE PASSENGER_ENV CREDENTIALS_MODE WEBHOOK_PORT WFC_STATE WFC_RUN_ID WFC_STEP_KEY WFC_RESUMED_FOR
			PEMBROKE DSNAME JWTISH HTTP_PROXY EDITOR LANG TERM _`,
	} {
		for name := range strings.FieldsSeq(names) {
			if got := process.NamesSecret(name); got != want {
				t.Errorf("NamesSecret(%q) = %v", name, got)
			}
		}
	}
}

func TestSecretValues(t *testing.T) {
	for value, want := range map[string]string{ // what of it is masked when it is shown alone
		"postgres://ann:s3cret-pw@db/x":                    "s3cret-pw",
		"redis://:s3cret-pw@cache:6379/0":                  "s3cret-pw",
		"https://x-access-token:ghs_abcdef@github.com/o/r": "ghs_abcdef",
		"postgres://ann:12#45/67@db.example/x":             "12#45/67",
		"mysql://u:p%40ss-word@h":                          "p@ss-word",
		"--index-url https://u:deadbeef@pypi.example -v":   "deadbeef",
		"amqp://a:first-1@h,amqp://b:second-2@h":           "second-2",
		"https://example.com/a:b@c":                        "",
		"https://example.com:8080/@scope/pkg":              "",
		"https://user@example.com/":                        "",
		"git@github.com:owner/repo.git":                    "",
		"http://localhost:8080":                            "",
		"/home/ann/a:b@c":                                  "",
		"":                                                 "",
	} {
		if got := process.Secret("PLAIN", value); got != (want != "") {
			t.Errorf("Secret(%q) = %v", value, got)
		}
		if want != "" {
			if got := process.Mask([]string{"PLAIN=" + value}, "it is "+want+"."); got != "it is ***." {
				t.Errorf("%q: masked as %q", value, got)
			}
		}
	}
}

func TestMaskedParts(t *testing.T) {
	for _, test := range []struct{ entry, text, want string }{
		{"SLACK_WEBHOOK_URL=https://hooks.slack.com/services/T00/B00/XyZabc123456789", "POST /services/T00/B00/XyZabc123456789 failed", "POST *** failed"},
		{"SLACK_WEBHOOK_URL=https://hooks.slack.com/services/T00/B00/XyZabc123456789", "key XyZabc123456789, services", "key ***, services"},
		{"CI_WEBHOOK_URL=https://hooks.example.com/notifications/all", "the notifications of hooks.example.com", "the notifications of hooks.example.com"},
		{"DATABASE_URL=postgres://ann:s3cret@db/a_long_database_name1", "a_long_database_name1 refuses s3cret", "a_long_database_name1 refuses ***"},
		{"TLS_PEM=-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nshort\n-----END KEY-----", "line MIIEvQIBADANBgkqhkiG, short, -----BEGIN KEY-----", "line ***, short, -----BEGIN KEY-----"},
		{`AZURE_CREDENTIALS={"clientId":"visible-id","clientSecret":"hidden-one"}`, "visible-id hidden-one", "visible-id ***"},
		{"PG_DSN=host=db user=ann password='s3cret-pw' dbname=shop", "ann of shop: s3cret-pw", "ann of shop: ***"},
		{"AZURE_STORAGE_CONNECTION_STRING=AccountName=shop;AccountKey=bXlrZXk=;Server=db", "shop db bXlrZXk=", "shop db ***"},
		{"SESSION_COOKIE=theme=dark; sid=0123456789", "dark 0123456789", "dark ***"},
		{"HTTPS_PROXY=http://ann:s3cret@proxy:3128", "through http://ann:s3cret@proxy:3128 as ann:s3cret", "through *** as ***"},
		{"USES_AUTH=enabled", "it is enabled", "it is enabled"},
	} {
		if got := process.Mask([]string{test.entry}, test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.entry, got, test.want)
		}
	}
}

// What settings say is a secret is masked under any name.
func TestNamedSecrets(t *testing.T) {
	environ := []string{"OPS_HOOK=https://ops.example/h/0123456789abcdef", "OPS_BOT=123456:AAAbbb", "EDITOR=vim-the-editor", "A_TOKEN=abcdef"}
	secrets := process.Secrets(environ, []string{"OPS_HOOK", "OPS_BOT", "UNSET"})
	const text = "0123456789abcdef 123456:AAAbbb vim-the-editor abcdef"
	if got := process.Mask(secrets, text); got != "*** *** vim-the-editor ***" {
		t.Errorf("%q", got)
	}
}
