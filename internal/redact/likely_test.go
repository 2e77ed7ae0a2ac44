package redact

import (
	"strings"
	"testing"
)

// What is masked inside of texts, and that what stands around it is shown.
func TestLikelySecretsInTexts(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text, want string
	}{
		"YAML":              {"a value ends with its line", "user: bob\npassword: correct horse battery\nport: 5", "user: bob\npassword: [masked]\nport: 5"},
		"Item":              {"the first key of an item begins its line", "- password: correct horse", "- password: [masked]"},
		"Anchor":            {"an anchor is no value", "password: &p hunter2", "password: [masked]"},
		"Tag":               {"nor is a tag", "{password: !!str hunter2, user: bob}", "{password: [masked], user: bob}"},
		"Flow":              {"in a flow a value ends before the next", "{password: hunter2, user: bob}", "{password: [masked], user: bob}"},
		"Flow list":         {"each item of a list is one", "token: [one, two]", "token: [masked]"},
		"Quotes of YAML":    {"two quotes stand for one", "password: 'it''s me'\nuser: bob", "password: [masked]\nuser: bob"},
		"Pipe":              {"it begins with what could begin a block", "password: |hunter2", "password: [masked]"},
		"Properties":        {"a value may have blanks", "db.password=my secret", "db.password=[masked]"},
		"INI":               {"the same", "password = my secret", "password = [masked]"},
		"Shell":             {"a value ends with its word", "PASSWORD=hunter2 ./run --fast", "PASSWORD=[masked] ./run --fast"},
		"Flag":              {"so does that of a flag", "--db-password=hunter2 --fast", "--db-password=[masked] --fast"},
		"Rocket":            {"Ruby and Logstash assign with =>", `password => "hunter2"`, `password => [masked]`},
		"Nix":               {"others with :=", `password := "hunter2"`, `password := [masked]`},
		"JSON":              {"the next key is another one", `{"password": "hunter2", "user": "bob"}`, `{"password": [masked], "user": "bob"}`},
		"Escaped quote":     {"a quote with a backslash does not end a value", `{"password": "hun\"ter2", "user": "bob"}`, `{"password": [masked], "user": "bob"}`},
		"Escaped backslash": {"a backslash with another one does not escape the quote", `{"password": "hunter2\\", "user": "bob"}`, `{"password": [masked], "user": "bob"}`},
		"JSON in JSON":      {"quotes have backslashes there", `{"c": "{\"password\":\"hunter2\",\"user\":\"bob\"}"}`, `{"c": "{\"password\":[masked],\"user\":\"bob\"}"}`},
		"Quote in JSON in JSON": {
			"the number of backslashes says whose quote it is",
			`{"c": "{\"password\":\"hun\\\"ter2\",\"user\":\"bob\"}"}`, `{"c": "{\"password\":[masked],\"user\":\"bob\"}"}`,
		},
		"Deeper":            {"once more", `\\\"password\\\":\\\"hunter2\\\",`, `\\\"password\\\":[masked],`},
		"Cut":               {"of a text that was cut, the quote does not end", `user: bob, password: "hunter2 and`, `user: bob, password: [masked]`},
		"Lines in quotes":   {"a quoted text may have several lines", "password: \"hun\n  ter2\"\nuser: bob", "password: [masked]\nuser: bob"},
		"TOML":              {"three quotes end with three", "password = \"\"\"\nhunter2\n\"\"\"\nuser = 1", "password = [masked]\nuser = 1"},
		"CRLF":              {"lines of Windows", "password: hunter2\r\nuser: bob\r\n", "password: [masked]\r\nuser: bob\r\n"},
		"Connection string": {"an assignment inside of another key's value", `{"db": "Server=x;Password=Hunter2!;User=sa"}`, `{"db": "Server=x;Password=[masked];User=sa"}`},
		"Options":           {"the same in a shell", `JAVA_OPTS=-Dtoken=hunter2 x`, `JAVA_OPTS=-Dtoken=[masked] x`},
		"Command":           {"the same in YAML", `command: --password=hunter2`, `command: --password=[masked]`},
		"Parameter":         {"an address has parameters", `see: https://host/?token=hunter2&page=2`, `see: https://host/?token=[masked]&page=2`},
		"XML":               {"an element of a sensitive name", "<user>bob</user><password type='x'>hunter2</password>", "<user>bob</user><password type='x'>[masked]</password>"},
		"Userinfo":          {"who writes an address may forget to escape", "postgres://bob:p@ss:w@db/x", "postgres://bob:[masked]@db/x"},
		"No user":           {"a password may be alone", "redis://:hunter2@db", "redis://:[masked]@db"},
		"Bearer":            {"a header", "Authorization: Bearer abcdef0123456789", "Authorization: Bearer [masked]"},
		"Basic":             {"the same with a password", `"authorization": "Basic Ym9iOmh1bnRlcjI="`, `"authorization": "Basic [masked]"`},
		"Hash in quotes":    {"a hash in quotes begins no comment", `password: "12345 #hunter2"`, `password: [masked]`},
		"In a comment":      {"what follows a reference is another matter", "password: ${P} # was password=hunter2", "password: ${P} # was password=[masked]"},
		"After a template":  {"so is the next key", `"password": {{ .P }}, "token": "hunter2"`, `"password": {{ .P }}, "token": [masked]`},
		"Open quote":        {"a quote that its line does not close", "note: \"use password:hunter2\n  today\"", "note: \"use password:[masked]\n  today\""},
		"Bang":              {"a tag is one in YAML alone", "--password=!hunter2 |\ngzip", "--password=[masked] |\ngzip"},
		"JSON in lines":     {"values of JSON end before the comma", "{\n  \"user\": 1,\n  \"token\": 12345678,\n  \"b\": 2\n}", "{\n  \"user\": 1,\n  \"token\": [masked],\n  \"b\": 2\n}"},
		"Map":               {"keys of a map are judged by themselves", `{"secret": {"name": "x", "password": "hunter2"}}`, `{"secret": {"name": "x", "password": [masked]}}`},
		"Apostrophe":        {"one before is no quote of the value", "it isn't password: 'hunter2'", "it isn't password: [masked]"},
		"PEM":               {"a key that was cut", "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE", "-----BEGIN EC PRIVATE KEY-----[masked]"},
		"PGP":               {"PGP calls it a block", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQdG\n-----END PGP PRIVATE KEY BLOCK-----\n", "-----BEGIN PGP PRIVATE KEY BLOCK-----[masked]-----END PGP PRIVATE KEY BLOCK-----\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := likely(tc.text); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// What is masked for a default value is a secret; what only names one is shown.
func TestReferencesInTextsAreShown(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, value string
		shown         bool
	}{
		"Flag":             {"yes or no", "true", true},
		"Number":           {"a short number", "12345", true},
		"Long number":      {"which may be a PIN", "12345678", false},
		"Empty":            {"there is none", `""`, true},
		"Comment":          {"what is said of none", "null # see the vault", true},
		"Variable":         {"of a shell", "${DB_PASSWORD}", true},
		"Collector":        {"of a collector", `"${env:DB_PASSWORD}"`, true},
		"Default":          {"a shell's default", "${DB_PASSWORD:-hunter2}", false},
		"Spring's default": {"another one", "${DB_PASSWORD:hunter2}", false},
		"Behind":           {"a variable is a part", "${PREFIX}hunter2", false},
		"Windows":          {"a variable of Windows", "%DB_PASSWORD%", true},
		"Percent":          {"signs around a text", "%hunter 2!%", false},
		"Kubernetes":       {"a variable of Kubernetes", "$(DB_PASSWORD)", true},
		"Empty default":    {"a shell's, of nothing", "${DB_PASSWORD:-}", true},
		"Demanded":         {"a shell's message", `"${DB_PASSWORD:?is not set}"`, true},
		"Workflow":         {"a reference of a workflow", "${{ secrets.DB_PASSWORD }}", true},
		"Provider":         {"a place in a file", "${file:/etc/db.properties:password}", true},
		"Substituted":      {"what follows one", "$(PREFIX)hunter2", false},
		"Template":         {"a template", "{{ .Values.password | quote }}", true},
		"Template's":       {"its default", `{{ .Values.password | default "hunter2" }}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			text := "db:\n  password: " + tc.value
			if got := likely(text); (got == text) != tc.shown {
				t.Errorf("%s: shown is %q", tc.reason, got)
			}
		})
	}
}

// Words that end like keys of secrets in names are no keys.
func TestNamesInTextsAreShown(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
	}{
		"Image":    {"a colon without a blank in a value", "image: registry/vault-token:1.2.3"},
		"Quoted":   {"the same in quotes", `"image": "registry/vault-token:1.2.3"`},
		"ARN":      {"an identifier has many colons", "arn:aws:secretsmanager:eu:1:secret:prod/db-x"},
		"Clean":    {"no key is sensitive", "user: bob\npasswords-at: vault"},
		"Asked":    {"a question ends with its quote", "read -p \"Password: \" pw\nx=\"$pw\""},
		"Searched": {"so does what is looked for", "grep 'token:' f\ng='x'"},
		"Hint":     {"a text of JSON that ends so", `{"hint": "Password:", "x": 1}`},
		"None":     {"values of JSON that are none", "{\n  \"token\": null,\n  \"secret\": true,\n  \"pin\": 1\n}"},
		"Bearer":   {"the next line is no token", "type: Bearer\naudience: something"},
		"Nothing":  {"a value that is not there", "{password: , user: bob}\ntoken:\n  secretKeyRef: x\n?token=&page=2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := likely(tc.text); got != tc.text {
				t.Errorf("%s: got %q", tc.reason, got)
			}
		})
	}
}

// Blocks of YAML inside of texts are masked as a whole, and no other line goes.
func TestBlocksInTexts(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text, want string
	}{
		"Block":     {"it ends with its depth", "a:\n  token: |\n    one\n\n    two\n  user: bob", "a:\n  token: |\n    [masked]\n  user: bob"},
		"Folded":    {"of another form, with its own depth", "token: >2-\n   one\nuser: bob", "token: >2-\n  [masked]\nuser: bob"},
		"Item":      {"in a list", "- token: |\n    one\n  user: bob", "- token: |\n    [masked]\n  user: bob"},
		"Commented": {"with a comment", "token: | # of the host\n  one", "token: | # of the host\n  [masked]"},
		"Anchored":  {"with a tag and an anchor", "token: !!str &t |\n  one", "token: !!str &t |\n  [masked]"},
		"Empty":     {"the next line is not the block's", "token: |\nuser: bob", "token: |\n  [masked]\nuser: bob"},
		"In a row":  {"an empty one before one that is not as deep", "  password: |\ntoken: |\n one", "  password: |\n    [masked]\ntoken: |\n  [masked]"},
		"Other":     {"a block of another key", "conf: |\n  user: bob", "conf: |\n  user: bob"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := likely(tc.text); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestSecretsBelowTheirKeys: YAML takes the next line for a value, where it is deeper.
func TestSecretsBelowTheirKeys(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text, want string
	}{
		"Word":      {"a word is one", "db:\n  password:\n    hunter2\n  user: bob", "db:\n  password:\n    [masked]\n  user: bob"},
		"Quotes":    {"and a text in quotes, with blanks", "password:\n  \"correct horse\" # of all\nuser: bob", "password:\n  [masked] # of all\nuser: bob"},
		"JSON":      {"also in JSON", "{\n  \"token\":\n    \"hunter2\",\n  \"user\": 1\n}", "{\n  \"token\":\n    [masked],\n  \"user\": 1\n}"},
		"Item":      {"of an item of a list", "- token:\n    hunter2\n  user: bob", "- token:\n    [masked]\n  user: bob"},
		"Windows":   {"with lines of Windows", "password:\r\n  hunter2\r\nuser: bob\r\n", "password:\r\n  [masked]\r\nuser: bob\r\n"},
		"Tab":       {"with any blanks before it", "password:\n  \thunter2", "password:\n  \t[masked]"},
		"Apart":     {"what is said of it may stand between", "password:\n\n  # as of May\n  hunter2", "password:\n\n  # as of May\n  [masked]"},
		"Tag":       {"and a tag before", "password: !!str\n  12345678\nuser: bob", "password: [masked]\n  [masked]\nuser: bob"},
		"Dash":      {"it may begin with what could begin an item", "password:\n  -hunter2", "password:\n  [masked]"},
		"Level":     {"a line that is not deeper is another matter", "password:\nhunter2", "password:\nhunter2"},
		"Map":       {"a map is judged by itself", "token:\n  secretKeyRef:\n    name: x\n  name: x", "token:\n  secretKeyRef:\n    name: x\n  name: x"},
		"Keys":      {"also with keys in quotes", "secret:\n  \"name\": x", "secret:\n  \"name\": x"},
		"List":      {"and so is a list", "secret:\n  - a\ntoken:\n  [a]\npassword:\n  *p", "secret:\n  - a\ntoken:\n  [a]\npassword:\n  *p"},
		"Reference": {"what only names one is shown", "password:\n  ${DB_PASSWORD}\ntoken:\n  {{.Values.token}}\nsecret:\n  true", "password:\n  ${DB_PASSWORD}\ntoken:\n  {{.Values.token}}\nsecret:\n  true"},
		"Sentence":  {"who explains something writes sentences", "Password:\n  take the one of the vault\n", "Password:\n  take the one of the vault\n"},
		"Other":     {"other keys have no secrets", "user:\n  bob", "user:\n  bob"},
		"Second":    {"a value ends with its line", "password:\n  hunter2\n  and", "password:\n  [masked]\n  and"},
		"Twice":     {"each key has its own", "password:\n  token:\n    hunter2", "password:\n  token:\n    [masked]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := likely(tc.text); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestSecretsInAnyWriting writes one secret under each sign, in each quotes, and with each
// thing around it: it is shown by none of these, and what stands around it is by all.
func TestSecretsInAnyWriting(t *testing.T) {
	const secret = "hunter2"
	around := map[string][2]string{
		"alone": {"", ""}, "a line": {"before: x\n", "\nafter: y"}, "Windows": {"before: x\r\n", "\r\nafter: y"}, "an item": {"- ", "\n- after"},
		"a flow": {"{before: x, ", ", after: y}"}, "JSON": {`{"before": "x", "`, `, "after": "y"}`}, "a shell": {"export before=x ", " after"},
		"a value": {"before: ", "\nafter: y"}, "a quoted value": {`before="x;`, `;after=y"`}, "an address": {"https://before/?x=y&", "&after=y"},
	}
	for place, p := range around {
		for _, key := range []string{"password", "DB_PASSWORD", "client-secret", "spring.datasource.password", "apiKey"} {
			for _, sign := range []string{"=", ": ", " = ", "=>", ":="} {
				for _, quotes := range []string{"", `"`, "'"} {
					if place == "JSON" {
						key = strings.TrimSuffix(key, `"`) + `"`
					}
					text := p[0] + key + sign + quotes + secret + quotes + p[1]
					got := likely(text)
					if strings.Contains(got, secret) || !strings.Contains(got, Mask) {
						t.Errorf("%s: of %q it shows %q", place, text, got)
					}
					if strings.Contains(p[0], "before") && !strings.Contains(got, "before") {
						t.Errorf("%s: of %q what is before is gone: %q", place, text, got)
					}
				}
			}
		}
	}
}

// TestTextsOfManyKeys: what is done is in proportion to the length, also where nothing
// ends; by squares of it this would take hours.
func TestTextsOfManyKeys(t *testing.T) {
	blanks := strings.Repeat(" ", 1<<20) + "x"
	for part, end := range map[string]string{
		"token=|#": "", "token=!1,": "", "token=1 ": blanks, "token={{": "", `token="{{`: "", "token=${": "", "token='{{ token=\"{{ ": "", "a=\"b c='": "", "token: &a ": "",
		`token:\\"`: "", "password": "", "token=": "", "token:\n \"": "", `"token": "`: "",
	} {
		text := strings.Repeat(part, 1<<20/len(part)) + end
		if got := likely(text); len(got) > 4*len(text) {
			t.Errorf("%q becomes %d bytes", part, len(got))
		}
	}
}

// FuzzLikely: no text is too odd, and none takes the mask from a password before it.
func FuzzLikely(f *testing.F) {
	for _, text := range []string{"password: hunter2", `{"c": "{\"token\":\"x\"}"}`, "token: |\n  x\n", "password=${A:-b} # c", "<secret>x</secret>", "token: ''", "a: \"b\npassword:!x |"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := likely("x: 1\npassword: hunter2hunter2\n" + text); strings.Contains(got, "password: hunter2") {
			t.Errorf("before %q a password is shown", text)
		}
	})
}
