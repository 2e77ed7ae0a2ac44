package sops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func identity(t *testing.T) *age.X25519Identity {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func keysOf(t *testing.T, ids ...*age.X25519Identity) Keys {
	t.Helper()
	var text strings.Builder
	for _, id := range ids {
		text.WriteString("# public key: " + id.Recipient().String() + "\n" + id.String() + "\n")
	}
	keys, err := ParseKeys(text.String())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

var secret = mapping{
	{"apiVersion", "v1"},
	{"kind", "Secret"},
	{"metadata", mapping{{"name", "db"}, {"labels_unencrypted", mapping{{"team", "red"}, {"cost", 7}, {"share", 0.25}, {"on", true}}}}},
	{"stringData", mapping{
		{"password", "p: \"1\"\n# 2\n"}, {"yes", "y"}, {"zero", "010"}, {"empty", ""}, {"nothing", nil},
		{"port", 5432}, {"ratio", 1.5}, {"on", true}, {"off", false}, {"raw", []byte("bytes")}, {"ünïcode", "✓ 😀"},
		{"list", []any{"a", 1, mapping{{"deep", "b"}}, []any{"c"}}},
	}},
}

// plainOf is what a mapping is in plain.
func plainOf(v any) any {
	switch v := v.(type) {
	case mapping:
		out := map[string]any{}
		for _, p := range v {
			out[p.key] = plainOf(p.value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plainOf(v[i])
		}
		return out
	case []byte:
		return string(v)
	case int:
		return float64(v)
	}
	return v
}

// TestDecrypt reads files of each format and rule; what an unrelated encoder
// wrote comes back with its types.
func TestDecrypt(t *testing.T) {
	id, other := identity(t), identity(t)
	for name, o := range map[string]options{
		"Default":           {},
		"UnencryptedSuffix": {rule: "unencrypted_suffix", value: "_unencrypted"},
		"EncryptedSuffix":   {rule: "encrypted_suffix", value: "Data"},
		"UnencryptedRegex":  {rule: "unencrypted_regex", value: "^(apiVersion|kind|metadata)$"},
		"EncryptedRegex":    {rule: "encrypted_regex", value: "^(data|stringData)$"},
		"OnlyEncrypted":     {rule: "encrypted_regex", value: "^(data|stringData)$", only: true},
	} {
		o.to = []age.Recipient{other.Recipient(), id.Recipient()}
		for _, file := range []string{"a.yaml", "a.json", "a.yml.enc"} {
			t.Run(name+"/"+file, func(t *testing.T) {
				text := encode(t, o, secret)
				if file == "a.yaml" { // in block style, as SOPS writes it
					text = documents(t, o, secret)
					block, err := yaml.JSONToYAML([]byte(encode(t, o, mapping{{"kind", "Secret"}, {"stringData", mapping{{"a", "1"}}}})))
					if err != nil {
						t.Fatal(err)
					}
					if out, _, err := keysOf(t, id).Decrypt(t.Context(), file, block); err != nil || !strings.Contains(string(out), `"1"`) {
						t.Errorf("block style: %s, %v", out, err)
					}
				}
				out, e, err := keysOf(t, id).Decrypt(t.Context(), file, []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				if !e.Opened || len(e.Recipients) != 2 {
					t.Errorf("got %+v", e)
				}
				var got any
				if err := yaml.Unmarshal(out, &got); err != nil {
					t.Fatal(err)
				}
				if file == "a.json" && !json.Valid(out) {
					t.Errorf("no JSON: %s", out)
				}
				if diff := cmp.Diff(plainOf(secret), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

func TestOtherFormats(t *testing.T) {
	id := identity(t)
	o := options{to: []age.Recipient{id.Recipient()}}
	env := mapping{{"USER", "admin"}, {"PASSWORD", "a=b c"}, {"EMPTY", ""}}
	cases := map[string]struct{ file, text, want string }{
		"Dotenv":      {"a.env", lines(t, o, "", env), "USER=admin\nPASSWORD=a=b c\nEMPTY=\n"},
		"DotenvOther": {"a.env.enc", "# a comment\n" + lines(t, options{to: o.to, only: true}, "", env), "USER=admin\nPASSWORD=a=b c\nEMPTY=\n"},
		"INI":         {"a.ini", lines(t, o, "main", env), "[main]\nUSER = admin\nPASSWORD = a=b c\nEMPTY = \n"},
		"Binary":      {"tls.key", encode(t, o, mapping{{"data", "-----BEGIN\n\x00\x01"}}), "-----BEGIN\n\x00\x01"},
		"BinaryJSON":  {"a.json", encode(t, o, mapping{{"data", "x"}}), "{\n  \"data\": \"x\"\n}"},
		"Documents":   {"a.yaml", documents(t, o, mapping{{"a", 1}}, mapping{{"b", "2"}}), "a: 1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, e, err := keysOf(t, id).Decrypt(t.Context(), tc.file, []byte(tc.text))
			if err != nil || e == nil {
				t.Fatalf("%v %v", e, err)
			}
			if name == "Documents" {
				if n := strings.Count(string(out), "---"); n != 1 || strings.Contains(string(out), "sops") {
					t.Errorf("got %s", out)
				}
				return
			}
			if string(out) != tc.want {
				t.Errorf("got %q, want %q", out, tc.want)
			}
		})
	}
}

// TestRefused tells why a file is not opened, without anything of it.
func TestRefused(t *testing.T) {
	id, other := identity(t), identity(t)
	o := options{to: []age.Recipient{id.Recipient()}}
	good := encode(t, o, mapping{{"password", "hunter2"}, {"user", "hunter1"}, {"note_unencrypted", "hunter0"}})
	edit := func(change func(block map[string]any, all map[string]any)) string {
		var all map[string]any
		if err := json.Unmarshal([]byte(good), &all); err != nil {
			t.Fatal(err)
		}
		change(all["sops"].(map[string]any), all)
		out, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	cases := map[string]struct {
		reason, text, want string
		keys               Keys
		kind               gitops.ProblemKind
	}{
		"OtherKey": {"a key of somebody else", good, "none of the configured keys opens it", keysOf(t, other), gitops.Refused},
		"KMS": {"no age recipient", edit(func(b, _ map[string]any) {
			b["age"], b["kms"] = nil, []any{map[string]any{"arn": "arn:aws:kms:x", "enc": "AQ"}}
		}), "AWS KMS arn:aws:kms:x, and age keys alone", keysOf(t, id), gitops.Refused},
		"Shamir":     {"groups of keys", edit(func(b, _ map[string]any) { b["key_groups"] = []any{map[string]any{}, map[string]any{}} }), "Shamir", keysOf(t, id), gitops.Refused},
		"Plain":      {"a value in plain that should be encrypted", edit(func(_, all map[string]any) { all["password"] = "hunter3" }), "password: a value that should be encrypted is not", keysOf(t, id), gitops.Invalid},
		"Swapped":    {"two values swapped", edit(func(_, all map[string]any) { all["user"], all["password"] = all["password"], all["user"] }), "changed, moved or copied", keysOf(t, id), gitops.Invalid},
		"Changed":    {"a plain value changed", edit(func(_, all map[string]any) { all["note_unencrypted"] = "hunter3" }), "checksum", keysOf(t, id), gitops.Invalid},
		"Removed":    {"a value removed", edit(func(_, all map[string]any) { delete(all, "user") }), "checksum", keysOf(t, id), gitops.Invalid},
		"Stamp":      {"another time", edit(func(b, _ map[string]any) { b["lastmodified"] = "2027-01-02T03:04:05Z" }), "checksum", keysOf(t, id), gitops.Invalid},
		"NoStamp":    {"no time at all", edit(func(b, _ map[string]any) { b["lastmodified"] = "soon" }), "lastmodified", keysOf(t, id), gitops.Invalid},
		"TwoRules":   {"two rules", edit(func(b, _ map[string]any) { b["encrypted_regex"], b["encrypted_suffix"] = "a", "b" }), "2 rules", keysOf(t, id), gitops.Invalid},
		"Pattern":    {"a broken rule", edit(func(b, _ map[string]any) { b["encrypted_regex"] = "[" }), "pattern", keysOf(t, id), gitops.Invalid},
		"Large rule": {"a rule with many repeats", edit(func(b, _ map[string]any) { b["encrypted_regex"] = strings.Repeat(".{0,1000}", 60) }), "its repeats written out", keysOf(t, id), gitops.Invalid},
		"Slow rule": {"a rule that is held against much", edit(func(b, all map[string]any) {
			b["encrypted_regex"], all[strings.Repeat("a", 100_000)] = "(?:a?.?){1000}[^a]$", "x"
		}), "take too long together", keysOf(t, id), gitops.Invalid},
		"Long paths": {"each value is sealed with all keys above it", encode(t, o, mapping{{strings.Repeat("k", 1<<20), many(100)}}), "more than 64 MiB", keysOf(t, id), gitops.Invalid},
		"Alias":      {"an alias", "a_unencrypted: &a x\nb_unencrypted: *a\n" + strings.Replace(strings.TrimSuffix(good, "}"), "{", "c: {", 1) + "}\n" + "sops: " + good[strings.Index(good, `"sops": `)+8:len(good)-1] + "\n", "alias", keysOf(t, id), gitops.Invalid},
		"Deep":       {"mappings without an end", strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 399) + `,` + good[1:], "more than 256 deep", keysOf(t, id), gitops.Invalid},
		"Large":      {"a huge file", `{"x":"` + strings.Repeat("x", MaxBytes) + `",` + good[1:], "more than the limit", keysOf(t, id), gitops.Invalid},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := "a.json"
			if name == "Alias" {
				file = "a.yaml"
			}
			_, _, err := tc.keys.Decrypt(t.Context(), file, []byte(tc.text))
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != tc.kind || !strings.Contains(p.Error(), tc.want) || p.Fix == "" {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
			if strings.Contains(p.Error(), "hunter") {
				t.Errorf("%s: the text tells a value: %v", tc.reason, p)
			}
		})
	}
}

func many(n int) mapping {
	out := make(mapping, n)
	for i := range out {
		out[i] = pair{strconv.Itoa(i), "x"}
	}
	return out
}

// TestManyKeysOfARule: a key is held against the rule once, however much is below it.
func TestManyKeysOfARule(t *testing.T) {
	id := identity(t)
	long := strings.Repeat("k", 100_000)
	text := encode(t, options{rule: "unencrypted_regex", value: "^a.{50}b$", to: []age.Recipient{id.Recipient()}}, mapping{{long, many(200)}})
	if _, e, err := keysOf(t, id).Decrypt(t.Context(), "a.json", []byte(text)); err != nil || len(e.Values) != 200 {
		t.Errorf("%v, %v", e != nil, err)
	}
}

// TestDecryptionEnds with its context, which is no fault of the file.
func TestDecryptionEnds(t *testing.T) {
	id := identity(t)
	text := encode(t, options{to: []age.Recipient{id.Recipient()}}, mapping{{"a", "b"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := keysOf(t, id).Decrypt(ctx, "a.json", []byte(text))
	if p := (*gitops.Problem)(nil); !errors.Is(err, context.Canceled) || errors.As(err, &p) {
		t.Errorf("got %v", err)
	}
}

// TestManyLines: a file of lines becomes as many values as any other.
func TestManyLines(t *testing.T) {
	text := "a=ENC[AES256_GCM,data:x]\nsops_mac=ENC[AES256_GCM,\nsops_lastmodified=x\n"
	if parse("a.env", []byte(text)) == nil {
		t.Error("a few lines are not read")
	}
	for _, name := range []string{"a.env", "a.ini"} {
		if parse(name, []byte(strings.Repeat("=\n", bounded.MostValues)+text)) != nil {
			t.Errorf("%s is read", name)
		}
	}
}

// TestLargeFilesAreNotParsed: what is too large is told by how it looks.
func TestLargeFilesAreNotParsed(t *testing.T) {
	id := identity(t)
	fill := "#" + strings.Repeat("x", MaxBytes) + "\n"
	for name, tc := range map[string]struct {
		reason, text string
		encrypted    bool
	}{
		"a.yaml": {"it is no YAML, which nobody finds out", "a: [ENC[AES256_GCM,\n" + fill + "sops:\n  lastmodified: [\n", true},
		"a.env":  {"lines", "a=ENC[AES256_GCM,\n" + fill + "sops_lastmodified=x\nsops_mac=x\n", true},
		"a.ini":  {"sections", "a=ENC[AES256_GCM,\n" + fill + "[sops]\nlastmodified=x\n", true},
		"b.yaml": {"it tells of SOPS", "a: 'sops writes ENC[AES256_GCM,data: and lastmodified'\n" + fill, false},
		"c.yaml": {"something else is called so", "sops: {enabled: true}\nb: 'ENC[AES256_GCM,data:'\n" + fill, false},
	} {
		_, _, err := keysOf(t, id).Decrypt(t.Context(), name, []byte(tc.text))
		if p := (*gitops.Problem)(nil); errors.As(err, &p) != tc.encrypted || err != nil && !strings.Contains(err.Error(), "more than the limit") {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
		out, e, err := Keys{}.Decrypt(t.Context(), name, []byte(tc.text))
		if len(out) != len(tc.text) || (e != nil) != tc.encrypted || err != nil {
			t.Errorf("%s, without keys: %s: %+v, %v", name, tc.reason, e, err)
		}
	}
}

// TestKeysOfMetadata: SOPS writes few, and many take the square of their number.
func TestKeysOfMetadata(t *testing.T) {
	var b strings.Builder
	for i := range 5_001 {
		fmt.Fprintf(&b, "k%d,", i)
	}
	for more, read := range map[string]bool{"": true, b.String(): false} {
		text := "a: ENC[AES256_GCM,data:x]\nsops: {lastmodified: x, mac: 'ENC[AES256_GCM,data:x]'," + more + "}\n"
		if (parse("a.yaml", []byte(text)) != nil) != read {
			t.Errorf("with %d bytes more: read is not %v", len(more), read)
		}
	}
}

// TestSharesOfLines: each line of a group tells the same of the file.
func TestSharesOfLines(t *testing.T) {
	var text strings.Builder
	text.WriteString("a=ENC[AES256_GCM,data:x]\nsops_mac=ENC[AES256_GCM,\nsops_lastmodified=x\nsops_shamir_threshold=2\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "sops_key_groups__list_%d__map_age__list_0__map_recipient=x\n", i)
	}
	f := parse("a.env", []byte(text.String()))
	if f == nil {
		t.Fatal("it is not read")
	}
	if _, shares := f.meta.keys(); !shares {
		t.Error("its data key is not known to be shared")
	}
}

// TestLeft tells which files are no business of ours.
func TestLeft(t *testing.T) {
	id := identity(t)
	o := options{to: []age.Recipient{id.Recipient()}}
	good := encode(t, o, mapping{{"a", "b"}})
	for name, tc := range map[string]struct {
		text      string
		keys      Keys
		encrypted bool
	}{
		"Plain":      {"a: b\n", keysOf(t, id), false},
		"Mentioned":  {"a: 'sops writes ENC[AES256_GCM,data:'\n", keysOf(t, id), false},
		"OwnSops":    {"sops: {enabled: true}\nb: 'ENC[AES256_GCM,data:'\n", keysOf(t, id), false},
		"Template":   {"{{ if }}\nsops: ENC[AES256_GCM,\n{{ end }}", keysOf(t, id), false},
		"SopsSecret": {encode(t, o, mapping{{"kind_unencrypted", "x"}, {"kind", ""}}), Keys{}, true},
		"NoKeys":     {good, Keys{}, true},
		"Operator":   {encode(t, options{rule: "encrypted_regex", value: "^templates$", to: o.to}, mapping{{"kind", "SopsSecret"}, {"templates", "x"}}), keysOf(t, id), false},
	} {
		out, e, err := tc.keys.Decrypt(t.Context(), "a.yaml", []byte(tc.text))
		if err != nil || string(out) != tc.text || (e != nil) != tc.encrypted || e != nil && e.Opened {
			t.Errorf("%s: got %+v, %v", name, e, err)
		}
	}
}

func TestKeys(t *testing.T) {
	id, other := identity(t), identity(t)
	keys := keysOf(t, id).Join(keysOf(t, other))
	if keys.Len() != 2 {
		t.Errorf("%d keys", keys.Len())
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "keys", keys)
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", keys, keys, keys, keys), log.String()} {
		if strings.Contains(text, "AGE-SECRET") || !strings.Contains(text, gitops.Redacted) {
			t.Errorf("shown as %s", text)
		}
	}
	file := filepath.Join(t.TempDir(), "keys.txt")
	if err := os.WriteFile(file, []byte("# mine\n\n"+id.String()+"\r\n"+other.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadKeys(file); err != nil || got.Len() != 2 {
		t.Errorf("%d keys, %v", got.Len(), err)
	}
	broken := strings.Replace(id.String(), "1", "2", 2)
	for _, text := range []string{"", "# nothing", "\n" + broken} {
		_, err := ParseKeys(text)
		if err == nil || strings.Contains(err.Error(), "AGE-SECRET-KEY-2") {
			t.Errorf("%q: %v", text, err)
		}
	}
	large := file + "large"
	if err := os.WriteFile(large, []byte("#"+strings.Repeat("x", longestKeys)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKeys(large); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("a large file: %v", err)
	}
	if _, err := ReadKeys(file + "no"); err == nil {
		t.Error("a missing file is no file of keys")
	}
}

// FuzzDecrypt reads any text as a file of each format.
func FuzzDecrypt(f *testing.F) {
	id, err := age.ParseX25519Identity("AGE-SECRET-KEY-1QQPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQSGNLM6")
	if err != nil {
		id, err = age.GenerateX25519Identity()
	}
	if err != nil {
		f.Fatal(err)
	}
	t := &testing.T{}
	o := options{to: []age.Recipient{id.Recipient()}}
	f.Add(uint8(0), encode(t, o, secret))
	f.Add(uint8(0), documents(t, o, mapping{{"a", 1}}, mapping{{"b", "2"}}))
	f.Add(uint8(1), encode(t, o, mapping{{"a", []any{1, nil, "x"}}}))
	f.Add(uint8(2), lines(t, o, "", mapping{{"A", "b"}}))
	f.Add(uint8(3), lines(t, o, "s", mapping{{"A", "b"}}))
	f.Add(uint8(4), encode(t, o, mapping{{"data", "x"}}))
	f.Add(uint8(0), "a: ENC[AES256_GCM,data:,iv:,tag:,type:str]\nsops: {mac: 'ENC[AES256_GCM,', lastmodified: x, age: [{enc: x}]}")
	keys, err := ParseKeys(id.String())
	if err != nil {
		f.Fatal(err)
	}
	names := []string{"a.yaml", "a.json", "a.env", "a.ini", "a.bin"}
	f.Fuzz(func(t *testing.T, name uint8, text string) {
		out, e, err := keys.Decrypt(t.Context(), names[int(name)%len(names)], []byte(text))
		if e == nil && (err != nil || string(out) != text) {
			t.Errorf("a plain file is changed: %v", err)
		}
	})
}
