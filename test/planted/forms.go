package planted

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
)

// form is one way to write the core of a secret.
type form struct {
	name string
	text []byte
	of   *secret
}

// formsOf are those in which programs write what they were given. A core of letters and digits is the same in URLs and JSON.
func formsOf(core []byte) []form {
	plain := form{name: "plain", text: core}
	out := []form{plain, {name: "hex", text: []byte(hex.EncodeToString(core))}, {name: "HEX", text: []byte(strings.ToUpper(hex.EncodeToString(core)))}}
	out = append(out, encoded(plain)...)
	for _, f := range encoded(plain) {
		out = append(out, encoded(f)...) // a Secret of a file of base64
	}
	return distinct(out)
}

// encoded are the three ways in which base64 writes something, by where it begins in the whole text, and each of them as
// URLs have it.
func encoded(f form) []form {
	const inChars, bits = 6, 8
	var out []form
	for before := range 3 {
		whole := base64.StdEncoding.EncodeToString(append(make([]byte, before), f.text...))
		from := (before*bits + inChars - 1) / inChars
		text := whole[from : (before+len(f.text))*bits/inChars]
		for _, t := range []string{text, strings.NewReplacer("+", "-", "/", "_").Replace(text), url.QueryEscape(text)} {
			out = append(out, form{name: f.name + " in base64", text: []byte(t)})
		}
	}
	return out
}

func distinct(all []form) []form {
	seen := map[string]bool{}
	var out []form
	for _, f := range all {
		if !seen[string(f.text)] {
			seen[string(f.text)] = true
			out = append(out, f)
		}
	}
	return out
}
