package redact_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/redact"
)

// TestRepeated: what servers say of values that they were told shows none of them.
func TestRepeated(t *testing.T) {
	long := strings.Repeat("planted-", 400)
	key := "-----BEGIN PRIVATE KEY-----\nMIIplantedBADANBgkqhkiG9w0BAQEFAASC1\nPlantedQQABo0IwQDAOBgNVHQ8BAf8E2\n-----END PRIVATE KEY-----\n"
	for name, tc := range map[string]struct{ reason, value, said, want string }{
		"plain":     {"as it is", "planted-host", "400: planted-host is no JSON", "400: [masked] is no JSON"},
		"twice":     {"wherever it is", "planted", "planted or planted", "[masked] or [masked]"},
		"newline":   {"the commonest Secret ends with one", "planted-host\n", "400: planted-host is no JSON", "400: [masked] is no JSON"},
		"one line":  {"Vault's errors are put in one line", "planted one\n  planted two\n", "near planted one planted two: no", "near [masked]: no"},
		"in JSON":   {"a request that is repeated", "planted\n\"two\"", `{"value":"planted\n\"two\""}`, `{"value":"[masked]"}`},
		"JSON HTML": {"with what most encoders escape", "planted<&two", `{"value":"planted\u003c\u0026two"}`, `{"value":"[masked]"}`},
		"in itself": {"JSON in a request of JSON", "planted\n\"two\"", `{"SecretString":"{\"a\":\"planted\\n\\\"two\\\"\"}"}`, `{"SecretString":"{\"a\":\"[masked]\"}"}`},
		"quoted":    {"as Go quotes", "planted\x01two", `invalid "planted\x01two"`, `invalid "[masked]"`},
		"base64":    {"as an API server has it", "planted-host\n", "data: " + base64.StdEncoding.EncodeToString([]byte("planted-host\n")), "data: [masked]"},
		"trimmed":   {"as somebody encoded it", "planted-host\n", "data: " + base64.StdEncoding.EncodeToString([]byte("planted-host")), "data: [masked]"},
		"cut":       {"the beginning of a long one", long, "near " + long[:300] + "…", "near [masked]…"},
		"cut code":  {"and of its base64", long, "near " + base64.StdEncoding.EncodeToString([]byte(long))[:300] + "…", "near [masked]…"},
		"line":      {"a line of a key", key, "bad line PlantedQQABo0IwQDAOBgNVHQ8BAf8E2", "bad line [masked]"},
		"field":     {"a field of an object", `{"a":{"b":["planted-host"]}}`, "no host planted-host", "no host [masked]"},
		"short":     {"one that is in words", "to", "cannot write to it", "cannot write to it"},
		"other":     {"one that is not there", "planted", "403", "403"},
		"space":     {"one of white space alone", "    \n", "a    b", "a    b"},
		"nested":    {"one that is in another", "planted\nplanted-two", "planted planted-two", "[masked]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := redact.Repeated(tc.said, [][]byte{[]byte(tc.value)}); got != tc.want {
				t.Errorf("%s: it is %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	if got := redact.Repeated("planted-two", [][]byte{[]byte("planted"), []byte("planted-two")}); got != redact.Mask {
		t.Errorf("the shorter of two leaves %q of the longer", got)
	}
}

// FuzzRepeated: whatever a value and what stands around it are, it is not shown.
func FuzzRepeated(f *testing.F) {
	f.Add("a ", "planted", " b")
	f.Add("", "aaaaa", "aaaa")
	f.Add("aaaa", "aaaaa\n", "")
	f.Fuzz(func(t *testing.T, before, value, after string) {
		plain := strings.TrimSpace(value)
		if len(plain) < 4 || strings.Contains(before+redact.Mask+after, plain) {
			return
		}
		if got := redact.Repeated(before+value+after, [][]byte{[]byte(value)}); strings.Contains(got, plain) {
			t.Errorf("%q shows %q", got, plain)
		}
	})
}
