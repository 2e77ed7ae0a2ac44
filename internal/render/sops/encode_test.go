package sops

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"go.yaml.in/yaml/v3"
)

// writer encrypts as the format's description says, by code of its own.
type writer struct {
	t       *testing.T
	key     []byte
	sum     hash.Hash
	encrypt func(path []string) bool
	only    bool
}

// pair and mapping keep the order of keys, which the checksum is over.
type pair struct {
	key   string
	value any
}
type mapping []pair

const when = "2026-01-02T03:04:05Z"

func (w *writer) seal(kind, plain, additional string) string {
	block, err := aes.NewCipher(w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, 32)
	if err != nil {
		w.t.Fatal(err)
	}
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce)
	sealed := gcm.Seal(nil, nonce, []byte(plain), []byte(additional))
	b64 := base64.StdEncoding.EncodeToString
	cut := len(sealed) - 16
	return fmt.Sprintf("ENC[AES256_GCM,data:%s,iv:%s,tag:%s,type:%s]", b64(sealed[:cut]), b64(nonce), b64(sealed[cut:]), kind)
}

// leaf returns what stands in the file for a value.
func (w *writer) leaf(v any, path []string) any {
	var kind, plain string
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		kind, plain = "str", v
	case []byte:
		kind, plain = "bytes", string(v)
	case int:
		kind, plain = "int", strconv.Itoa(v)
	case float64:
		kind, plain = "float", strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		kind, plain = "bool", map[bool]string{true: "True", false: "False"}[v]
	}
	secret := w.encrypt(path)
	if secret || !w.only {
		w.sum.Write([]byte(plain))
	}
	if !secret || plain == "" {
		return v
	}
	return w.seal(kind, plain, strings.Join(path, ":")+":")
}

