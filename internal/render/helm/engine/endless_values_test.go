package engine_test

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"

	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
)

// TestTemplatesEndWithinBounds runs what took the process down, or took memory
// before it was measured.
func TestTemplatesEndWithinBounds(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	const cycle = `{{ $d := dict }}{{ $_ := set $d "d" $d }}`
	const shared = `{{ $s := repeat 1000000 "x" }}{{ $l := list $s $s $s $s $s $s $s $s $s $s }}{{ $m := list $l $l $l $l $l $l $l $l $l $l }}`
	for name, tc := range map[string]struct {
		text   string
		failed bool
	}{
		"Eq":           {cycle + `{{ if eq $d $d }}{{ end }}`, true},
		"Ne":           {cycle + `{{ if ne $d $d }}{{ end }}`, true},
		"EqPiped":      {cycle + `{{ $d | eq $d }}`, true},
		"EqText":       {cycle + `{{ eq "a" $d }}`, true},
		"Int":          {cycle + `{{ int $d }}`, true},
		"Float":        {cycle + `{{ float64 $d }}`, true},
		"Add":          {cycle + `{{ add 1 $d }}`, true},
		"Max":          {cycle + `{{ max 1 $d }}`, true},
		"Round":        {cycle + `{{ round $d 1 }}`, true},
		"ToDecimal":    {cycle + `{{ toDecimal $d }}`, true},
		"Key":          {cycle + `{{ $x := dict $d "a" }}`, true},
		"Place":        {cycle + `{{ slice (list 1 2) $d }}`, true},
		"Certificate":  {cycle + `{{ $x := genSelfSignedCert "a" (list $d) (list) 1 }}`, true},
		"SharedInt":    {shared + `{{ int $m }}`, true},
		"SharedEq":     {shared + `{{ eq $m $m }}`, true},
		"Date":         {`{{ $s := "1" }}{{ range until 40 }}{{ $s = date $s 26784000 }}{{ end }}`, true},
		"Format":       {`{{ $t := toDate "2006" "2020" }}{{ $t = $t.AddDate 0 10 0 }}{{ $s := "1" }}{{ range until 40 }}{{ $s = $t.Format $s }}{{ end }}`, true},
		"FormatOfNow":  {`{{ $s := "Jan" }}{{ range until 40 }}{{ $s = printf "%s%s" (now.Format $s) (now.Format $s) }}{{ end }}`, true},
		"YAML":         {shared + `{{ $_ := set .Values "m" (list $m $m $m $m $m) }}{{ $x := .Values.YAML }}`, true},
		"YAMLOfAll":    {shared + `{{ $_ := set . "m" (list $m $m $m $m $m) }}{{ $x := $.YAML }}`, true},
		"YAMLOfPipe":   {shared + `{{ $_ := set .Values "m" (list $m $m $m $m $m) }}{{ len (.Values).YAML }}`, true},
		"DeepHas":      {`{{ $a := list }}{{ $b := list }}{{ range until 10000 }}{{ $a = list $a }}{{ $b = list $b }}{{ end }}{{ $x := has $a (list $b) }}`, true},
		"LongError":    {`{{ define "a" }}{{ if . }}{{ include "a" (rest .) }}{{ else }}{{ fail (repeat 1000000 "x") }}{{ end }}{{ end }}{{ include "a" (until 100) }}`, true},
		"DateInZone":   {`{{ $s := "1" }}{{ range until 40 }}{{ $s = dateInZone $s 26784000 "UTC" }}{{ end }}`, true},
		"MustFromJson": {`{{ $s := printf "[%s1]" (repeat 4000000 "{},") }}{{ $x := mustFromJson $s }}`, true},
		"Uniq":         {`{{ $s := repeat 3000000 "x" }}{{ $l := list }}{{ range until 10 }}{{ $l = append $l (print $s .) }}{{ end }}{{ range until 1000000 }}{{ $x := uniq $l }}{{ end }}`, true},
		"Kept":         {cycle + `{{ $_ := set .Values "root" $ }}{{ hasKey $d "d" }}{{ kindOf $d }}{{ len $d }}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			ch, err := chartOf(oneTemplate(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			top := common.Values{"Values": common.Values{"db": map[string]any{}}, "Release": map[string]any{"Name": "r"}}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = engine.New(engine.Options{}).Render(t.Context(), ch, top)
			runtime.ReadMemStats(&after)
			if (err != nil) != tc.failed {
				t.Errorf("%v", err)
			}
			most := uint64(128 << 20)
			if strings.HasPrefix(name, "Format") { // methods are measured after each call: that is one text above the limit, and all before it
				most = 1 << 30
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("it took %d MiB", took>>20)
			}
		})
	}
}
