package bounded

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

func TestExpressionsAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		reason, text string
		ok           bool
	}{
		"repeats":        {"a few characters are a thousand instructions", strings.Repeat(".{0,1000}", 101), false},
		"inner repeats":  {"as many inside one another", strings.Repeat("((a{10}){10}){10}", 101), false},
		"groups":         {"each thread of a match copies them all", strings.Repeat("(a?)", 2000), false},
		"classes":        {"each takes kilobytes", strings.Repeat(`\pL`, mostClasses+1), false},
		"both cases":     {"each takes milliseconds to read", "(?i)" + strings.Repeat(`[B-\x{1e943}]`, mostClasses+1), false},
		"in a group":     {"a flag may stand there", "(?s:a)(?mi:" + strings.Repeat(`[B-𞥃]`, mostClasses+1) + ")", false},
		"long":           {"Go reads what is parsed before it is bounded", strings.Repeat("a", mostExpression+1), false},
		"a list":         {"joined by a template", "^(" + strings.Repeat("some-namespace-of-a-team|", 2000) + "x)$", true},
		"a label":        {"of Kubernetes", `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`, true},
		"an ARN":         {"with long parts", `^arn:aws[a-z-]*:iam::[0-9]{12}:role/[\w+=,.@/-]{1,512}$`, true},
		"an IP address":  {"of both kinds", `(?i)^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}|([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|([0-9a-f]{1,4}:){1,6}:([0-9a-f]{1,4}){0,6}$`, true},
		"all characters": {"a few classes are fine", `(?i)^[\p{L}\p{N}_ä-ü-]+$`, true},
	} {
		_, err := Compile(c.text)
		if (err == nil) != c.ok || err != nil && !IsCostly(err) {
			t.Errorf("%s: %s: %v", name, c.reason, err)
		}
	}
	_, err := Compile("(")
	if wrong := (*syntax.Error)(nil); !errors.As(err, &wrong) || IsCostly(err) {
		t.Errorf("a broken one: %v", err)
	}
	if _, err := CompileUpTo(".{100}", 50); !IsCostly(err) {
		t.Errorf("another bound: %v", err)
	}
}

func TestMatchingIsBounded(t *testing.T) {
	e, err := Compile("b+")
	if err != nil {
		t.Fatal(err)
	}
	m := NewMatching(int64(7 * e.Size))
	for text, want := range map[string]bool{"abc": true, "a": false} {
		if got, err := m.Match(e, text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := m.Match(e, "abcd"); !IsCostly(err) {
		t.Errorf("more than all may take: %v", err)
	}
}

func FuzzSize(f *testing.F) {
	for _, text := range []string{"a*b+c?", "(a|bc|[d-f])*", "(?:a{2,5}b{3,}){0,7}", "(?i)straße", `\bx$`, "(a{0}|b{0,1}|){2}", "()*", "(a**)+?", "[^a]|\\d{4}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := Size(text)
		if err != nil || size > MostSize {
			return
		}
		if _, err := regexp.Compile(text); err != nil {
			t.Fatal(err)
		}
		tree, _ := syntax.Parse(text, syntax.Perl)
		prog, err := syntax.Compile(tree.Simplify())
		if err != nil || len(prog.Inst) > size {
			t.Errorf("%q: size %d for %d instructions, %v", text, size, len(prog.Inst), err)
		}
	})
}
