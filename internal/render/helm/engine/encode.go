package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
	yamlv2 "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

func marshalYAML(v any) (string, error) {
	if p, ok := plainYAML(v); ok {
		data, err := yamlv2.Marshal(p)
		return strings.TrimSuffix(string(data), "\n"), err
	}
	data, err := yaml.Marshal(v)
	return strings.TrimSuffix(string(data), "\n"), err
}

// toYAML is empty for what cannot be written.
func toYAML(v any) string {
	text, err := marshalYAML(v)
	if err != nil {
		return ""
	}
	return text
}

func prettyYAML(v any) (string, error) {
	var out bytes.Buffer
	e := goyaml.NewEncoder(&out)
	e.SetIndent(2)
	err := e.Encode(v)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// marshalTOML writes each table with the keys above it: the text can be much
// larger than the value.
func (s *state) marshalTOML(v any) (string, error) {
	out := atMost{left: s.limits.Text, err: s.fits(s.limits.Text + 1)}
	err := toml.NewEncoder(&out).Encode(v)
	return out.text.String(), err
}

// atMost is a text that is written up to a bound.
type atMost struct {
	text bytes.Buffer
	left int64
	err  error
}

// Write implements io.Writer.
func (a *atMost) Write(p []byte) (int, error) {
	if a.left -= int64(len(p)); a.left < 0 {
		return 0, a.err
	}
	return a.text.Write(p)
}

func marshalJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

// encoders write values. The lenient ones give no error but another text.
func (s *state) encoders() template.FuncMap {
	nothing := func(error) string { return "" }
	return template.FuncMap{
		"toYaml":       s.lenient(marshalYAML, nothing),
		"mustToYaml":   s.strict(marshalYAML),
		"toYamlPretty": s.lenient(prettyYAML, nothing),
		"toToml":       s.lenient(s.marshalTOML, error.Error),
		"mustToToml":   s.strict(s.marshalTOML),
		"toJson":       s.lenient(marshalJSON, nothing),
		"mustToJson":   s.strict(marshalJSON),
	}
}

type encode = func(any) (string, error)

func (s *state) strict(f encode) encode {
	return func(v any) (string, error) {
		if err := s.admit(v); err != nil {
			return "", err
		}
		return s.made(f(v))
	}
}

func (s *state) lenient(f encode, other func(error) string) encode {
	return func(v any) (string, error) {
		err := s.admit(v)
		if errors.Is(err, bounded.ErrDeep) {
			return other(err), nil
		}
		if err != nil {
			return "", err
		}
		text, err := f(v)
		var limit *limitError
		if errors.As(err, &limit) {
			return "", limit
		}
		if err != nil {
			text = other(err)
		}
		return s.made(text, nil)
	}
}

// decoders read texts. What cannot be read tells so in its result.
func (s *state) decoders() template.FuncMap {
	return template.FuncMap{
		"fromYaml":      decoder(s, ofValues, func(text string, m *map[string]any) error { return bounded.Unmarshal([]byte(text), m) }, errorMap),
		"fromJson":      decoder(s, ofValues, func(text string, m *map[string]any) error { return json.Unmarshal([]byte(text), m) }, errorMap),
		"mustFromJson":  s.mustFromJSON,
		"fromToml":      decoder(s, bounded.CheckTOML, readTOML, errorMap),
		"fromYamlArray": decoder(s, ofValues, func(text string, a *[]any) error { return bounded.Unmarshal([]byte(text), a) }, errorArray),
		"fromJsonArray": decoder(s, ofValues, func(text string, a *[]any) error { return json.Unmarshal([]byte(text), a) }, errorArray),
	}
}

// mustFromJSON is Sprig's: a value of any kind, or an error.
func (s *state) mustFromJSON(text string) (out any, err error) {
	if err := s.becomes(text, ofValues); err != nil {
		return nil, err
	}
	err = json.Unmarshal([]byte(text), &out)
	return out, err
}

func errorMap(m *map[string]any, err error) {
	// What was read before the error stays.
	if *m == nil {
		*m = map[string]any{}
	}
	(*m)["Error"] = err.Error()
}

func errorArray(a *[]any, err error) { *a = []any{err.Error()} }

func decoder[T map[string]any | []any](s *state, weigh weigher, read func(string, *T) error, broken func(*T, error)) func(string) (T, error) {
	return func(text string) (T, error) {
		out := empty[T]()
		if err := s.becomes(text, weigh); err != nil {
			return out, err
		}
		if err := read(text, &out); err != nil {
			broken(&out, err)
		}
		return out, nil
	}
}

// weigher tells about how many bytes a text is decoded to, besides its own.
type weigher = func(text []byte) (int64, error)

func ofValues(text []byte) (int64, error) {
	values, err := bounded.Check(text)
	return bounded.PerValue * int64(values), err
}

// becomes takes up what a text is decoded to: some times its own size, and
// more where it has many values. One with too many is not decoded.
func (s *state) becomes(text string, weigh weigher) error {
	bytes, err := weigh([]byte(text)) // another error is the decoder's to tell
	var much *bounded.TooMuch
	if errors.As(err, &much) {
		return &limitError{"cannot decode a text: " + much.Error()}
	}
	if err := s.produce(4 * int64(len(text))); err != nil {
		return err
	}
	if err := s.keep(bytes); err != nil {
		return err
	}
	return s.step(bytes/1024 + 1)
}

func empty[T map[string]any | []any]() T {
	var zero T
	switch out := any(&zero).(type) {
	case *map[string]any:
		*out = map[string]any{}
	case *[]any:
		*out = []any{}
	}
	return zero
}

func readTOML(text string, into *map[string]any) error { return toml.Unmarshal([]byte(text), into) }
