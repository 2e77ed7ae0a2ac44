package engine

import (
	"fmt"
	"strings"
	"text/template"
)

// texts are the functions whose result may be much larger than what they get.
func (s *state) texts() template.FuncMap {
	lib := library()
	return template.FuncMap{
		"repeat":       s.repeat,
		"indent":       s.indent,
		"nindent":      func(n int, text string) (string, error) { return s.nindent(n, text) },
		"replace":      s.replace,
		"join":         s.join,
		"wrap":         s.wrap(lib["wrap"].(func(int, string) string)),
		"wrapWith":     s.wrapWith(lib["wrapWith"].(func(int, string, string) string)),
		"printf":       s.printf,
		"print":        s.bindAny(fmt.Sprint),
		"println":      s.bindAny(fmt.Sprintln),
		"html":         s.bindAny(template.HTMLEscaper),
		"js":           s.bindAny(template.JSEscaper),
		"urlquery":     s.bindAny(template.URLQueryEscaper),
		"randAlpha":    s.random(lib["randAlpha"].(func(int) string)),
		"randAlphaNum": s.random(lib["randAlphaNum"].(func(int) string)),
		"randAscii":    s.random(lib["randAscii"].(func(int) string)),
		"randNumeric":  s.random(lib["randNumeric"].(func(int) string)),
		"randBytes":    s.randBytes(lib["randBytes"].(func(int) (string, error))),
	}
}

// times is a product that does not overflow for sizes in memory.
func times(a, b int) int64 { return int64(float64(a) * float64(b)) }

func (s *state) repeat(count int, text string) (string, error) {
	if err := s.fits(times(max(count, 0), len(text))); err != nil {
		return "", err
	}
	return s.made(strings.Repeat(text, count), nil)
}

func (s *state) indent(spaces int, text string) (string, error) {
	lines := strings.Count(text, "\n") + 1
	if err := s.fits(int64(len(text)) + times(max(spaces, 0), lines)); err != nil {
		return "", err
	}
	pad := strings.Repeat(" ", spaces)
	if lines == 1 {
		return s.made(pad+text, nil)
	}
	return s.made(pad+strings.ReplaceAll(text, "\n", "\n"+pad), nil)
}

func (s *state) nindent(spaces int, text string) (string, error) {
	text, err := s.indent(spaces, text)
	return "\n" + text, err
}

func (s *state) replace(old, fresh, text string) (string, error) {
	if err := s.fits(int64(len(text)) + times(strings.Count(text, old), len(fresh))); err != nil {
		return "", err
	}
	return s.made(strings.ReplaceAll(text, old, fresh), nil)
}

func (s *state) join(separator string, list any) (string, error) {
	if err := s.admit(list); err != nil {
		return "", err
	}
	if err := s.fits(times(max(lengthOf(list)-1, 0), len(separator))); err != nil {
		return "", err
	}
	join, _ := library()["join"].(func(string, any) string)
	return s.made(join(separator, list), nil)
}

func (s *state) wrap(f func(int, string) string) func(int, string) (string, error) {
	return func(width int, text string) (string, error) {
		if err := s.fits(2 * int64(len(text))); err != nil {
			return "", err
		}
		return s.made(f(width, text), nil)
	}
}

func (s *state) wrapWith(f func(int, string, string) string) func(int, string, string) (string, error) {
	return func(width int, separator, text string) (string, error) {
		breaks := len(text)/max(width, 1) + strings.Count(text, " ") + 1
		if err := s.fits(int64(len(text)) + times(breaks, len(separator)+1)); err != nil {
			return "", err
		}
		return s.made(f(width, separator, text), nil)
	}
}

func (s *state) random(f func(int) string) func(int) (string, error) {
	return func(count int) (string, error) {
		// Each character costs a read of the system's randomness.
		if err := s.fits(times(max(count, 0), 64)); err != nil {
			return "", err
		}
		if err := s.step(int64(max(count, 0)) / 8); err != nil {
			return "", err
		}
		return s.made(f(count), nil)
	}
}

func (s *state) randBytes(f func(int) (string, error)) func(int) (string, error) {
	return func(count int) (string, error) {
		if err := s.fits(2 * int64(max(count, 0))); err != nil {
			return "", err
		}
		return s.made(f(count))
	}
}
