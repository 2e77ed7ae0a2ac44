package redact

import (
	"strings"
	"testing"
)

// What programs print is masked by more forms than a manifest, and what says what is wrong stays.
func TestPrinted(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text, want string
	}{
		"Plain":         {"what has no secret stays", "Error: cannot find chart web at ./charts: no such file", "Error: cannot find chart web at ./charts: no such file"},
		"Empty":         {"a program may say nothing", "", ""},
		"Key":           {"a private key goes with its lines", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb"},
		"Block":         {"PGP calls it a block", "a\n-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQdG\n-----END PGP PRIVATE KEY BLOCK-----\nb", "a\n[redacted]\nb"},
		"Cut end":       {"of a key that was cut nothing is left", "a\n-----BEGIN PRIVATE KEY-----\nMIIE", "a\n[redacted]"},
		"Cut beginning": {"the beginning may have been cut off with the output before", "MIIE\n-----END PRIVATE KEY-----\nthe reason", "[redacted]\nthe reason"},
		"Cut block":     {"also of a block", "lQdG\n-----END PGP PRIVATE KEY BLOCK-----\nthe reason", "[redacted]\nthe reason"},
		"Certificate":   {"a certificate is public", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"},
		"age":           {"an identity of age", "with AGE-SECRET-KEY-1QQQQ: no", "with [redacted]: no"},
		"Login":         {"who asks may be a token", "GET https://hunter2@host/x: 404", "GET https://[redacted]@host/x: 404"},
		"Password":      {"and a user may be one", "GET https://bob:hunter2@host/x: 404", "GET https://[redacted]@host/x: 404"},
		"Long password": {"who writes an address may forget to escape", "https://bob:p@ss@host/x", "https://[redacted]@host/x"},
		"Bearer":        {"a header, in any case", "sent BEARER abcdefgh", "sent BEARER [redacted]"},
		"Basic":         {"without the name of its header", "sent basic Ym9iOmh1bnRlcjI=", "sent basic [redacted]"},
		"Next line":     {"who prints a header may break it", "Bearer\n  abcdefgh", "Bearer [redacted]"},
		"Word":          {"a short word is none", "basic auth", "basic auth"},
		"GitHub":        {"tokens are known by how they begin", "no ghp_0123456789 here", "no [redacted] here"},
		"GitLab":        {"those of GitLab", "glpat-0123456789_-", "[redacted]"},
		"Slack":         {"of Slack", "xoxb-0123456789", "[redacted]"},
		"AWS":           {"of AWS", "AKIA0123456789ABCDEF", "[redacted]"},
		"JWT":           {"and of OpenID Connect", "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "[redacted]"},
		"Short":         {"what is shorter is a word", "ghp_012345678", "ghp_012345678"},
		"Within":        {"and so is what begins inside of one", "xghp_0123456789", "xghp_0123456789"},
		"Variable":      {"a key that has such a word somewhere", "MY_TOKEN_FILE=abc next", "MY_TOKEN_FILE=[redacted] next"},
		"Quotes":        {"quotes stay, and what is behind a blank", `x secret_value="correct horse", user=bob`, `x secret_value="[redacted] horse", user=bob`},
		"Reason":        {"what is said of a key stays, but for a word", "token: must not be empty", "token: [redacted] not be empty"},
		"Folder":        {"a folder goes with passwords, which connection strings call so", "PWD=/work/repo ls", "PWD=[redacted] ls"},
		"Two":           {"each has its own", "password=a&b token=c;pwd=d", "password=[redacted] token=[redacted];pwd=[redacted]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Printed(tc.text, nil)
			if got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if again := Printed(got, nil); strings.Contains(again, "hunter2") || len(again) > len(got)+16 {
				t.Errorf("%s: printed again it is %q", tc.reason, again)
			}
		})
	}
}

// The values of variables that are named like secrets are masked wherever they stand.
func TestPrintedVariables(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, variable, text, want string
	}{
		"Value":     {"it is masked in any word", "DB_PASSWORD=swordfish", "no aswordfishb", "no a[masked]b"},
		"Any place": {"the word may be anywhere in the name, in any case", "my_auth_x=swordfish", "no swordfish", "no [masked]"},
		"Equals":    {"a value may have the sign itself", "API_KEY=sword=fish", "no sword=fish or sword", "no [masked] or sword"},
		"Bound":     {"four bytes are a secret", "PASS=fish", "no fish", "no [masked]"},
		"Short":     {"three may be a part of any word", "PASS=fis", "no fish", "no fish"},
		"Other":     {"other variables have none", "COLOUR=swordfish", "no swordfish", "no swordfish"},
		"No value":  {"one without a sign has none", "PASSWORD", "no PASSWORD", "no PASSWORD"},
		"No name":   {"one without a name is not named like one", "=swordfish", "no swordfish", "no swordfish"},
		"Unicode":   {"letters are of any script", "PASSWORD=schwertfïsch", "no schwertfïsch", "no [masked]"},
		"Bytes":     {"a value need not be text", "PASSWORD=\xff\xfe\xfd\xfc", "no \xff\xfe\xfd\xfc", "no [masked]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Printed(tc.text, []string{"USER=bob", tc.variable}); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestPrintedHidesSensitiveKeys: what a key hides in a manifest, it hides in what is printed.
func TestPrintedHidesSensitiveKeys(t *testing.T) {
	for _, key := range []string{
		"password", "db-passwd", "DB_PWD", "Passphrase", "x.token", "CLIENT_SECRET", "private_key", "privateKey", "apiKey", "api-key", "secretKey", "accessKey", "aws_access_key",
		"encryption-key", "signing.key", "sharedKey", "credential", "credentials", "dockerconfigjson", ".dockercfg", "htpasswd", "connectionString", "connection_string", "tlsKey",
	} {
		for _, sign := range []string{"=", ": ", "\": \"", " = '"} {
			if !Sensitive(key) {
				t.Errorf("%s is not sensitive", key)
			}
			if got := Printed("see x/"+key+sign+"hunter2 next", nil); strings.Contains(got, "hunter2") || !strings.HasSuffix(got, " next") || !strings.HasPrefix(got, "see ") {
				t.Errorf("of %s%s it shows %q", key, sign, got)
			}
		}
	}
}

// TestPrintedTakesLittle: what a program prints is bounded, and no form takes squares of it.
func TestPrintedTakesLittle(t *testing.T) {
	for _, part := range []string{"-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----", "://", "token", "secret_", "bearer ", "eyJ", "password=\"", "AGE-SECRET-KEY-"} {
		text := strings.Repeat(part, 1<<18/len(part))
		if got := Printed(text, nil); len(got) > 4*len(text) {
			t.Errorf("%q becomes %d bytes", part, len(got))
		}
	}
}
