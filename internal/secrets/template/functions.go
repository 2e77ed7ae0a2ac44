package template

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

// asError is errors.As, whose name a template's function has.
func asError(err error, target any) bool { return errors.As(err, target) }

// Functions are what templates may call.
var Functions = sync.OnceValue(func() template.FuncMap {
	all := sprig.TxtFuncMap()
	for _, seesTheMachine := range []string{"env", "expandenv", "getHostByName"} {
		delete(all, seesTheMachine)
	}
	// Of a hash that is broken nothing is made here.
	delete(all, "md5sum")
	for _, name := range []string{"int", "int64", "add", "add1", "sub", "mul", "div", "mod", "max", "biggest", "min"} {
		all[name] = ofWholeParts(all[name])
	}
	maps.Copy(all, template.FuncMap{
		"htpasswd": htpasswd,
		"hexdec":   hexdec,
		"toYaml":   toYaml,
		"fromYaml": fromYaml,

		"pkcs12key":                 pkcs12key,
		"pkcs12keyPass":             pkcs12keyPass,
		"pkcs12cert":                pkcs12cert,
		"pkcs12certPass":            pkcs12certPass,
		"pemToPkcs12":               pemToPkcs12,
		"pemToPkcs12Pass":           pemToPkcs12Pass,
		"fullPemToPkcs12":           fullPemToPkcs12,
		"fullPemToPkcs12Pass":       fullPemToPkcs12Pass,
		"pemTruststoreToPKCS12":     pemTruststoreToPKCS12,
		"pemTruststoreToPKCS12Pass": pemTruststoreToPKCS12Pass,

		"filterPEM":        filterPEM,
		"filterCertChain":  filterCertChain,
		"certSANs":         certSANs,
		"jwkPublicKeyPem":  jwkPublicKeyPem,
		"jwkPrivateKeyPem": jwkPrivateKeyPem,
		"rsaDecrypt":       rsaDecrypt,
	})
	return all
})

// hexdec is the text that is written in hexadecimal, or why it is not.
func hexdec(text string) string {
	decoded, err := hex.DecodeString(text)
	if err != nil {
		return err.Error()
	}
	return string(decoded)
}

func toYaml(v any) string {
	text, err := yaml.Marshal(v)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// fromYaml is the map that a text is; of another text one with the key Error.
func fromYaml(text string) map[string]any {
	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		fields["Error"] = err.Error()
	}
	return fields
}

// htpasswd is a line of a file of that name.
func htpasswd(user, password, algorithm string) (string, error) {
	if strings.Contains(user, ":") {
		return "invalid username: " + user, nil
	}
	hash, err := passwordHash(password, algorithm)
	if err != nil {
		return "", fmt.Errorf("htpasswd: %w", err)
	}
	return user + ":" + hash, nil
}
