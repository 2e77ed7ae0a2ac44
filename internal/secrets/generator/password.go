package generator

import (
	"context"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"github.com/sethvargo/go-password/password"

	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// passwordSpec is what a Password says.
type passwordSpec struct {
	Length           int      `json:"length"`
	Digits           *int     `json:"digits"`
	Symbols          *int     `json:"symbols"`
	SymbolCharacters *string  `json:"symbolCharacters"`
	NoUpper          bool     `json:"noUpper"`
	AllowRepeat      bool     `json:"allowRepeat"`
	Encoding         string   `json:"encoding"`
	SecretKeys       []string `json:"secretKeys"`
}

const (
	defaultLength = 24
	longest       = 4_096
	mostKeys      = 256
	// quarter of a password are digits, and another one symbols.
	quarter        = 4
	defaultSymbols = "~!@#$%^&*()_+`-={}|[]\\:\"<>?,./"
)

// Password makes one under the key "password", or one for each of its keys.
func Password(_ context.Context, text json.RawMessage, _ store.Around) (map[string][]byte, error) {
	var spec passwordSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	if spec.Length == 0 {
		spec.Length = defaultLength
	}
	if spec.Length < 0 || spec.Length > longest {
		return nil, fmt.Errorf("spec.length %d is not between 1 and %d", spec.Length, longest)
	}
	encode, err := encoding(spec.Encoding)
	if err != nil {
		return nil, err
	}
	keys := spec.SecretKeys
	if len(keys) == 0 {
		keys = []string{"password"}
	}
	if len(keys) > mostKeys {
		return nil, fmt.Errorf("spec.secretKeys has more than %d keys", mostKeys)
	}
	out := make(map[string][]byte, len(keys))
	for _, key := range keys {
		made, err := spec.make()
		if err != nil {
			return nil, fmt.Errorf("spec: %w", err)
		}
		out[key] = []byte(encode([]byte(made)))
	}
	return out, nil
}

func (s passwordSpec) make() (string, error) {
	digits, signs := s.Length/quarter, s.Length/quarter
	if s.Digits != nil {
		digits = *s.Digits
	}
	if s.Symbols != nil {
		signs = *s.Symbols
	}
	if digits < 0 || signs < 0 {
		return "", errors.New("digits and symbols are not below 0")
	}
	symbols, err := s.symbols(signs)
	if err != nil {
		return "", err
	}
	g, err := password.NewGenerator(&password.GeneratorInput{Symbols: symbols})
	if err != nil {
		return "", err
	}
	return g.Generate(s.Length, digits, signs, s.NoUpper, s.AllowRepeat)
}

// symbols are the characters of which so many are taken. Without repetition the
// library draws until it has one that is new, which may be never: each is there once
// then, and none is a letter or a digit.
func (s passwordSpec) symbols(taken int) (string, error) {
	if s.SymbolCharacters == nil || *s.SymbolCharacters == "" {
		return defaultSymbols, nil
	}
	var out strings.Builder
	for _, r := range *s.SymbolCharacters {
		if r > unicode.MaxASCII {
			return "", fmt.Errorf("symbolCharacters has %q, which is not of ASCII", r)
		}
		again := strings.ContainsRune(out.String(), r) || strings.ContainsRune(password.LowerLetters+password.UpperLetters+password.Digits, r)
		if s.AllowRepeat || !again {
			out.WriteRune(r)
		}
	}
	if taken > 0 && out.Len() == 0 {
		return "", errors.New("symbolCharacters has letters and digits alone: add signs, or set allowRepeat")
	}
	return out.String(), nil
}

func encoding(name string) (func([]byte) string, error) {
	switch name {
	case "", "raw":
		return func(b []byte) string { return string(b) }, nil
	case "base64":
		return base64.StdEncoding.EncodeToString, nil
	case "base64url":
		return base64.URLEncoding.EncodeToString, nil
	case "base32":
		return base32.StdEncoding.EncodeToString, nil
	case "hex":
		return hex.EncodeToString, nil
	default:
		return nil, fmt.Errorf("spec.encoding %q is none of raw, base64, base64url, base32 and hex", name)
	}
}

// UUID makes one under the key "uuid".
func UUID(context.Context, json.RawMessage, store.Around) (map[string][]byte, error) {
	made, err := uuid.NewRandom()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"uuid": []byte(made.String())}, nil
}

// Fake gives the values that it holds.
func Fake(_ context.Context, text json.RawMessage, _ store.Around) (map[string][]byte, error) {
	var spec struct {
		Data map[string]string `json:"data"`
	}
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	out := make(map[string][]byte, len(spec.Data))
	for key, value := range spec.Data {
		out[key] = []byte(value)
	}
	return out, nil
}
