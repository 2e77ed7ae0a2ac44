package engine

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"text/template"
)

// maxPatterns bounds the compiled expressions that are kept.
const maxPatterns = 256

// maxMatching bounds the product of a text's bytes and an expression's
// instructions: matching takes about so many steps, and cannot be stopped.
const maxMatching = 2_000_000_000

// regexes are the functions that match: the plain ones end the render where
// an expression cannot be read, as the library's do, but for regexMatch.
func (s *state) regexes() template.FuncMap {
	match := func(pattern, text string) (bool, error) {
		re, err := s.regex(pattern, text)
		return err == nil && re.MatchString(text), err
	}
	find := func(pattern, text string) (string, error) {
		re, err := s.regex(pattern, text)
		if err != nil {
			return "", err
		}
		return s.made(re.FindString(text), nil)
	}
	out := template.FuncMap{"regexFind": find, "mustRegexFind": find, "mustRegexMatch": match}
	out["regexMatch"] = func(pattern, text string) (bool, error) {
		if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
			return false, nil //nolint:nilerr // what cannot be read matches nothing
		}
		return match(pattern, text)
	}
	for _, prefix := range []string{"regex", "mustRegex"} {
		out[prefix+"FindAll"], out[prefix+"Split"] = s.findAll, s.splitBy
		out[prefix+"ReplaceAll"] = s.replaceAll((*regexp.Regexp).ReplaceAllString, strings.Count)
		out[prefix+"ReplaceAllLiteral"] = s.replaceAll((*regexp.Regexp).ReplaceAllLiteralString, func(string, string) int { return 0 })
	}
	return out
}

func (s *state) findAll(pattern, text string, n int) ([]string, error) {
	re, err := s.regex(pattern, text)
	if err != nil {
		return nil, err
	}
	if err := s.parts(re, text, n); err != nil {
		return nil, err
	}
	return re.FindAllString(text, n), nil
}

func (s *state) splitBy(pattern, text string, n int) ([]string, error) {
	re, err := s.regex(pattern, text)
	if err != nil {
		return nil, err
	}
	if err := s.parts(re, text, n); err != nil {
		return nil, err
	}
	return re.Split(text, n), nil
}

// parts counts the parts of a text before they are made.
func (s *state) parts(re *regexp.Regexp, text string, n int) error {
	matches, _ := matchesOf(re, text)
	if n >= 0 {
		matches = min(matches, n)
	}
	return s.produce(40 * int64(matches+1))
}

// matchesOf counts matches and their bytes.
func matchesOf(re *regexp.Regexp, text string) (matches, bytes int) {
	if len(text) <= 4096 {
		return len(text) + 1, len(text) // no more than these
	}
	re.ReplaceAllStringFunc(text, func(m string) string {
		matches++
		bytes += len(m)
		return ""
	})
	return matches, bytes
}

type replaceFunc = func(re *regexp.Regexp, text, by string) string

// replaceAll bounds a replacement: refs counts the signs that may refer to
// what was matched.
func (s *state) replaceAll(f replaceFunc, refs func(by, sign string) int) func(pattern, text, by string) (string, error) {
	return func(pattern, text, by string) (string, error) {
		re, err := s.regex(pattern, text)
		if err != nil {
			return "", err
		}
		if most := times(len(text)+1, len(by)+1); most > 1<<20 {
			matches, bytes := matchesOf(re, text)
			if err := s.fits(int64(len(text)) + times(matches, len(by)) + times(bytes, refs(by, "$"))); err != nil {
				return "", err
			}
		}
		return s.made(f(re, text, by), nil)
	}
}

// regex compiles an expression once, and counts the work of matching it.
func (s *state) regex(pattern, text string) (*regexp.Regexp, error) {
	re, ok := s.patterns[pattern]
	if !ok {
		if err := s.work(64 * len(pattern)); err != nil {
			return nil, err
		}
		var err error
		if re, err = regexp.Compile(pattern); err != nil {
			return nil, err
		}
		if len(s.patterns) < maxPatterns {
			s.patterns[pattern], s.cost[pattern] = re, instructions(pattern)
		}
	}
	cost, ok := s.cost[pattern]
	if !ok {
		cost = instructions(pattern)
	}
	work := times(len(text), int(cost))
	if work > maxMatching {
		return nil, &limitError{"matching a regular expression would take too long: the text or the expression is too large"}
	}
	return re, s.step(work/1000 + 1)
}

// instructions is the size of a compiled expression.
func instructions(pattern string) int64 {
	if len(pattern) < 64 && !strings.Contains(pattern, "{") {
		return int64(len(pattern)) + 2
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return 0
	}
	return int64(len(prog.Inst))
}
