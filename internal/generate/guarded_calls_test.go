package generate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/test/detector"
)

// uncounted lets every call be.
type uncounted struct{}

func (uncounted) call() error    { return nil }
func (uncounted) key() error     { return nil }
func (uncounted) make(int) error { return nil }

// TestEveryFunctionHasItsBound fails when the library gets a function that
// nobody has thought about.
func TestEveryFunctionHasItsBound(t *testing.T) {
	all := functions(100, uncounted{})
	for name := range all {
		if bounds[name] == nil {
			t.Errorf("%s has no bound: nobody has said what it may make", name)
		}
	}
	for name := range maps.Keys(bounds) {
		if all[name] == nil {
			t.Errorf("there is no function %s", name)
		}
	}
	for name := range costs {
		if bounds[name] == nil {
			t.Errorf("the cost of %s is never asked", name)
		}
	}
}

// renderWithin renders a text within the limits.
func renderWithin(ctx context.Context, text string, p Params) (string, error) {
	limits := DefaultLimits()
	return newGoTexts(ctx, nil, limits, &budget{limits.Total}, newLacks()).render(text, p)
}

// renderMeasured renders a text, and says how many bytes that took.
func renderMeasured(ctx context.Context, text string, p Params) (string, uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := renderWithin(ctx, text, p)
	runtime.ReadMemStats(&after)
	return out, after.TotalAlloc - before.TotalAlloc, err
}

// TestResultsAreMeasuredBeforeTheyAreMade: what would become large is refused
// before memory is taken for it.
func TestResultsAreMeasuredBeforeTheyAreMade(t *testing.T) {
	most := uint64(40 << 20)
	if detector.On {
		most *= 16 // what is kept for the next match is dropped now and then
	}
	mega := strings.Repeat("x", 1<<20)
	self := map[string]any{}
	self["self"] = []any{self}
	nested := []any{mega, mega, mega}
	for range 20 {
		nested = []any{nested, nested, nested}
	}
	p := Params{
		"mega": mega, "nested": nested, "self": self, "spaces": strings.Repeat("a ", 300), "commas": strings.Repeat(",", 2<<20),
		"values": "[" + strings.TrimSuffix(strings.Repeat("{},", 150_000), ",") + "]",
	}
	large, deep := errTooLarge.Error(), errTooDeep.Error()
	for text, want := range map[string]string{
		`{{ join .mega (until 9000) }}`:                                               large,
		`{{ join (repeat 4000000 "x") (until 300) }}`:                                 large,
		`{{ join "," .nested }}`:                                                      large,
		`{{ wrapWith 1 .mega .spaces }}`:                                              large,
		`{{ wrapWith 1 "" (repeat 1900000 "a ") }}`:                                   large,
		`{{ wrap 1 (repeat 1250000 "xx") }}`:                                          large,
		`{{ $s := .mega }}{{ $l := list $s $s $s }}{{ $m := list $l $l $l }}{{ $m }}`: large,
		`{{ .nested }}`:             large,
		`{{ print .nested }}`:       large,
		`{{ println .nested }}`:     large,
		`{{ printf "%v" .nested }}`: large,
		`{{ printf "` + strings.Repeat("%[1]s", 20) + `" .mega }}`: large,
		`{{ printf "%1000d" (until 90000) }}`:                      large,
		`{{ printf "%*d" 1000000 (until 90000) }}`:                 large,
		`{{ html .nested }}`:                                       large,
		`{{ js .nested }}`:                                         large,
		`{{ urlquery .nested }}`:                                   large,
		`{{ toJson .nested }}`:                                     large,
		`{{ toPrettyJson .nested }}`:                               large,
		`{{ toRawJson .nested }}`:                                  large,
		`{{ mustToJson .nested }}`:                                 large,
		`{{ toYaml .nested }}`:                                     large,
		`{{ toString .nested }}`:                                   large,
		`{{ toStrings .nested }}`:                                  large,
		`{{ quote .nested }}`:                                      large,
		`{{ squote .nested }}`:                                     large,
		`{{ cat .nested }}`:                                        large,
		`{{ sortAlpha .nested }}`:                                  large,
		`{{ int .nested }}`:                                        large,
		`{{ dict .nested 1 }}`:                                     large,
		`{{ deepCopy .nested }}`:                                   deep,
		`{{ $l := until 90000 }}{{ concat ` + strings.Repeat("$l ", 2000) + ` | len }}`: large,
		`{{ split "," .commas }}`:                                      large,
		`{{ splitList "," .commas | len }}`:                            large,
		`{{ regexFindAll "" .commas -1 }}`:                             large,
		`{{ regexSplit "," .commas -1 }}`:                              large,
		`{{ untilStep 9223372036854775000 9223372036854775807 1000 }}`: large,
		`{{ uniq (until 90000) | len }}`:                               large,
		`{{ randAlpha 1000000 }}`:                                      large,
		`{{ semverCompare .mega "1.0.0" }}`:                            large,
		`{{ fromJson .values | len }}`:                                 large,
		`{{ fromYamlArray .values | len }}`:                            large,
		// What contains itself has no end.
		`{{ .self }}`:                                   deep,
		`{{ print .self }}`:                             deep,
		`{{ int .self }}`:                               deep,
		`{{ dict .self 1 }}`:                            deep,
		`{{ eq .self 1 }}`:                              deep,
		`{{ eq 1 .self }}`:                              deep,
		`{{ .self | ne "a" }}`:                          deep,
		`{{ if eq .self .self }}{{ end }}`:              deep,
		`{{ len (print (eq (index .self "self") 1)) }}`: deep,
		`{{ eq .nested .nested }}`:                      large,
		`{{ slice .nested .self }}`:                     deep,
	} {
		_, took, err := renderMeasured(t.Context(), text, p)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %.300v, want %s", text, err, want)
		}
		if took > most {
			t.Errorf("%s took %d MiB", text, took>>20)
		}
	}
}

