package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
)

// nasty are templates that take all time or memory there is, were it not for
// the limits.
var nasty = map[string]string{
	"Range":            `{{ range 9000000000000000000 }}{{ end }}`,
	"RangeInRange":     `{{ range until 100000 }}{{ range until 100000 }}x{{ end }}{{ end }}`,
	"RangeEmpty":       `{{ range $i := 1000000000 }}{{ if false }}x{{ end }}{{ end }}`,
	"Template":         `{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`,
	"TemplateTwice":    `{{ define "a" }}{{ template "b" . }}{{ template "b" . }}{{ end }}{{ define "b" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`,
	"TreeOfTemplates":  `{{ define "a" }}{{ if gt . 0 }}{{ template "a" (sub . 1) }}{{ template "a" (sub . 1) }}{{ end }}{{ end }}{{ template "a" 60 }}`,
	"TreeOfIncludes":   `{{ define "a" }}{{ if gt (int .) 0 }}{{ $x := include "a" (sub . 1) }}{{ $y := include "a" (sub . 1) }}{{ end }}{{ end }}{{ include "a" 60 }}`,
	"Include":          `{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`,
	"TplItself":        `{{ $t := "{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t) }}`,
	"TplDefines":       `{{ $t := "{{ define \"q\" }}x{{ end }}{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t) }}`,
	"TplInclude":       `{{ define "a" }}{{ tpl "{{ include \"a\" . }}" . }}{{ end }}{{ include "a" . }}`,
	"Doubling":         `{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = print $s $s }}{{ end }}{{ $s }}`,
	"DoublingPrintf":   `{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = printf "%s%[1]s" $s }}{{ end }}`,
	"DoublingCat":      `{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = cat $s $s }}{{ end }}`,
	"DoublingJoin":     `{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = join "" (list $s $s) }}{{ end }}`,
	"DoublingReplace":  `{{ $s := "xx" }}{{ range until 60 }}{{ $s = replace "x" "xx" $s }}{{ end }}`,
	"DoublingRegex":    `{{ $s := "xx" }}{{ range until 60 }}{{ $s = regexReplaceAll "(.*)" $s "$1$1" }}{{ end }}`,
	"DoublingQuote":    `{{ $s := "\"" }}{{ range until 60 }}{{ $s = quote $s }}{{ end }}`,
	"DoublingInclude":  `{{ define "a" }}{{ . }}{{ . }}{{ end }}{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = include "a" $s }}{{ end }}`,
	"DoublingTpl":      `{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = tpl "{{ . }}{{ . }}" $s }}{{ end }}`,
	"DoublingLists":    `{{ $l := list 1 2 }}{{ range until 60 }}{{ $l = concat $l $l }}{{ end }}`,
	"SharedLists":      `{{ $l := list 1 2 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}{{ $l }}`,
	"SharedYaml":       `{{ $l := list 1 2 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}{{ toYaml $l }}`,
	"SharedJson":       `{{ $l := dict "a" 1 }}{{ range until 60 }}{{ $l = dict "a" $l "b" $l }}{{ end }}{{ toJson $l }}`,
	"SharedCopy":       `{{ $l := dict "a" 1 }}{{ range until 60 }}{{ $l = dict "a" $l "b" $l }}{{ end }}{{ $x := deepCopy $l }}`,
	"SharedMerge":      `{{ $l := dict "a" 1 }}{{ range until 60 }}{{ $l = dict "a" $l "b" $l }}{{ end }}{{ $x := merge (dict) $l }}`,
	"SharedPrintf":     `{{ $l := list 1 2 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}{{ printf "%v" $l }}`,
	"SharedHTML":       `{{ $l := list 1 2 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}{{ html $l }}`,
	"CyclePrinted":     `{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}`,
	"CyclePretty":      `{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ printf "%v" $d }}{{ toYamlPretty $d }}`,
	"CycleToml":        `{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ mustToToml $d }}`,
	"CycleCopied":      `{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ deepCopy $d }}`,
	"CycleMerged":      `{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $e := dict }}{{ $_ := set $e "d" $e }}{{ merge $d $e }}`,
	"CycleInPipe":      `{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ ($d) }}`,
	"CycleOfValues":    `{{ $_ := set .Values "v" .Values }}{{ .Values.v }}`,
	"CycleGuarded":     `{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ default 1 $d }}`,
	"Repeat":           `{{ repeat 9000000000 "x" }}`,
	"Indent":           `{{ indent 1000000000 "x" }}`,
	"IndentOverflow":   `{{ indent 1000000000000 (repeat 30000000 "\n") }}`,
	"IndentLines":      `{{ nindent 100000 (repeat 100000 "\n") }}`,
	"Until":            `{{ until 9000000000 }}`,
	"UntilStep":        `{{ untilStep -9000000000000000000 9000000000000000000 1 }}`,
	"Seq":              `{{ seq 1 9000000000 }}`,
	"Width":            `{{ printf "%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d" 1 }}`,
	"Star":             `{{ printf (repeat 1000 "%*d") 999999 1 }}`,
	"Random":           `{{ randAlpha 900000000 }}`,
	"RandBytes":        `{{ randBytes 9000000000 }}`,
	"Wrap":             `{{ wrapWith 1 (repeat 1000000 "x") (repeat 1000000 "y") }}`,
	"Join":             `{{ join (repeat 1000000 "x") (until 100000) }}`,
	"Split":            `{{ range until 100 }}{{ $x := split "" (repeat 10000000 "x") }}{{ end }}`,
	"SplitList":        `{{ range until 100 }}{{ $x := splitList "" (repeat 10000000 "x") }}{{ end }}`,
	"Uniq":             `{{ uniq (until 1000000) }}`,
	"Without":          `{{ $l := until 100000 }}{{ range $l }}{{ $x := without $l . }}{{ end }}`,
	"Regex":            `{{ regexFind "((((a{0,10}){0,10}){0,10}b?){0,1}x?)*c" (repeat 30000000 "a") }}`,
	"RegexLarge":       `{{ $x := regexMatch (repeat 1600 ".{0,1000}") "" }}`,
	"RegexMany":        `{{ $p := repeat 90 ".{0,1000}" }}{{ range until 100 }}{{ $x := regexMatch (print $p .) "" }}{{ end }}`,
	"RegexGroups":      `{{ $x := regexReplaceAll (repeat 3000 "(a?)") "a" "$1" }}`,
	"RegexClasses":     `{{ range until 1000 }}{{ $x := regexMatch (print "(?i)" (repeat 100 "[B-\\x{1e943}]") .) "" }}{{ end }}`,
	"RegexBroken":      `{{ $p := repeat 60000 "a" }}{{ range until 100000 }}{{ $x := regexMatch (print $p . "(") "" }}{{ end }}`,
	"RegexFindAll":     `{{ range until 100 }}{{ $x := regexFindAll "" (repeat 3000000 "a") -1 }}{{ end }}`,
	"RegexExpand":      `{{ regexReplaceAll "(a+)" (repeat 3000000 "a") (repeat 1000 "$1") }}`,
	"Keys":             `{{ range until 100000 }}{{ $x := genPrivateKey "ed25519" }}{{ end }}`,
	"Kept":             `{{ $l := list }}{{ range until 100000 }}{{ $l = append $l (repeat 1000000 "x") }}{{ end }}`,
	"KeptFiles":        `{{ $f := .Files }}{{ range until 100000000 }}{{ $x := $f.AsConfig }}{{ end }}`,
	"Appended":         `{{ $l := list }}{{ range until 1000000 }}{{ $l = append $l . }}{{ end }}`,
	"Output":           `{{ range until 1000000 }}` + strings.Repeat("x", 1000) + `{{ end }}`,
	"NestedBlocks":     strings.Repeat("{{ if true }}", 100_000) + strings.Repeat("{{ end }}", 100_000),
	"NestedElse":       "{{ if false }}" + strings.Repeat("{{ else if false }}", 100_000) + "{{ end }}",
	"NestedParens":     "{{ " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + " }}",
	"NestedTpl":        `{{ tpl (print (repeat 100000 "{{ if true }}") (repeat 100000 "{{ end }}")) . }}`,
	"NestedBehindText": `{{"{{/*"}}` + strings.Repeat("{{if.}}", 700_000),
	"NestedTplBehind":  `{{ tpl (print "{{\"{{/*\"}}" (repeat 4000000 "{{if.}}")) . }}`,
	"NestedTplEnds":    "{{ tpl (repeat 1000000 `{{if.}}{{\"{{end}}\"}}`) . }}",
	"NestedTplParens":  `{{ tpl (print "{{\"}}\"" (repeat 4000000 "(")) . }}`,
	"ManyParts":        strings.Repeat("{{1}}", 1_000_000),
	"ManyPartsInTpl":   `{{ tpl (repeat 6000000 "{{1}}") . }}`,
	"PartsInsideParts": `{{ $t := print "{{if false}}" (repeat 30000 "{{1}}") "{{end}}{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t) }}`,
	"VariablesOfMany":  strings.Repeat("{{$b:=1}}", 30_000) + "{{$c:=1}}" + strings.Repeat("{{$c}}", 30_000),
	"LoopInCalls":      `{{ define "t" }}{{ range list 1 }}{{ template "t" . }}{{ end }}{{ end }}{{ template "t" . }}`,
	"LoopsInCalls":     `{{ define "t" }}` + strings.Repeat("{{ range list 1 }}", 490) + `{{ template "t" . }}` + strings.Repeat("{{ end }}", 490) + `{{ end }}{{ template "t" . }}`,
	"BlocksInCalls":    `{{ define "t" }}` + strings.Repeat("{{ if 1 }}", 490) + `{{ template "t" . }}` + strings.Repeat("{{ end }}", 490) + `{{ end }}{{ template "t" . }}`,
	"NestedToml":       `{{ $x := fromToml (print "a = " (repeat 1000000 "[")) }}{{ fail "done" }}`,
	"DottedToml":       `{{ $x := fromToml (print "[" (repeat 30000 "a.") "a]\n") }}`,
	"TablesToToml":     `{{ $k := repeat 500000 "k" }}{{ $d := dict }}{{ range until 100 }}{{ $_ := set $d (print .) (dict "a" .) }}{{ end }}{{ $x := toToml (dict $k $d) }}`,
	"NestedYaml":       `{{ $x := fromYaml (repeat 1000000 "[") }}{{ fail "done" }}`,
	"NestedJson":       `{{ $x := fromJsonArray (repeat 1000000 "[") }}{{ fail "done" }}`,
	"YamlBomb":         `{{ $s := "a: &a [x,x,x,x,x,x,x,x,x]\n" }}{{ $p := "a" }}{{ range $n := list "b" "c" "d" "e" "f" "g" "h" "i" "j" "k" }}{{ $s = printf "%s%s: &%s [*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s]\n" $s $n $n $p $p $p $p $p $p $p $p $p }}{{ $p = $n }}{{ end }}{{ fail (fromYaml $s | toJson | trunc 10) }}`,
}