// tree writes a value as JSON, which is YAML, too.
func (w *writer) tree(v any, path []string) string {
	switch v := v.(type) {
	case mapping:
		var parts []string
		for _, p := range v {
			parts = append(parts, strconv.Quote(p.key)+": "+w.tree(p.value, append(path[:len(path):len(path)], p.key)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, w.tree(item, path))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	text, err := json.Marshal(w.leaf(v, path))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// options of a file in a test.
type options struct {
	rule, value string // of the sops block, as encrypted_regex
	only        bool
	to          []age.Recipient
}

func newWriter(t *testing.T, o options) *writer {
	t.Helper()
	w := &writer{t: t, key: make([]byte, 32), sum: sha512.New(), only: o.only}
	_, _ = rand.Read(w.key)
	if o.only {
		start := sha256.Sum256([]byte("sops"))
		w.sum.Write(start[:])
	}
	some := func(match func(string) bool) func([]string) bool {
		return func(path []string) bool {
			for _, p := range path {
				if match(p) {
					return true
				}
			}
			return false
		}
	}
	none := func(f func([]string) bool) func([]string) bool { return func(p []string) bool { return !f(p) } }
	bySuffix := some(func(p string) bool { return strings.HasSuffix(p, o.value) })
	byRegex := some(func(p string) bool { return regexp.MustCompile(o.value).MatchString(p) })
	w.encrypt = map[string]func([]string) bool{
		"":                   none(some(func(p string) bool { return strings.HasSuffix(p, "_unencrypted") })),
		"unencrypted_suffix": none(bySuffix), "encrypted_suffix": bySuffix,
		"unencrypted_regex": none(byRegex), "encrypted_regex": byRegex,
	}[o.rule]
	return w
}

// block is the sops block. It is asked for when all values are written.
func (w *writer) block(o options) map[string]any {
	var keys []any
	for _, to := range o.to {
		var text bytes.Buffer
		armored := armor.NewWriter(&text)
		sealed, err := age.Encrypt(armored, to)
		if err != nil {
			w.t.Fatal(err)
		}
		_, _ = sealed.Write(w.key)
		_ = sealed.Close()
		_ = armored.Close()
		keys = append(keys, map[string]any{"recipient": fmt.Sprint(to), "enc": text.String()})
	}
	out := map[string]any{
		"kms": nil, "gcp_kms": []any{}, "age": keys, "lastmodified": when, "version": "3.9.0",
		"mac": w.seal("str", fmt.Sprintf("%X", w.sum.Sum(nil)), when),
	}
	if o.rule != "" {
		out[o.rule] = o.value
	}
	if o.only {
		out["mac_only_encrypted"] = true
	}
	return out
}

// file is one document with its sops block, as JSON.
func encode(t *testing.T, o options, m mapping) string {
	t.Helper()
	w := newWriter(t, o)
	body := w.tree(m, nil)
	block, err := json.Marshal(w.block(o))
	if err != nil {
		t.Fatal(err)
	}
	if body == "{}" {
		return `{"sops": ` + string(block) + "}"
	}
	return strings.TrimSuffix(body, "}") + `, "sops": ` + string(block) + "}"
}

// documents is a YAML file of several documents, with one block in each.
func documents(t *testing.T, o options, all ...mapping) string {
	t.Helper()
	w := newWriter(t, o)
	var bodies []string
	for _, m := range all {
		bodies = append(bodies, w.tree(m, nil))
	}
	block, err := json.Marshal(w.block(o))
	if err != nil {
		t.Fatal(err)
	}
	for i := range bodies {
		bodies[i] = strings.TrimSuffix(bodies[i], "}") + `, "sops": ` + string(block) + "}"
	}
	return strings.Join(bodies, "\n---\n") + "\n"
}

// lines is a dotenv file, or with a section an INI file.
func lines(t *testing.T, o options, section string, m mapping) string {
	t.Helper()
	w := newWriter(t, o)
	var out strings.Builder
	var path []string
	if section != "" {
		path = []string{section}
		out.WriteString("[" + section + "]\n")
	}
	for _, p := range m {
		fmt.Fprintf(&out, "%s=%v\n", p.key, w.leaf(p.value, append(path[:len(path):len(path)], p.key)))
	}
	prefix := "sops_"
	if section != "" {
		prefix = ""
		out.WriteString("[sops]\n")
	}
	for name, v := range w.block(o) {
		switch v := v.(type) {
		case string:
			fmt.Fprintf(&out, "%s%s=%s\n", prefix, name, v)
		case bool:
			fmt.Fprintf(&out, "%s%s=%t\n", prefix, name, v)
		case []any:
			for i, item := range v {
				for field, text := range item.(map[string]any) {
					fmt.Fprintf(&out, "%s%s__list_%d__map_%s=%s\n", prefix, name, i, field, strings.ReplaceAll(text.(string), "\n", `\n`))
				}
			}
		}
	}
	return out.String()
}

// Sealed is what the tests of the renderers read: a YAML or, by the name, a
// dotenv file of texts, of which kind and metadata stay plain.
func Sealed(t *testing.T, name string, to age.Recipient, texts ...string) string {
	t.Helper()
	var m, nested mapping
	for i := 0; i+1 < len(texts); i += 2 {
		if parent, key, ok := strings.Cut(texts[i], "."); ok {
			nested = append(nested, pair{key, texts[i+1]})
			if i+2 >= len(texts) || !strings.HasPrefix(texts[i+2], parent+".") {
				m = append(m, pair{parent, nested})
				nested = nil
			}
			continue
		}
		m = append(m, pair{texts[i], texts[i+1]})
	}
	o := options{to: []age.Recipient{to}}
	if strings.HasSuffix(name, ".env") {
		return lines(t, o, "", m)
	}
	o.rule, o.value = "unencrypted_regex", "^(apiVersion|kind|metadata)$"
	return encode(t, o, m)
}

// TestDeepFilesAreWrittenInALine: with a line for each value they would be little but
// indentation.
func TestDeepFilesAreWrittenInALine(t *testing.T) {
	const levels = 400
	text := strings.Repeat(`{"a":`, levels) + `"b"` + strings.Repeat("}", levels)
	var tree yaml.Node
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func([]*yaml.Node) ([]byte, error){"JSON": writeJSON, "YAML": writeYAML} {
		got, err := write(tree.Content)
		if err != nil || len(got) > 2*len(text) {
			t.Errorf("%s: %d bytes became %d, %v", name, len(text), len(got), err)
		}
		var before, after any
		if err := errors.Join(yaml.Unmarshal([]byte(text), &before), yaml.Unmarshal(got, &after)); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%s: it reads as something else: %v", name, err)
		}
	}
}
