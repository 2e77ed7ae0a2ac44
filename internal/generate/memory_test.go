package generate

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

// large are sets whose parts are each within their limits.
func large() map[string]explosion {
	const selector = "selector: {matchExpressions: [{key: none, operator: DoesNotExist}]}"
	git := func(items, rest string) string {
		return fast("generators: [{git: {repoURL: '" + endless + "', revision: main, " + items + "}, " + rest + "}]")
	}
	one := "{list: {elements: [{one: x}]}}"
	elements := func(n int, element string) string {
		return `{list: {elements: [], elementsYaml: "[` + strings.TrimSuffix(repeated(element+",", n), ",") + `]"}}`
	}
	long := func(n int) string { return strings.Repeat("v", n) }
	return map[string]explosion{
		"files":          {"249,000 elements of two files", git("files: [{path: '*.yaml'}]", ""), "more than 20000 Applications"},
		"chosen files":   {"a selector may leave out most of them", git("files: [{path: '*.yaml'}]", selector), "more than"},
		"deep files":     {"each element has the keys of all above it in its name", git("files: [{path: '*.yaml'}]", ""), "more than 192 MiB"},
		"files twice":    {"each becomes another", fast("generators: [{matrix: {generators: [{git: {repoURL: '" + endless + "', revision: main, files: [{path: '*.yaml'}]}}, " + one + "]}}]"), "more than"},
		"folders":        {"each is one", git("directories: [{path: '*/*/*/*/*'}]", ""), "more than 20000 Applications"},
		"chosen folders": {"most may be left out", git("directories: [{path: '*/*/*/*/*'}]", selector), "more than"},
		"values": {"a large part of the template is copied for each", replaced(fast("generators: ["+elements(18_000, "{app: a}")+"]"),
			"project: default", "project: default, source: {repoURL: r, helm: {valuesObject: {a: "+long(20_000)+"}}}"), "more than 192 MiB"},
		"patch": {"and so is a patch", fast("templatePatch: 'spec: {source: {repoURL: r, helm: {valuesObject: {a: " + long(20_000) + "}}}}'\ngenerators: [" + elements(18_000, "{app: a}") + "]"), "more than 192 MiB"},
		"merged patch": {"where it is merged as well", replaced(fast("templatePatch: 'spec: {source: {repoURL: r, helm: {valuesObject: {a: "+long(20_000)+"}}}}'\ngenerators: ["+elements(18_000, "{app: a}")+"]"),
			"project: default", "project: default, source: {repoURL: x}"), "more than 192 MiB"},
		"texts":       {"what templates render to", replaced(goMode("generators: ["+elements(2_000, "{app: a}")+"]"), "{{.v}}", `{{repeat 100000 "x"}}`), "more than 192 MiB"},
		"own texts":   {"and what generators do", goMode("generators: [{matrix: {generators: [" + elements(2_000, "{app: a}") + `, {clusters: {values: {a: '{{repeat 100000 "x"}}'}}}]}}]`), "more than 192 MiB"},
		"nested maps": {"maps of both are in each combination", goMode("generators: [{matrix: {generators: [{list: {elements: [{m: {" + keys(1000) + "}}]}}, " + elements(15_000, "{m: {x: 1}}") + "]}}]"), "more than 192 MiB"},
		"many texts in one": {"in one value", replaced(goMode("generators: [{list: {elements: [{app: a}]}}]"),
			"project: default", "project: default, source: {repoURL: r, helm: {valuesObject: {a: ["+strings.TrimSuffix(repeated(`'{{repeat 4000000 "<"}}',`, 20), ",")+"]}}}"), "more than 192 MiB"},
		"lists for each": {"a generator that is rendered for each", goMode("generators: [{matrix: {generators: [" + elements(8_000, "{app: a}") + ", {list: {elements: [{a: '{{.app}}" + long(30_000) + "'}]}}]}}]"), "more than 192 MiB"},
	}
}

func keys(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("k%d: 1", i))
	}
	return strings.Join(all, ", ")
}

func largeRepo(t *testing.T, name string) gitops.Tree {
	t.Helper()
	if strings.Contains(name, "folders") {
		return walktest.Bomb{Deep: 5}
	}
	if strings.Contains(name, "deep") {
		_, text := deep(200, 20_000)
		return dirTree{fstest.MapFS{"a.yaml": {Data: []byte(text)}}}
	}
	text := []byte("[" + strings.TrimSuffix(repeated("{n: a1},", 124_500), ",") + "]")
	return dirTree{fstest.MapFS{"a.yaml": {Data: text}, "b.yaml": {Data: text}}}
}

// TestLargeSets are an error that says what to do.
func TestLargeSets(t *testing.T) {
	for name, c := range large() {
		t.Run(name, func(t *testing.T) {
			g := New(testFleet(), fakeRepos{endless: largeRepo(t, name)}, anyProject{})
			g.limits.Time = time.Hour // the race detector takes long over hundreds of megabytes
			_, err := g.Applications(t.Context(), specSet(t, c.spec))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "split") {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}

// TestMemoryOfExplosions: they end before memory does. What is alive is looked
// at all the time.
func TestMemoryOfExplosions(t *testing.T) {
	const most = 256 << 20 // what one set may hold, and what it takes to find out
	all := large()
	for name, c := range explosions() {
		all[name] = c
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			g := New(testFleet(), fakeRepos{endless: largeRepo(t, name)}, anyProject{})
			set := specSet(t, c.spec)
			var err error
			peak := peakOf(func() { _, err = g.Applications(context.Background(), set) })
			t.Logf("%d MiB", peak>>20)
			if err == nil || peak > most {
				t.Errorf("%s: %d MiB were in use, and it ends with %v", c.reason, peak>>20, err)
			}
		})
	}
}

// TestMemoryOfTenThousandClusters is within what a set may hold, with metadata as
// a fleet has it, and accounts for what there is.
func TestMemoryOfTenThousandClusters(t *testing.T) {
	fleet := fleetOf(10_000)
	for i := range fleet {
		for k := range 25 {
			fleet[i].Labels[fmt.Sprintf("enable_addon_number_%02d", k)] = "true"
			fleet[i].Annotations[fmt.Sprintf("addons_some_setting_%02d", k)] = "https://git.example.com/org/repository"
		}
	}
	for name, text := range map[string]string{"fast": addonFast, "go": addonGo} {
		t.Run(name, func(t *testing.T) {
			set := parseSet(t, text)
			var out *Expansion
			var err error
			peak := peakOf(func() { out, err = New(fleet, fakeRepos{}, anyProject{}).Applications(context.Background(), set) })
			if err != nil || len(out.Applications) != len(fleet) {
				t.Fatalf("%v", err)
			}
			t.Logf("%d MiB", peak>>20)
			if peak > int64(DefaultLimits().Held) {
				t.Errorf("%d MiB were in use", peak>>20)
			}
		})
	}
}

// peakOf is the most that is alive while work is done, beyond what was before.
func peakOf(work func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) //nolint:mnd // so that it is found out often what is alive
	runtime.GC()
	before, peak := alive(), int64(0)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for ticks := time.NewTicker(time.Millisecond); ; {
			peak = max(peak, alive()-before)
			select {
			case <-done:
				ticks.Stop()
				return
			case <-ticks.C:
			}
		}
	}()
	work()
	close(done)
	<-ended
	return peak
}

// alive are the bytes that the last collection found in use.
func alive() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