// TestNasty ends each of them with an error that names a template, soon and
// within little memory.
func TestNasty(t *testing.T) {
	e := engine.New(engine.Options{Limits: engine.Limits{Steps: 500_000}})
	for name, text := range nasty {
		t.Run(name, func(t *testing.T) {
			ch, err := chartOf(oneTemplate(text))
			if err != nil {
				t.Fatal(err)
			}
			top, err := prepared(ch, map[string]any{})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err = e.Render(t.Context(), ch, top)
			var wrong *engine.Error
			if !errors.As(err, &wrong) || wrong.Template != "web/templates/x.yaml" || wrong.File == nil {
				t.Fatalf("got %v", err)
			}
			t.Logf("%s: %v", time.Since(began).Round(time.Millisecond), err)
		})
	}
}

// TestStops ends a loop with its context, and keeps the context's error.
func TestStops(t *testing.T) {
	ch, err := chartOf(oneTemplate(`{{ range 9000000000000000000 }}{{ end }}`))
	if err != nil {
		t.Fatal(err)
	}
	top, err := prepared(ch, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Limits: engine.Limits{Steps: 1 << 60}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := e.Render(ctx, ch, top); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestLines leads from lines of the output to those of the template.
func TestLines(t *testing.T) {
	const text = "# a comment\n{{- if true }}\n---\nkind: A\n{{- end }}\n{{- range until 2 }}\n---\nkind: B{{ . }}\n{{- end }}\n---\n{{ .Values.none }}{{ .Values.none }}\nkind: C\n---\n{{ include \"labels\" . }}\n---\n{{ tpl \"kind: D\" . }}\n"
	ch, err := chartOf(oneTemplate(text))
	if err != nil {
		t.Fatal(err)
	}
	top, err := prepared(ch, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := engine.New(engine.Options{}).Render(t.Context(), ch, top)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outputs {
		if o.Name != "web/templates/x.yaml" {
			continue
		}
		lines := strings.Split(o.Text, "\n")
		all := make([]int, len(lines))
		for i := range all {
			all[i] = i + 1
		}
		var got []string
		source := strings.Split(text, "\n")
		for i, n := range o.Lines(all) {
			if strings.HasPrefix(lines[i], "kind") || strings.HasPrefix(lines[i], "app") {
				got = append(got, lines[i]+" < "+source[n-1])
			}
		}
		want := "kind: A < kind: A|kind: B0 < kind: B{{ . }}|kind: B1 < kind: B{{ . }}|kind: C < kind: C|app: rel-web < {{ include \"labels\" . }}|kind: D < {{ tpl \"kind: D\" . }}"
		if strings.Join(got, "|") != want {
			t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
		}
	}
}