// TestMethodsAreCounted: a layout of a time doubles itself on the right day.
func TestMethodsAreCounted(t *testing.T) {
	for _, text := range []string{`$t.Format $s`, `$s | $t.Format`, `(print (($t).Format $s))`} {
		text = `{{ $t := toDate "2006-01-02" "2021-11-11" }}{{ $s := "1111" }}{{ range until 60 }}{{ $s = ` + text + ` }}{{ end }}`
		g := newGoTexts(t.Context(), nil, fuzzLimits, &budget{fuzzLimits.Total}, newLacks())
		if _, err := g.render(text, nil); err == nil || !strings.Contains(err.Error(), errTooLarge.Error()) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestKeysAreCounted, and none is made for a run that is over.
func TestKeysAreCounted(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{`{{ genPrivateKey "rsa" }}`, `{{ genCA "a" 1 }}`, `{{ htpasswd "a" "b" }}`, `{{ bcrypt "a" }}`, `{{ derivePassword 1 "long" "a" "b" "c" }}`, `{{ upper "a" }}`} {
		if _, err := renderWithin(over, text, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", text, err)
		}
	}
	text := fmt.Sprintf(`{{ range until %d }}{{ encryptAES "key" "text" | trunc 0 }}{{ end }}`, mostKeys)
	if _, err := renderWithin(t.Context(), text, nil); err != nil {
		t.Errorf("as many as may be: %v", err)
	}
	if _, err := renderWithin(t.Context(), text+`{{ encryptAES "key" "text" }}`, nil); err == nil || !strings.Contains(err.Error(), errKeys.Error()) {
		t.Errorf("one more: %v", err)
	}
}

// TestCallsEndWithTheRun: many calls of one turn of a loop end when the run does.
func TestCallsEndWithTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	limits := DefaultLimits()
	g := newGoTexts(ctx, nil, limits, &budget{limits.Total}, newLacks())
	if err := g.call(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := g.call(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestBoundsLeaveTextsAsTheyAre: what is within the limits is rendered as by the library alone.
func TestBoundsLeaveTextsAsTheyAre(t *testing.T) {
	p := Params{"name": "a b", "list": []any{"x", 1.0, nil}, "map": map[string]any{"k": []any{"v"}}, "labels": map[string]string{"env": "dev"}, "none": nil}
	for text, want := range map[string]string{
		`{{ join "-" .list }} {{ join "," (until 3) }}`:                                                 "x-1 0,1,2",
		`{{ wrap 1 .name }}/{{ wrapWith 1 "|" .name }}`:                                                 "a\nb/a|b",
		`{{ print .list 1 2 }} {{ printf "%5s|%-3v|%q" "a" 1 .name }}`:                                  `[x 1 <nil>] 1 2     a|1  |"a b"`,
		`{{ html "<a>" }} {{ js "it's" }} {{ urlquery .name }}`:                                         `&lt;a&gt; it\'s a+b`,
		`{{ toJson .map }} {{ quote .name 1 }} {{ cat "a" 1 nil }}`:                                     `{"k":["v"]} "a b" "1" a 1`,
		`{{ eq .name "a b" }} {{ .name | eq "a b" "c" }} {{ ne 1 2 }}`:                                  "true true true",
		`{{ eq .none nil }} {{ eq .missing .none }} {{ eq (len .list) 3 }}`:                             "true true true",
		`{{ if eq .labels.env "dev" "prod" }}{{ .labels.env }}{{ end }}`:                                "dev",
		`{{ splitn "," 2 "a,b,c" }} {{ splitList "," "a,b" }}`:                                          "map[_0:a _1:b,c] [a b]",
		`{{ uniq (list 1 1 2) }} {{ has 2 (list 1 2) }} {{ without (list 1 2) 1 }} {{ deepCopy .map }}`: "[1 2] true [2] map[k:[v]]",
		`{{ (toDate "2006-01-02" "2021-03-04").Format "02.01.2006" }}`:                                  "04.03.2021",
		`{{ "06" | (toDate "2006-01-02" "2021-03-04").Format }}`:                                        "21",
		`{{ fromJson "[1]" }} {{ fromYaml "a: 1" }} {{ concat (list 1) (list 2) }} {{ keys .map }}`:     "[1] map[a:1] [1 2] [k]",
		`{{ regexFindAll "a" "aba" -1 }} {{ regexSplit "," "a,b" 1 }}`:                                  "[a a] [a,b]",
		`{{ untilStep 6 0 -2 }} {{ seq 1 2 5 }}`:                                                        "[6 4 2] 1 3 5",
		`{{ semverCompare "^1.0.0" "1.2.3" }} {{ (semver "1.2.3").Major }}`:                             "true 1",
	} {
		if got, err := renderWithin(t.Context(), text, p); err != nil || got != want {
			t.Errorf("%s: got %q, want %q (%v)", text, got, want, err)
		}
	}
}
