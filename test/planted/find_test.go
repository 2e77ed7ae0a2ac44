package planted_test

import (
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"net/url"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/causeway-gitops/causeway/test/planted"
)

// forms are outputs that tell a secret.
func forms(t *testing.T) map[string]func(string) string {
	t.Helper()
	in64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return map[string]func(string) string{
		"plain":          func(s string) string { return "error: " + s + ": refused" },
		"base64":         in64,
		"of a password":  func(s string) string { return "Basic " + in64("me:"+s) },
		"longer name":    func(s string) string { return "Basic " + in64("meow:"+s) },
		"other name":     func(s string) string { return "Basic " + in64("a-name:"+s+" and more") },
		"base64 in URLs": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("??>" + s)) },
		"base64 twice":   func(s string) string { return in64("keyData: " + in64("x"+s)) },
		"hex":            func(s string) string { return hex.EncodeToString([]byte("a" + s)) },
		"HEX":            func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"URL":            func(s string) string { return "https://me:" + url.QueryEscape(s) + "@git.example.com" },
		"base64 in a URL": func(s string) string {
			return "?token=" + url.QueryEscape(in64(s))
		},
		"JSON": func(s string) string {
			text, err := json.Marshal(map[string]string{"message": "of \"" + s + "\""})
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		},
		"gzip": func(s string) string {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			_, _ = w.Write([]byte(strings.Repeat(s, 3)))
			_ = w.Close()
			return "before " + out.String() + " after"
		},
		"zstd": func(s string) string {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			return "before " + string(w.EncodeAll([]byte(strings.Repeat(s, 3)), nil))
		},
	}
}

func key(t *testing.T) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestAPlantedSecretIsFoundInEveryForm(t *testing.T) {
	b := &planted.Bed{}
	text, odd, private := b.Text("a password"), b.Text("an odd password")+`"<&>+/ %ü`, key(t)
	b.Keep("a key", private)
	b.Text("what nobody tells")
	for name, write := range forms(t) {
		t.Run(name, func(t *testing.T) {
			for input, value := range map[string]string{"a password": text, "an odd password": odd, "a key": private} {
				found := b.Find([]byte(write(value)))
				if len(found) == 0 || found[0].Input != input {
					t.Errorf("%s: %v in %q", input, found, write(value))
				}
			}
		})
	}
}

func TestNothingElseIsFound(t *testing.T) {
	b := &planted.Bed{}
	text := b.Text("a password")
	for reason, output := range map[string]string{"nothing": "", "what masks it": "[redacted]", "a part": text[:len(text)-4], "another": (&planted.Bed{}).Text("a password")} {
		if found := b.Find([]byte(output)); len(found) != 0 {
			t.Errorf("%s: %v", reason, found)
		}
	}
}

func TestASecretThatNobodyHadIsNotPlanted(t *testing.T) {
	b := &planted.Bed{}
	sent, used := b.Text("sent"), b.Text("used")
	b.Text("neither")
	b.Saw([]byte("Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+sent))))
	b.Used("used")
	if got := b.Unused(); len(got) != 1 || got[0] != "neither" || used == "" {
		t.Errorf("unused: %v", got)
	}
}

func TestWhatCannotBePlantedIsTold(t *testing.T) {
	tests := map[string]struct {
		reason string
		do     func(b *planted.Bed)
		want   string
	}{
		"Well":     {"what is planted and used is no error", func(b *planted.Bed) { b.Text("a"); b.Used("a") }, ""},
		"TooShort": {"a short secret would be found where it is not", func(b *planted.Bed) { b.Keep("a pin", "1234") }, "the secret of a pin again: it has 4 bytes"},
		"ShortKey": {"so would a key of a few bytes", func(b *planted.Bed) {
			b.Keep("a key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("1234")})))
		}, "the secret of a key again"},
		"Nothing": {"who notes an input of another name has looked at nothing", func(b *planted.Bed) { b.Used("a passwort") }, "nothing is planted there"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := &planted.Bed{}
			tc.do(b)
			got := ""
			if err := b.Err(); err != nil {
				got = err.Error()
			}
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: got %q", tc.reason, got)
			}
		})
	}
}
